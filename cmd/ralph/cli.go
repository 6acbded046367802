package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"ralph/internal/help"
	"ralph/internal/terminal"
)

// exitUsage is the exit status of a bad command line.
const exitUsage = 80

const description = `Runs an AI coding agent again and again, each time with a fresh context, until
every story of a plan is done.`

// grammar is every command; each has a file of its own.
type grammar struct {
	Color   string      `help:"Colour the output: auto, always or never." type:"choice" enum:"auto,always,never" default:"auto" placeholder:"WHEN"`
	Version versionFlag `help:"Print the version."`

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
	Allow    allowCmd    `cmd:"" help:"Accept a mark that ralph refused, or took over without a receipt."`
	Unpark   unparkCmd   `cmd:"" help:"Take up a parked story again."`
	Undo     undoCmd     `cmd:"" help:"Go back to the state before an iteration."`
	Validate validateCmd `cmd:"" help:"Check that a run can start (preflight)."`
	PRD      prdCmd      `cmd:"" name:"prd" help:"Make or refresh prd.json from spec.md."`
	Plan     planCmd     `cmd:"" help:"Plan a feature with the agent."`
	Import   importCmd   `cmd:"" help:"Import the plan or the settings of another loop tool."`
	Setup    setupCmd    `cmd:"" help:"Install slash commands and editor schemas in the project."`
	Archive  archiveCmd  `cmd:"" help:"Archive a finished feature, or restore one."`
	Doctor   doctorCmd   `cmd:"" help:"Find and repair what keeps loops from working."`
	Config   configCmd   `cmd:"" help:"Show the settings and the source of each value."`
	Context  contextCmd  `cmd:"" help:"Give a running loop more context, without a stop."`
	Set      setCmd      `cmd:"" help:"Change settings of a running loop."`
	Demo     demoCmd     `cmd:"" help:"Play a whole loop in a scratch repository, without an agent."`

	PR         prCmd         `cmd:"" name:"pr" help:"Write the pull request of a unit."`
	Compat     compatCmd     `cmd:"" help:"Run the command line of another loop tool."`
	Completion completionCmd `cmd:"" help:"Print a shell completion script (bash, zsh or fish)."`
	Help       helpCmd       `cmd:"" help:"Explain a command or a topic."`
}

func options() []kong.Option {
	return []kong.Option{
		kong.Name("ralph"),
		kong.Description(description),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(printHelp),
		kong.ValueFormatter(withAliases),
		kong.KindMapper(reflect.Int, wholeNumber(strconv.IntSize)),
		kong.KindMapper(reflect.Int64, wholeNumber(64)),
		kong.KindMapper(reflect.String, kong.MapperFunc(plainText)),
		kong.KindMapper(reflect.Float64, kong.MapperFunc(decimal)),
		kong.NamedMapper("choice", kong.MapperFunc(oneOf)),
		kong.PostBuild(func(k *kong.Kong) error {
			k.Model.HelpFlag.Help = "Show this help."
			return nil
		}),
	}
}

// versionFlag is --version, in place of a command.
type versionFlag bool

// BeforeReset implements a hook of kong.
func (versionFlag) BeforeReset() error {
	t := terminal.New("auto")
	t.Printf("ralph %s\n", version)
	return shownError{unwritten(t)}
}

// shownError ends the parser after --help or --version has printed its text.
type shownError struct {
	unwritten error // nil if standard output took the text
}

// Error implements error.
func (e shownError) Error() string { return fmt.Sprintf("shown (%v)", e.unwritten) }

// withAliases adds to the help of a flag its other names.
func withAliases(v *kong.Value) string {
	text := kong.DefaultHelpValueFormatter(v)
	if v.Flag != nil && len(v.Flag.Aliases) > 0 {
		text += " Also --" + strings.Join(v.Flag.Aliases, ", --") + "."
	}
	return text
}

// popValue reads the value of a flag or an argument; what says which kind it needs.
func popValue(ctx *kong.DecodeContext, what string, into *string) error {
	if ctx.Scan.Peek().IsEOL() {
		return errors.New("needs a value")
	}
	return ctx.Scan.PopValueInto(what, into)
}

// plainText reads a text.
func plainText(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	err := popValue(ctx, "string", &text)
	target.SetString(text)
	return err
}

// wholeNumber reads a number as people write it. The parser's own way takes 010 for
// eight, and refuses 08.
func wholeNumber(bits int) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := popValue(ctx, "number", &text); err != nil {
			return err
		}
		n, err := strconv.ParseInt(text, 10, bits)
		if errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("the number %s is too large", text)
		} else if err != nil {
			return fmt.Errorf("must be a whole number, not %q", text)
		}
		target.SetInt(n)
		return nil
	}
}

// decimal reads a number that may have a fraction. The parser's own way takes nan and inf.
func decimal(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := popValue(ctx, "number", &text); err != nil {
		return err
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return fmt.Errorf("must be a number, not %q", text)
	}
	target.SetFloat(n)
	return nil
}

// oneOf reads one of the words of a flag's or an argument's enum. The parser's own
// error lists the empty word, which means that the flag is left out.
func oneOf(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := popValue(ctx, "string", &text); err != nil {
		return err
	}
	known := slices.DeleteFunc(ctx.Value.EnumSlice(), func(word string) bool { return word == "" })
	if text != "" && !slices.Contains(known, text) { // empty is refused later, in other words
		last := len(known) - 1
		return fmt.Errorf("must be %s or %s, not %q", strings.Join(known[:last], ", "), known[last], text)
	}
	target.SetString(text)
	return nil
}

// badCommandLine shows what is wrong with a command line that was understood as
// far as kctx, which is nil where it was the parser that complained.
func badCommandLine(t *terminal.Terminal, kctx *kong.Context, err error) int {
	t.Fail(err)
	var parse *kong.ParseError
	if errors.As(err, &parse) {
		kctx = parse.Context
	}
	command := "ralph"
	switch {
	case kctx != nil && kctx.Selected() != nil:
		command += " " + help.Path(kctx.Selected())
		if others := help.Elsewhere(kctx); len(others) > 0 && len(others) < 4 {
			t.Hint("the flag is one of: " + strings.Join(others, ", "))
		}
		if words := slices.DeleteFunc(slices.Clone(kctx.Args), func(arg string) bool { return strings.HasPrefix(arg, "-") }); len(words) > 2 &&
			(command == "ralph start" || command == "ralph run") {
			t.Hint("the task is one argument: put it in quotation marks. The loop works in the worktree that you are in")
		}
	case kctx != nil && len(kctx.Args) > 0 && help.OtherWord(kctx.Args[0]) != "":
		t.Hint("did you mean: ralph " + help.OtherWord(kctx.Args[0]))
		return exitUsage
	}
	t.Hint("see: " + command + " --help")
	return exitUsage
}
