package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

// lab is the fleet that is measured.
type lab struct {
	dir, bin, address string
	env               []string
	server            *exec.Cmd
	workers           []*exec.Cmd
	client            client.Client
}

// endLimit is how long a part may take to end.
const endLimit = 4 * time.Minute

// start starts a server on a new database, and the workers.
func start(ctx context.Context, s settings, bin, dir string) (l *lab, err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l = &lab{dir: dir, bin: bin, address: free.Addr().String()}
	free.Close()
	config := filepath.Join(dir, "gitconfig")
	if err := os.WriteFile(config, []byte("[user]\n\tname = Ada\n\temail = ada@example.com\n"), 0o600); err != nil {
		return nil, err
	}
	l.env = append(os.Environ(), "TEMPORAL_ADDRESS="+l.address, "RALPH_HOME="+filepath.Join(dir, "home"), "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_NOSYSTEM=1")
	defer func() {
		if err != nil {
			l.end()
		}
	}()
	if l.server, err = l.spawn("server", "ralph-fleet-dev", "--listen="+l.address, "--db="+l.database()); err != nil {
		return nil, err
	}
	if err := l.connect(ctx); err != nil {
		return nil, err
	}
	for i := range s.workers {
		name := fmt.Sprintf("host-%d", i+1)
		w, err := l.spawn(name, "ralph-fleet", "worker", "--name="+name, fmt.Sprintf("--slots=%d", s.slots),
			"--ralph="+filepath.Join(bin, "ralph"), "--workspace="+filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		l.workers = append(l.workers, w)
	}
	return l, nil
}

func (l *lab) database() string { return filepath.Join(l.dir, "temporal.db") }

// spawn starts a part that ends with the lab. What it says is in a file next to it.
func (l *lab) spawn(name, program string, args ...string) (*exec.Cmd, error) {
	out, err := os.Create(filepath.Join(l.dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(filepath.Join(l.bin, program), args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = l.env, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the bench, which ends them in order
	return cmd, cmd.Start()
}

// connect waits until the server answers.
func (l *lab) connect(ctx context.Context) (err error) {
	o := client.Options{HostPort: l.address, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if l.client, err = client.DialContext(ctx, o); err == nil {
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("the server does not answer: %w", err)
		}
	}
}

// end ends the workers, and then the server.
func (l *lab) end() {
	if l.client != nil {
		l.client.Close()
	}
	for _, cmd := range l.workers {
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, cmd := range append(slices.Clone(l.workers), l.server) {
		if cmd == nil || cmd.Process == nil {
			continue
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		kill := time.AfterFunc(endLimit, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
	}
}
