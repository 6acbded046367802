package proc

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"slices"
	"testing"
	"time"
)

// patience is how long a test waits for what must happen.
const patience = time.Minute

// zoo is a guardian and the output of what runs under it.
type zoo struct {
	*Guardian
	t     testing.TB
	token string
	out   *bufio.Reader
	w     *os.File
}

func openZoo(t testing.TB) *zoo {
	t.Helper()
	return openZooBy(t, []string{os.Args[0], "__guardian"})
}

func openZooBy(t testing.TB, argv []string) *zoo {
	t.Helper()
	token := rand.Text()
	g, err := StartGuardian(argv, token)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	z := &zoo{Guardian: g, t: t, token: token, out: bufio.NewReader(r), w: w}
	t.Cleanup(func() {
		r.Close()
		w.Close()
		_ = g.Close()
		if left, err := holders(token, nil); err != nil || len(left) > 0 {
			t.Errorf("left behind after Close: %+v, error %v", left, err)
		}
	})
	return z
}

// run starts an animal and reads the identities of n announced processes.
func (z *zoo) run(n int, steps ...string) (*Process, []ID) {
	z.t.Helper()
	p, err := z.Start(Command{Argv: animal(steps...), Stdout: z.w})
	if err != nil {
		z.t.Fatal(err)
	}
	return p, announced(z.t, z.out, n)
}

func announced(t testing.TB, r *bufio.Reader, n int) []ID {
	t.Helper()
	ids := make([]ID, n)
	for i := range ids {
		line := await(t, "an announcement", func() []byte {
			line, _ := r.ReadBytes('\n')
			return line
		})
		if err := json.Unmarshal(line, &ids[i]); err != nil {
			t.Fatalf("announcement %d of %d is %q: %v", i+1, n, line, err)
		}
	}
	return ids
}

// rest closes our own end of the pipe and reads up to the end of file, which
// comes when the last process that holds the other end is dead.
func (z *zoo) rest() string {
	z.t.Helper()
	z.w.Close()
	return await(z.t, "end of file", func() string {
		b, _ := io.ReadAll(z.out)
		return string(b)
	})
}

// nothingLeft fails where an announced process or a holder of the token lives.
func (z *zoo) nothingLeft(ids []ID) {
	z.t.Helper()
	for _, id := range ids {
		if id.Alive() {
			z.t.Errorf("process %+v is still alive", id)
		}
	}
	left, err := holders(z.token, []ID{z.ID()})
	if err != nil || len(left) > 0 {
		z.t.Errorf("processes of this run are alive: %+v, error %v", left, err)
	}
}

// awaitDead waits for processes with closed files: the kernel ends the rest of them a moment
// later, and notifies only the parent.
func awaitDead(t testing.TB, ids []ID) {
	t.Helper()
	for limit := time.Now().Add(patience); len(ids) > 0; time.Sleep(time.Millisecond) {
		ids = slices.DeleteFunc(slices.Clone(ids), func(id ID) bool { return !id.Alive() })
		if time.Now().After(limit) {
			t.Fatalf("still alive: %+v", ids)
		}
	}
}

func await[T any](t testing.TB, what string, f func() T) T {
	t.Helper()
	c := make(chan T, 1)
	go func() { c <- f() }()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("waited %v in vain for %s", patience, what)
		panic("unreachable")
	}
}

func awaitClosed(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	await(t, what, func() struct{} { return <-c })
}
