package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// maxAnswer bounds a command's output in a tool answer, in bytes, as Claude
// Code bounds it.
const maxAnswer = 30000

// strayDelay is how long a command's output is waited for after the command
// itself has ended: a process that it started may hold it open for ever.
const strayDelay = time.Second

// run runs a command as an agent's shell tool does: in a session of its own, so
// that a signal to the agent's group misses it.
func (p *player) run(ctx context.Context, command argv, failOK bool) error {
	id := p.out.tool("Bash", map[string]any{"command": command.String()})
	var output bytes.Buffer
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = p.env.dir, p.env.vars
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = strayDelay
	if err := cmd.Start(); err != nil {
		p.out.answer(id, err.Error(), true)
		return unless(failOK, err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		p.out.answer(id, answerText(output.Bytes(), err), err != nil)
		if err != nil {
			return unless(failOK, fmt.Errorf("%s: %w: %s", command, err, lastLine(output.Bytes())))
		}
		return nil
	case <-ctx.Done():
		// Claude Code ends its tool on INT, and leaves it running on TERM and HUP.
		p.end.inTool = true
		if cause(ctx) == syscall.SIGINT {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-done
		}
		return ctx.Err()
	}
}

func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}

func answerText(output []byte, err error) string {
	text := bytes.ToValidUTF8(bytes.TrimRight(output, "\n"), []byte("�"))
	if len(text) > maxAnswer {
		text = bytes.ToValidUTF8(text[len(text)-maxAnswer:], nil)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Sprintf("Exit code %d\n%s", exit.ExitCode(), text)
	}
	return string(text)
}

func lastLine(output []byte) []byte {
	output = bytes.TrimSpace(output)
	return output[bytes.LastIndexByte(output, '\n')+1:]
}

// commit commits everything there is.
func (p *player) commit(ctx context.Context, message string) error {
	if err := p.run(ctx, argv{"git", "add", "-A"}, false); err != nil {
		return err
	}
	command := argv{"git"}
	if p.env.git("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT") == "" { // a fresh machine has no user
		command = append(command, "-c", "user.name=Replay", "-c", "user.email=replay@localhost")
	}
	return p.run(ctx, append(command, "commit", "-m", message), false)
}

// spawn is a command that is started and left running.
type spawn struct {
	Argv       argv `yaml:"argv"`
	Setsid     bool `yaml:"setsid"`      // in a session of its own
	HoldStdout bool `yaml:"hold_stdout"` // it keeps the agent's standard output open
	DoubleFork bool `yaml:"double_fork"` // it is no one's child when the step is over
}

func (p *player) spawn(s spawn) error {
	command := s.Argv
	if s.DoubleFork {
		// The shell starts the command as a background job and exits.
		command = append(argv{"/bin/sh", "-c", `"$@" &`, "sh"}, command...)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = p.env.dir, p.env.vars
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: s.Setsid}
	// Anything but a file would be copied by a goroutine that dies with us.
	if file, ok := p.out.w.(*os.File); ok && s.HoldStdout {
		cmd.Stdout = file
	}
	id := p.out.tool("Bash", map[string]any{"command": s.Argv.String() + " &"})
	if err := cmd.Start(); err != nil {
		return err
	}
	if s.DoubleFork {
		if err := cmd.Wait(); err != nil {
			return err
		}
	} else {
		go func() { _ = cmd.Wait() }() // a zombie would look alive
	}
	p.out.answer(id, "", false)
	return nil
}
