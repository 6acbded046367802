// Command ralph-fleet-dev is the server of "ralph-fleet dev". It is a program of its
// own because Temporal's server is twenty times as large as what a worker needs.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"ralph/fleet/dev/server"
)

type flags struct {
	Listen    string `help:"Where to listen." default:"127.0.0.1:7233"`
	Namespace string `help:"Namespace to make." default:"default"`
	DB        string `name:"db" help:"SQLite file; empty keeps everything in memory."`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("ralph-fleet-dev"), kong.Description("A Temporal server in one process, for trying things out."))
	if err := run(f); err != nil {
		fmt.Fprintln(os.Stderr, "ralph-fleet-dev:", err)
		os.Exit(1)
	}
}

func run(f flags) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	s, err := server.Start(server.Options{Listen: f.Listen, DB: f.DB, Namespace: f.Namespace, Level: "fatal"}) // errors go to the clients
	if err != nil {
		return err
	}
	kept := "nothing is kept when it ends"
	if f.DB != "" {
		kept = "kept in " + f.DB
	}
	fmt.Printf("a Temporal server listens on %s, namespace %s; %s\n", f.Listen, f.Namespace, kept)
	<-ctx.Done()
	return s.Stop()
}
