package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"gopkg.in/yaml.v3"

	"ralph/internal/proc"
	"ralph/internal/testprogram"
)

// quietly says nothing of a call.
func quietly(string, time.Duration) func() { return func() {} }

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

// solve is the part of a shell script that answers the riddle of a prompt in $p.
const solve = `
answer() { printf '%s\n' "$1" | sed -n 's/^Join the words \([a-z0-9]*\) and \([a-z0-9]*\) with.*/\1-\2/p'; }
`

// perfect is a command that does everything that a trial asks for.
const perfect = solve + `
p=$(cat)
case $RALPH_CONFORMANCE in
failure) echo "there is no task" >&2; exit 3 ;;
huge_line) head -c 1000000 /dev/zero | tr '\0' x; echo; exit 0 ;;
interrupt|terminate) sleep 600; exit 0 ;;
children) sleep 600 >/dev/null 2>&1 & echo done; exit 0 ;;
limit) echo "usage limit reached, resets at 3pm" >&2; exit 1 ;;
esac
answer "$p"
`

// talking prints what Claude Code prints.
const talking = solve + `
p=$(cat)
[ -n "$p" ] || exit 1
printf '{"type":"system","subtype":"init","session_id":"s1","model":"m1"}\n'
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4}}\n' "$(answer "$p")"
`

// try makes all trials of a command that is a shell script.
func try(t *testing.T, script string, limit time.Duration) Card {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "My Agent.sh")
	testprogram.Write(t, path, "#!/bin/sh\n"+script)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	token := fmt.Sprintf("%s-%d", t.Name(), os.Getpid())
	g, err := proc.StartGuardian([]string{exe, "guardian"}, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if n, err := proc.EndByToken(token); n > 0 || err != nil {
			t.Errorf("%d processes were left behind, %v", n, err)
		}
	})
	var done []string
	calls, open := 0, 0
	calling := func(about string, most time.Duration) func() {
		if calls++; open != 0 || about == "" || most > limit {
			t.Errorf("%d calls are open, and it is %q for %s", open, about, most)
		}
		open++
		return func() { open-- }
	}
	card, err := Run(t.Context(), Input{Command: []string{path, "--quiet"}, Env: os.Environ(), Guardian: g, Token: token, Limit: limit,
		Calling: calling, Done: func(t Trial) { done = append(done, t.ID) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(done) != len(card.Trials) {
		t.Errorf("%d trials, and %d were reported", len(card.Trials), len(done))
	}
	if calls != card.Calls || open != 0 {
		t.Errorf("%d of %d calls were reported, %d have no end", calls, card.Calls, open)
	}
	return card
}

// results are the card's trials in short.
func results(c Card) map[string]TrialResult {
	m := map[string]TrialResult{}
	for _, t := range c.Trials {
		m[t.ID] = t.Result
	}
	return m
}

func (c Card) trial(id string) Trial {
	for _, t := range c.Trials {
		if t.ID == id {
			return t
		}
	}
	return Trial{}
}

const long = 5 * time.Minute // nothing but a fault reaches it

func TestACommandThatCanDoEverything(t *testing.T) {
	t.Parallel()
	card := try(t, perfect, long)
	want := map[string]TrialResult{"prompt": Yes, "output": Yes, "exit_success": Yes, "failure": Yes, "huge_prompt": Yes, "huge_line": Yes,
		"interrupt": Yes, "terminate": Yes, "children": Yes, "limit": Yes, "verdict": Yes}
	if diff := cmp.Diff(want, results(card)); diff != "" {
		t.Error(diff)
	}
	if !card.OK || card.Prompt != "stdin" || card.Output != "text" || card.Calls != 9 {
		t.Errorf("%+v", card)
	}
	for id, words := range map[string]string{"failure": "exit status 3 (there is no task)", "terminate": "after TERM, with signal: terminated", "children": "leaves background processes running", "limit": "resets at 15:00"} {
		if m := card.trial(id).Message; !strings.Contains(m, words) {
			t.Errorf("%s: %q lacks %q", id, m, words)
		}
	}
	var settings struct {
		Harnesses map[string]struct {
			Command        []string
			Prompt, Output string
		}
	}
	if err := yaml.Unmarshal([]byte(card.Snippet), &settings); err != nil {
		t.Fatal(err)
	}
	if h, ok := settings.Harnesses["my-agent"]; !ok || !cmp.Equal(h.Command, card.Command) || h.Prompt != "stdin" || h.Output != "text" {
		t.Errorf("the snippet is\n%s", card.Snippet)
	}
}

// TestACommandThatKnowsNothingOfTrials: most commands do not know the trials. What they do not do
// is not a fault.
func TestACommandThatKnowsNothingOfTrials(t *testing.T) {
	t.Parallel()
	card := try(t, talking, long)
	want := map[string]TrialResult{"prompt": Yes, "output": Yes, "exit_success": Yes, "failure": Yes, "huge_prompt": Yes, "huge_line": NotSeen,
		"interrupt": NotSeen, "terminate": NotSeen, "children": NotSeen, "limit": NotSeen, "verdict": Yes}
	if diff := cmp.Diff(want, results(card)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"session", "model", "tokens", "cost"}, card.Tells); diff != "" || card.Output != "claude" || !card.OK {
		t.Errorf("%s%+v", diff, card)
	}
	for _, trial := range card.Trials {
		if trial.Result == NotSeen && !strings.Contains(trial.Hint, Variable) {
			t.Errorf("%s does not say how to show it: %q", trial.ID, trial.Hint)
		}
	}
}

// TestTheDocumentKnowsEveryTrial holds the page for authors of agents to the card.
func TestTheDocumentKnowsEveryTrial(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/custom-agents.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows, trials []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, m[1])
	}
	for _, trial := range try(t, perfect, long).Trials {
		trials = append(trials, trial.ID)
	}
	if diff := cmp.Diff(trials, rows); diff != "" {
		t.Error(diff)
	}
}

