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
	Pause    pauseCmd    `cmd:"" help:"Hold a loop after the iteration at work."`
	Resume   resumeCmd   `cmd:"" help:"Let a paused loop go on."`
	Status   statusCmd   `cmd:"" help:"Tell how far a loop is."`
	History  historyCmd  `cmd:"" help:"List the iterations of a unit."`
	Logs     logsCmd     `cmd:"" help:"Show what the agent did in an iteration."`
	Limits   limitsCmd   `cmd:"" help:"Tell how far each agent's limits are used up."`
	Why      whyCmd      `cmd:"" help:"Tell the evidence for each decision of a run."`
	Report   reportCmd   `cmd:"" help:"Show what a run came to, also as a page to send."`
	Monitor  monitorCmd  `cmd:"" help:"Watch a loop: a dashboard in this terminal."`
	List     listCmd     `cmd:"" help:"List all loops of this user."`
	Verify   verifyCmd   `cmd:"" help:"Prove finished stories again, also in CI."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Serve loops to other agents and editors (Model Context Protocol)."`
	Validate validateCmd `cmd:"" help:"Check everything that must hold before a run."`
	PRD      prdCmd      `cmd:"" name:"prd" help:"Make or refresh prd.json from spec.md."`
	Plan     planCmd     `cmd:"" help:"Plan a feature together with the agent."`
	Setup    setupCmd    `cmd:"" help:"Install slash commands and schemas for editors into the project."`
	Archive  archiveCmd  `cmd:"" help:"Put a finished feature away, or bring one back."`
	Doctor   doctorCmd   `cmd:"" help:"Find and mend what keeps loops from working."`
	Config   configCmd   `cmd:"" help:"Show the settings and where each came from."`
	Context  contextCmd  `cmd:"" help:"Steer a running loop without stopping it."`
	Demo     demoCmd     `cmd:"" help:"Watch a whole loop on a scratch repository, without any agent."`

	PR         prCmd         `cmd:"" name:"pr" help:"Write the pull request of a unit from its record."`
	Completion completionCmd `cmd:"" help:"Print what makes bash, zsh or fish complete ralph's words."`
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
