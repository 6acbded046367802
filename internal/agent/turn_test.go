package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// TestMain lets the test binary be the guardian.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guardian" {
		if proc.Guard(nil) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const result = `{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1,"usage":{"input_tokens":3,"output_tokens":4}}`

// turnOf runs one turn of an agent that is a shell script.
func turnOf(t *testing.T, ctx context.Context, script string, change func(*Call)) (Outcome, string, error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	token := fmt.Sprintf("%s-%d", t.Name(), os.Getpid())
	g, err := proc.StartGuardian([]string{exe, "guardian"}, token)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if n, err := proc.EndByToken(token); n > 0 || err != nil {
			t.Errorf("%d processes were left behind, %v", n, err)
		}
	}()
	h := Custom("sh")
	h.Command, h.Output = []string{"/bin/sh", "-c", script}, stream.FormatClaude
	dir := t.TempDir()
	c := Call{Harness: h, Prompt: []byte("the prompt\n"), Dir: dir, Env: os.Environ(), Log: filepath.Join(dir, "iteration-1.log")}
	if change != nil {
		change(&c)
	}
	o, err := Run(ctx, g, c)
	if err != nil {
		return o, "", err
	}
	log, err := os.ReadFile(c.Log)
	if err != nil && o.LogLost == nil {
		t.Fatal(err)
	}
	return o, string(log), nil
}

func TestTurnFeedsThePromptAndKeepsEveryByte(t *testing.T) {
	var texts []string
	o, log, err := turnOf(t, t.Context(), `cat; printf 'a\000b\377\n' >&2; echo '`+result+`'`, func(c *Call) {
		c.Event = func(e stream.Event) { texts = append(texts, fmt.Sprint(e.Kind)) }
	})
	if err != nil || o.Kind != journal.OutcomeOK || o.Final != "done" {
		t.Fatalf("%+v, %v", o, err)
	}
	for _, want := range []string{"the prompt\n", "a\x00b\xff\n", result + "\n"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	if o.Summary.Tokens.Total() != 7 || len(texts) == 0 {
		t.Errorf("tokens %d, events %v", o.Summary.Tokens.Total(), texts)
	}
}

func TestTurnWithAnAgentThatReadsNothing(t *testing.T) {
	o, _, err := turnOf(t, t.Context(), `echo '`+result+`'`, func(c *Call) { c.Prompt = make([]byte, 1<<20) })
	if err != nil || o.Kind != journal.OutcomeOK {
		t.Fatalf("%+v, %v", o, err)
	}
}

func TestTurnTimeLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		script string
		limits Limits
		want   journal.Outcome
	}{
		{"timeout", `exec sleep 600`, Limits{Timeout: 200 * time.Millisecond}, journal.OutcomeTimeout},
		{"timeout, deaf agent", `trap '' INT TERM HUP; sleep 600 & wait; sleep 600`, Limits{Timeout: 200 * time.Millisecond}, journal.OutcomeTimeout},
		{"idle", `echo '{"type":"system"}'; exec sleep 600`, Limits{Timeout: time.Hour, Idle: time.Second}, journal.OutcomeIdle},
		{"result before the timeout", `echo '` + result + `'; exec sleep 600`, Limits{Timeout: 4 * time.Second}, journal.OutcomeOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, _, err := turnOf(t, t.Context(), c.script, func(call *Call) { call.Limits = c.limits })
			if err != nil || o.Kind != c.want {
				t.Fatalf("%s (%s), %v", o.Kind, o.Message, err)
			}
		})
	}
}

func TestTurnEndsWhatTheAgentLeftBehind(t *testing.T) {
	o, _, err := turnOf(t, t.Context(), `sleep 600 & setsid sleep 600 & echo '`+result+`'`, nil)
	if err != nil || o.Kind != journal.OutcomeOK {
		t.Fatalf("%+v, %v", o, err)
	}
	if o.Strays == 0 {
		t.Error("no stray was counted")
	}
}

