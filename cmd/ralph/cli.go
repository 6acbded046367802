package main

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"ralph/internal/help"
)

// exitUsage is the exit status of a bad command line.
const exitUsage = 80

const description = `Runs an AI coding agent again and again, each time with a fresh context, until
every story of a plan is done.`

// grammar is every command; each has a file of its own.
type grammar struct {
	Color   string           `help:"Colour the output: auto, always or never." enum:"auto,always,never" default:"auto" placeholder:"WHEN"`
	Version kong.VersionFlag `help:"Print the version."`

	Run      runCmd      `cmd:"" aliases:"loop" help:"Run the loop in this terminal."`
	Start    startCmd    `cmd:"" help:"Run the loop in the background."`
	Stop     stopCmd     `cmd:"" help:"End a loop and everything it started."`
	Pause    pauseCmd    `cmd:"" help:"Pause a loop after the current iteration."`
	Resume   resumeCmd   `cmd:"" help:"Resume a paused loop."`
	Status   statusCmd   `cmd:"" help:"Show the status of a loop."`
	History  historyCmd  `cmd:"" help:"List the iterations of a unit."`
	Logs     logsCmd     `cmd:"" help:"Show what the agent did in an iteration."`
	Limits   limitsCmd   `cmd:"" help:"Show how much of each agent's limits is used."`
	Why      whyCmd      `cmd:"" help:"Show the evidence for each decision of a run."`
	Report   reportCmd   `cmd:"" help:"Show the results of a run, or write them to a page."`
	Monitor  monitorCmd  `cmd:"" help:"Show the dashboard of a loop in this terminal."`
	List     listCmd     `cmd:"" help:"List all loops of this user."`
	Verify   verifyCmd   `cmd:"" help:"Check finished stories again, for example in CI."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Serve loops to agents and editors (Model Context Protocol)."`
	Validate validateCmd `cmd:"" help:"Check that a run can start (preflight)."`
	PRD      prdCmd      `cmd:"" name:"prd" help:"Make or refresh prd.json from spec.md."`
	Plan     planCmd     `cmd:"" help:"Plan a feature with the agent."`
	Setup    setupCmd    `cmd:"" help:"Install slash commands and editor schemas in the project."`
	Archive  archiveCmd  `cmd:"" help:"Archive a finished feature, or restore one."`
	Doctor   doctorCmd   `cmd:"" help:"Find and repair what keeps loops from working."`
	Config   configCmd   `cmd:"" help:"Show the settings and the source of each value."`
	Context  contextCmd  `cmd:"" help:"Give a running loop more context, without a stop."`
	Demo     demoCmd     `cmd:"" help:"Play a whole loop in a scratch repository, without an agent."`

	PR         prCmd         `cmd:"" name:"pr" help:"Write the pull request of a unit."`
	Completion completionCmd `cmd:"" help:"Print a shell completion script (bash, zsh or fish)."`
	Help       helpCmd       `cmd:"" help:"Explain a command or a topic."`
}

func options() []kong.Option {
	return []kong.Option{
		kong.Name("ralph"),
		kong.Description(description),
		kong.Vars{"version": "ralph " + version},
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(printHelp),
		kong.KindMapper(reflect.Int, wholeNumber(strconv.IntSize)),
		kong.KindMapper(reflect.Int64, wholeNumber(64)),
		kong.PostBuild(func(k *kong.Kong) error {
			k.Model.HelpFlag.Help = "Show this help."
			return nil
		}),
	}
}

// wholeNumber reads a number as people write it. The parser's own way takes 010 for
// eight, and 08 for none.
func wholeNumber(bits int) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("int", &text); err != nil {
			return err
		}
		n, err := strconv.ParseInt(text, 10, bits)
		if err != nil {
			return fmt.Errorf("expected a valid %d bit int but got %q", bits, text)
		}
		target.SetInt(n)
		return nil
	}
}

// badCommandLine tells what is wrong with a command line that was understood as
// far as kctx, which is nil where it was the parser that complained.
func badCommandLine(t *terminal, kctx *kong.Context, err error) int {
	t.fail(help.Suggest(err))
	command := "ralph"
	var parse *kong.ParseError
	if errors.As(err, &parse) {
		kctx = parse.Context
	}
	if kctx != nil && kctx.Command() != "" {
		command, _, _ = strings.Cut(kctx.Command(), " <")
		command = "ralph " + command
	}
	t.hint("see: " + command + " --help")
	return exitUsage
}
