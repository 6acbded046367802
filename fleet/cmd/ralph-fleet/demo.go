package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/hold"
	"ralph/fleet/internal/host"
)

// demoCmd is "ralph-fleet demo".
type demoCmd struct {
	Ralph string `help:"The ralph to run." default:"ralph" placeholder:"FILE"`
	Keep  bool   `help:"Keep the repositories and logs afterwards."`
}

const (
	demoFeatures = 6
	demoWorkers  = 3
	demoVictim   = "host-2"
)

// show is a demo running.
type show struct {
	*app
	dir    string
	ralph  string
	engine engine.Engine
	ends   []func() // what was started, in the order in which it is to end
	killed bool
}

// Run carries the command out.
func (c *demoCmd) Run(a *app) error {
	dir, err := os.MkdirTemp("", "ralph-fleet-demo-")
	if err != nil {
		return err
	}
	s := &show{app: a, dir: dir}
	defer func() {
		for _, end := range s.ends {
			end()
		}
		if c.Keep {
			a.printf("repositories and logs are in %s\n", dir)
		} else {
			os.RemoveAll(dir)
		}
	}()
	program, err := exec.LookPath(c.Ralph)
	if err == nil {
		s.ralph, err = filepath.Abs(program)
	}
	if err != nil {
		return fmt.Errorf("there is no ralph to run (%w); install it, or name it with --ralph", err)
	}
	remote, err := demoRemote(a.ctx, dir)
	if err != nil {
		return fmt.Errorf("the demo cannot be set up: %w", err)
	}
	if err := s.startServer(); err != nil {
		return err
	}
	for i := 1; i <= demoWorkers; i++ {
		if err := s.startWorker(fmt.Sprintf("host-%d", i)); err != nil {
			return err
		}
	}
	for i := 1; i <= demoFeatures; i++ {
		err := s.engine.Submit(a.ctx, feature.Submission{Repo: remote, Branch: demoBranch(i), Priority: 3, Silence: 4 * time.Second, Patience: time.Minute,
			Flags: feature.Flags{Harness: "replay", Pause: "1"}})
		if err != nil {
			return err
		}
	}
	return s.watch()
}

// start starts a part of the fleet that ends with the demo, however that ends.
func (s *show) start(name string, argv ...string) error {
	log, err := os.Create(filepath.Join(s.dir, name+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd, stop, err := hold.Start(argv, func(cmd *exec.Cmd) {
		cmd.Stdout, cmd.Stderr = log, log
		cmd.Env = append(os.Environ(), "RALPH_HOME="+filepath.Join(s.dir, "home"), "TEMPORAL_ADDRESS="+s.server.Address,
			"TEMPORAL_NAMESPACE="+s.server.Namespace)
	})
	if err != nil {
		return fmt.Errorf("%s cannot be started: %w", name, err)
	}
	end := func() { stop(); _ = cmd.Wait() }
	s.ends = append([]func(){end}, s.ends...) // the server, which is first, ends last
	return nil
}

func (s *show) startServer() error {
	program, err := findDevServer()
	if err != nil {
		return err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.server = engine.Address{Address: free.Addr().String(), Namespace: "default"}
	free.Close()
	if err := s.start("server", program, "--listen="+s.server.Address, "--namespace="+s.server.Namespace); err != nil {
		return err
	}
	for deadline := time.Now().Add(30 * time.Second); ; {
		var closeEngine func()
		if s.engine, closeEngine, err = s.connect(); err == nil {
			s.ends = append(s.ends, closeEngine)
			return nil
		}
		if time.Now().After(deadline) || s.ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (s *show) startWorker(name string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return s.start(name, exe, "worker", "--name="+name, "--slots=2", "--ralph="+s.ralph, "--workspace="+s.workspace(name))
}

func (s *show) workspace(name string) string { return filepath.Join(s.dir, "workspaces", name) }

// watch shows the table until all features are finished, and kills a worker that is
// in the middle of something.
func (s *show) watch() error {
	tty := isTerminal(s.out)
	began := time.Now()
	for {
		views, err := s.engine.List(s.ctx, false)
		if err != nil {
			return err
		}
		if tty {
			s.printf("\x1b[H\x1b[2J")
		}
		s.printf("%d features, %d workers; %s is killed on the way (%s)\n", len(views), demoWorkers, demoVictim, time.Since(began).Round(time.Second))
		if err := table(s.out, rows(views, time.Now())); err != nil {
			return err
		}
		if err := s.maybeKill(views); err != nil {
			return err
		}
		if s.killed {
			s.printf("%s was killed with kill -9; its features continue on other workers after %s of silence\n", demoVictim, 4*time.Second)
		}
		if finished(views) {
			return s.sum(views)
		}
		s.printf("\n")
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// maybeKill kills the victim once it is in a second iteration.
func (s *show) maybeKill(views []engine.View) error {
	if s.killed {
		return nil
	}
	for _, v := range views {
		if p := v.Progress(); v.State != "running" || p.Host != demoVictim || p.Iteration < 2 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.workspace(demoVictim), host.PIDFile))
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return err
		}
		s.killed = true
		return syscall.Kill(pid, syscall.SIGKILL)
	}
	return nil
}

func finished(views []engine.View) bool {
	for _, v := range views {
		if v.Open() {
			return false
		}
	}
	return len(views) == demoFeatures
}

// sum says how it ended.
func (s *show) sum(views []engine.View) error {
	done, calls := 0, 0
	for _, v := range views {
		calls += v.Progress().Spent.Calls
		if v.State == "done" {
			done++
		}
	}
	s.printf("\n%d of %d features are done, each exactly once, with %d calls on record\n", done, len(views), calls)
	if done < len(views) {
		return errors.New("not all features are done")
	}
	return nil
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// gitIn runs git in a folder of the demo.
func gitIn(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}
