package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"ralph/fleet/internal/engine"
)

const (
	exitUsage       = 80
	exitInterrupted = 130
)

const exitCodes = `Exit codes:
  0    done as asked; submit --wait: all are done
  1    not
  80   bad command line
  130  Ctrl-C`

// grammar is every command; each has a file of its own.
type grammar struct {
	engine.Address
	Version kong.VersionFlag `help:"Print the version."`

	Submit submitCmd `cmd:"" help:"Have features worked on: branches of a repository, each with its plan."`
	List   listCmd   `cmd:"" help:"List the features and the accounts."`
	Status statusCmd `cmd:"" help:"Show the status of a feature."`
	Logs   logsCmd   `cmd:"" help:"Show what happened with a feature."`
	Pause  pauseCmd  `cmd:"" help:"Pause features after the current iteration."`
	Resume resumeCmd `cmd:"" help:"Resume features, including those that wait."`
	Stop   stopCmd   `cmd:"" help:"End features; what they are is on their branches."`
	Report reportCmd `cmd:"" help:"Write one page over all features."`
	Worker workerCmd `cmd:"" help:"Work on features on this host."`
	Dev    devCmd    `cmd:"" help:"Start a Temporal server for trying things out."`
	Demo   demoCmd   `cmd:"" help:"Watch six features on three workers, and one worker's death."`
}

func options() []kong.Option {
	return []kong.Option{
		kong.Name("ralph-fleet"),
		kong.Description("Has many hosts work on many features, each as 'ralph run' would."),
		kong.Vars{"version": "ralph-fleet " + version},
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ExplicitGroups([]kong.Group{
			{Key: "run", Title: "Flags of 'ralph run':"},
			{Key: "server", Title: "The Temporal server:"},
		}),
		kong.Help(func(o kong.HelpOptions, ctx *kong.Context) error {
			if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
				return err
			}
			_, err := fmt.Fprintf(ctx.Stdout, "\n%s\n", exitCodes)
			return err
		}),
	}
}