func TestWaysToTakeThePrompt(t *testing.T) {
	for _, c := range []struct {
		name, script, prompt string
		huge                 TrialResult
	}{
		{"argument", solve + `[ -n "$2" ] || exit 1; answer "$2"`, "arg", No},
		{"file", solve + `[ -s "$2" ] || exit 1; answer "$(cat "$2")"`, "file", Yes},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			card := try(t, c.script, long)
			if card.Prompt != c.prompt || !card.OK || card.trial("huge_prompt").Result != c.huge {
				t.Errorf("%+v", card)
			}
		})
	}
}

func TestWhatACommandCannotDo(t *testing.T) {
	for _, c := range []struct {
		name, script string
		limit        time.Duration
		trial, words string
	}{
		{"an echo is no answer", `cat`, long, "prompt", "did not answer"},
		{"it hangs", `sleep 600`, 1500 * time.Millisecond, "prompt", "stdin: no end within 5"},
		{"it reads the first lines only", solve + `IFS= read -r p; [ -n "$p" ] || exit 1; answer "$p"`, long, "huge_prompt", "a prompt of 2 MB: exit status 0 without the answer"},
		{"it fails in spite of its answer", solve + `answer "$(cat)"; exit 4`, long, "exit_success", "ends with exit status 4"},
		{"it fails in spite of its answer", solve + `answer "$(cat)"; exit 4`, long, "verdict", `ends as "error"`},
		{"its limit has words of its own", solve + `[ "$RALPH_CONFORMANCE" = limit ] && { echo "come back tomorrow" >&2; exit 1; }; answer "$(cat)"`, long, "limit", `"come back tomorrow", which ralph does not recognise as a usage limit`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			card := try(t, c.script, c.limit)
			got := card.trial(c.trial)
			if got.Result != No || !strings.Contains(got.Message, c.words) || got.Hint == "" {
				t.Errorf("%+v", card.Trials)
			}
			if card.OK != (card.trial("verdict").Result == Yes) || card.OK != (card.Snippet != "") {
				t.Errorf("%+v", card)
			}
		})
	}
}

// TestAStandIn: a command without a model to ask shows what else it can do, and is not
// taken for an agent.
func TestAStandIn(t *testing.T) {
	t.Parallel()
	card := try(t, `cat >/dev/null; [ "$RALPH_CONFORMANCE" = failure ] && exit 3; echo fine`, long)
	want := map[string]TrialResult{"prompt": No, "failure": Yes, "huge_prompt": Yes, "huge_line": NotSeen,
		"interrupt": NotSeen, "terminate": NotSeen, "children": NotSeen, "limit": NotSeen}
	if diff := cmp.Diff(want, results(card)); diff != "" || card.OK || card.Prompt != "" || card.Snippet != "" {
		t.Errorf("%s%+v", diff, card)
	}
}

func TestADeafCommandIsEnded(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until a deaf command is killed, twice")
	}
	t.Parallel()
	card := try(t, solve+`
p=$(cat)
case $RALPH_CONFORMANCE in interrupt|terminate) trap '' INT TERM; sleep 600; exit 0 ;; esac
answer "$p"`, long)
	for _, id := range []string{"interrupt", "terminate"} {
		if got := card.trial(id); got.Result != No || !strings.Contains(got.Message, "ralph kills it") {
			t.Errorf("%+v", got)
		}
	}
	if !card.OK {
		t.Errorf("%+v", card)
	}
}

func TestTheTestCanBeInterrupted(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g, err := proc.StartGuardian([]string{exe, "guardian"}, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	fifo := filepath.Join(t.TempDir(), "at-work")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	go func() {
		_, _ = os.ReadFile(fifo) // returns when the command has written
		cancel(enough)
	}()
	_, err = Run(ctx, Input{Command: []string{"/bin/sh", "-c", `echo x >"$0"; sleep 600`, fifo}, Env: os.Environ(), Guardian: g, Token: t.Name(), Limit: long,
		Done: func(Trial) { t.Error("a trial was reported") }, Calling: quietly})
	if !errors.Is(err, enough) {
		t.Error(err)
	}
}
