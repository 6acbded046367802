package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// network gives the next workers a network of their own, with one cable to ours. It
// returns our end's address, and what pulls the cable or puts it back.
func (l *lab) network() (ours string, pull func(pulled bool)) {
	l.t.Helper()
	name := fmt.Sprint("ralph", os.Getpid())
	ours, theirs := fmt.Sprintf("10.111.%d.1", os.Getpid()%256), fmt.Sprintf("10.111.%d.2", os.Getpid()%256)
	run := func(command string) error {
		argv := strings.Fields(command)
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, out)
		}
		return nil
	}
	if err := run("ip netns add " + name); err != nil {
		l.t.Skipf("no network namespaces here: %v", err)
	}
	l.t.Cleanup(func() { _ = run("ip netns del " + name) })
	for _, command := range []string{
		"ip link add " + name + " type veth peer name inside netns " + name,
		"ip addr add " + ours + "/30 dev " + name,
		"ip link set " + name + " up",
		"ip -n " + name + " addr add " + theirs + "/30 dev inside",
		"ip -n " + name + " link set inside up",
		"ip -n " + name + " link set lo up",
	} {
		if err := run(command); err != nil {
			l.t.Skipf("no network of a host's own here: %v", err)
		}
	}
	l.alone = append([]string{"ip", "netns", "exec", name}, l.alone...)
	return ours, func(pulled bool) {
		way := "up"
		if pulled {
			way = "down"
		}
		if err := run("ip link set " + name + " " + way); err != nil {
			l.t.Error(err)
		}
	}
}
