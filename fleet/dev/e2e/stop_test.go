package e2e

import (
	"net"
	"strings"
	"testing"
)

// A remote that takes the connection and never answers does not keep a feature from
// being stopped.
func TestStopWhileTheRemoteIsSilent(t *testing.T) {
	l := newLab(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	asked := make(chan net.Conn, 8)
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			asked <- conn
		}
	}()
	l.worker("a", "1")
	l.submit("git://"+silent.Addr().String()+"/shop.git", "feature/x", "--no-check", "--silence", "2m")
	conn := <-asked
	defer conn.Close()
	if out := l.fleet("stop", "feature/x", "--timeout", "40s"); !strings.Contains(out, "stopped by the user") {
		t.Errorf("stop says %s", out)
	}
}
