package proc

import (
	"os/exec"
	"syscall"
	"testing"
)

// A command through the guardian: start, exit, and the certainty that nothing is
// left.
func BenchmarkGuardian(b *testing.B) {
	z := openZoo(b)
	for b.Loop() {
		p, err := z.Start(Command{Argv: []string{"/bin/true"}})
		if err != nil {
			b.Fatal(err)
		}
		<-p.Exited()
		if _, err := p.End(nil, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// The same command without a guardian, and without the certainty.
func BenchmarkExec(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// From the signal to everything dead, for an agent that obeys.
func BenchmarkEndPolite(b *testing.B) {
	z := openZoo(b)
	for b.Loop() {
		p, err := z.Start(Command{Argv: []string{"/bin/sleep", "3600"}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.End([]syscall.Signal{syscall.SIGTERM}, patience); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStartGuardian(b *testing.B) {
	for b.Loop() {
		openZoo(b).Close()
	}
}
