package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// devServer is the program that holds the server: it is large, and no worker needs it.
const devServer = "ralph-fleet-dev"

// devCmd is "ralph-fleet dev".
type devCmd struct {
	Listen string `help:"Where to listen." default:"127.0.0.1:7233" placeholder:"HOST:PORT"`
	DB     string `name:"db" help:"SQLite file in which everything is kept (default: nothing is kept)." placeholder:"FILE"`
}

// Run carries the command out.
func (c *devCmd) Run(a *app) error {
	program, err := findDevServer()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, "--listen="+c.Listen, "--namespace="+a.server.Namespace, "--db="+c.DB)
	cmd.Stdout, cmd.Stderr = a.out, a.err
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(a.ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })
	defer stop()
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) && a.ctx.Err() == nil {
		return exitError(exit.ExitCode())
	}
	return nil
}

// findDevServer looks next to this program, and then in PATH.
func findDevServer() (string, error) {
	if exe, err := os.Executable(); err == nil {
		server := filepath.Join(filepath.Dir(exe), devServer)
		if _, err := os.Stat(server); err == nil {
			return server, nil
		}
	}
	program, err := exec.LookPath(devServer)
	if err != nil {
		return "", fmt.Errorf("the development server is a program of its own, %s, and is not here; build it with 'make fleet-dev', which takes some minutes", devServer)
	}
	return program, nil
}
