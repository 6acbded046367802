package main

import (
	"errors"
	"fmt"
	"os"

	"ralph/internal/handover"
	"ralph/internal/hint"
	"ralph/internal/terminal"
	"ralph/internal/tmux"
)

// takeOver is the main function of a ralph that tmux or a terminal started for
// another one: args is the file with what there is to do.
func takeOver(args []string) int {
	if len(args) != 1 {
		return exitUsage
	}
	parcel, line, err := handover.Take(args[0])
	if err != nil {
		fmt.Fprintf(os.Stderr, "ralph: %v\n", err)
		return 1
	}
	defer line.Close()
	code := 1
	if err = parcel.Apply(); err != nil {
		fmt.Fprintf(os.Stderr, "ralph: %v\n", err)
	} else {
		code, err = command(parcel.Args, true)
	}
	line.Result(reportOf(code, err))
	if parcel.Hold {
		terminal.WaitForKey(fmt.Sprintf("Press any key to close (exit status %d).", code))
		tmux.CloseOwn(os.Environ())
	}
	return code
}

// reportOf returns the report about the end of a command for the process that handed it
// over. An error with only a status was explained before, or in the journal.
func reportOf(code int, err error) handover.CommandResult {
	r := handover.CommandResult{Exit: code}
	var exit exitError
	var hinted *hint.Error
	if err == nil || errors.As(err, &exit) {
		return r
	}
	r.Message = err.Error()
	if errors.As(err, &hinted) {
		r.Hint = hinted.Hint
	}
	return r
}
