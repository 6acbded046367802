package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"ralph/internal/check"
	"ralph/internal/journal"
	"ralph/internal/notify"
	"ralph/internal/proc"
	"ralph/internal/run"
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// guardian is the main function of the guardian process. args are the worktree, the
// unit and its folder: when ralph has died it records the crash, as the next command would. Or
// they are the worktree and the folder of a clean one, with a mark between, which it
// removes then.
func guardian(args []string) int {
	err := proc.Guard(func() {
		switch {
		case len(args) == 3 && args[1] == sweepWord:
			_ = check.RemoveFolder(args[2]) // there is no one left to report an error to
		case len(args) == 3:
			recordCrash(args[0], args[1], args[2], time.Now())
		}
	})
	if err != nil {
		return 1
	}
	return 0
}

// startGuardian starts this program as a guardian. Without arguments it records nothing when
// ralph dies.
func startGuardian(token string, args ...string) (*proc.Guardian, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("ralph cannot find its own program: %w", err)
	}
	return proc.StartGuardian(append([]string{exe, guardianWord}, args...), token)
}

// sweepWord precedes a folder that a guardian removes after ralph has died.
const sweepWord = "--sweep"

// recordCrash records that ralph has died, on behalf of the guardian. It ignores errors:
// the next run does what it cannot do.
func recordCrash(root, name, folder string, died time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := os.Chdir(root); err != nil {
		return
	}
	p, err := unit.Worktree(ctx)
	if err != nil {
		return
	}
	p.SwitchTo(name, folder)
	end, status, err := unit.RecordDeath(ctx, screen.Notes(terminal.New("never")), p, died)
	if end != nil && err == nil {
		tellOfCrash(ctx, p, status)
	}
}

// tellOfCrash notifies as the run itself would have.
func tellOfCrash(ctx context.Context, p *unit.Place, status run.Status) {
	loaded, err := loadSettings(&app{ctx: ctx, t: terminal.New("never"), home: ralphHome()}, p.Repo.Root, nil)
	if err != nil {
		return
	}
	sender := newSender(&loaded.Settings, p.Repo.Root, func(string) {})
	defer sender.Close(ctx)
	ended := journal.RunEnded{Status: status.Status, Reason: status.Reason}
	if n, worth := notify.Of(journal.Event{Time: status.LastUpdated.Time, Run: status.Run, Body: ended}, status); worth {
		sender.Send(n)
	}
}