func TestTurnIsCancelled(t *testing.T) {
	asked := errors.New("asked")
	ctx, cancel := context.WithCancelCause(t.Context())
	o, _, err := turnOf(t, ctx, `echo '{"type":"system"}'; exec sleep 600`, func(c *Call) {
		c.Started = func(proc.ID) { cancel(asked) }
	})
	if err != nil || o.Kind != journal.OutcomeInterrupted {
		t.Fatalf("%+v, %v", o, err)
	}
}

func TestTurnWithoutAnAgent(t *testing.T) {
	for _, c := range []struct{ command, says string }{
		{"no-such-agent", "was not found in PATH"},
		{"/etc/passwd", "may not be executed"},
	} {
		_, _, err := turnOf(t, t.Context(), "", func(call *Call) { call.Harness.Command = []string{c.command} })
		var missing *MissingError
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.command, err)
		}
	}
}

// TestTurnThatRemovesItsLog: what an agent cleans away is the evidence of what it did.
func TestTurnThatRemovesItsLog(t *testing.T) {
	for what, remove := range map[string]string{
		"removed":           `rm -r logs`,
		"another file":      `rm -r logs; mkdir logs; echo nothing to see >logs/iteration-1.log`,
		"hidden by a link":  `rm logs/iteration-1.log; ln -s /etc/passwd logs/iteration-1.log`,
		"moved out of here": `mv logs "$RALPH_TEST_ELSEWHERE"`,
	} {
		t.Run(what, func(t *testing.T) {
			elsewhere := filepath.Join(t.TempDir(), "logs")
			o, log, err := turnOf(t, t.Context(), "echo before; "+remove+"; echo '"+result+"'", func(c *Call) {
				c.Log = filepath.Join(c.Dir, "logs", "iteration-1.log")
				c.Env = append(c.Env, "RALPH_TEST_ELSEWHERE="+elsewhere)
				if err := os.Mkdir(filepath.Dir(c.Log), 0o755); err != nil {
					t.Fatal(err)
				}
			})
			if err != nil || o.LogLost != nil || log != "before\n"+result+"\n" {
				t.Errorf("%v, %v, the log is %q", err, o.LogLost, log)
			}
		})
	}
}

// TestTurnWhoseLogCannotBePutBack: nothing is written where a link of the agent's leads.
func TestTurnWhoseLogCannotBePutBack(t *testing.T) {
	elsewhere := t.TempDir()
	o, _, err := turnOf(t, t.Context(), `rm -r logs; ln -s "$RALPH_TEST_ELSEWHERE" logs; echo '`+result+`'`, func(c *Call) {
		c.Log = filepath.Join(c.Dir, "logs", "iteration-1.log")
		c.Env = append(c.Env, "RALPH_TEST_ELSEWHERE="+elsewhere)
		if err := os.Mkdir(filepath.Dir(c.Log), 0o755); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil || o.Kind != journal.OutcomeOK || o.LogLost == nil || !strings.Contains(o.LogLost.Error(), "has removed its log") {
		t.Errorf("%v: %s, %v", err, o.Kind, o.LogLost)
	}
	if files, err := os.ReadDir(elsewhere); len(files) > 0 || err != nil {
		t.Errorf("outside of the worktree are %v, %v", files, err)
	}
}

func TestTurnWhoseLogCannotBeWritten(t *testing.T) {
	started := false
	_, _, err := turnOf(t, t.Context(), "echo x", func(c *Call) {
		c.Log = filepath.Join(c.Dir, "no-such-folder", "x.log")
		c.Started = func(proc.ID) { started = true }
	})
	if err == nil || !strings.Contains(err.Error(), "log cannot be written") || started {
		t.Errorf("started %v: %v", started, err)
	}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		_ = full.Close()
		_, _, err = turnOf(t, t.Context(), "echo x; exec sleep 600", func(c *Call) { c.Log = "/dev/full" })
		if err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("full disk: %v", err)
		}
	}
}
