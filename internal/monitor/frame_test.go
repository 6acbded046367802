package monitor

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// atWork is a dashboard with something in every place.
func atWork(t testing.TB, opts Options) *model {
	m := modelOf(t, opts, working()...)
	m.addNews(news{log: m.logName(), wrote: at(188),
		lines:  []line{{at(150), "I begin with a test."}, {at(188), "* Bash  make test"}},
		tool:   &tool{"Bash", "make test", at(188)},
		limits: []stream.Limit{{Window: "five_hour", Utilization: 0.82, ResetsAt: at(7400)}},
	})
	return m
}

func frameAt(m *model, seconds, width, height int) string {
	return strings.Join(m.frame(at(seconds), width, height), "\n")
}

// local makes times of day what they are where the test runs.
func local(text string) string {
	return regexp.MustCompile(`\[12:\d\d\]`).ReplaceAllStringFunc(text, func(stamp string) string {
		t, _ := time.Parse("2006-01-02 [15:04]", "2026-11-21 "+stamp)
		return t.Local().Format("[15:04]")
	})
}

func TestFrameOfAnOrdinaryTerminal(t *testing.T) {
	want := local(`feature-x - prd plan - claude (opus)
Iteration: 2/20  1m42s of 15m  #-----------
Status: Running  LIVE
API: 5/100 (resets in 23m)
Limit: five hour 82% used (resets in 2h00m)
Progress: 1/3 stories  ####--------
  + S-1: Log in
  > S-2: Reset the password
  - S-3: Log out
Tokens: 15.0k, $0.25 (last: 15.0k, $0.25)  #
Breaker: no progress 0/3, same error 0/5
Tool: Bash (12s) make test
Recent:
[12:00] - the run began
[12:00] - iteration 1 began: S-1: Log in
[12:01] - iteration 1 ended: ok, S-1 done, 1 commit
[12:01] - iteration 2 began: S-2: Reset the password
[12:02] I begin with a test.
[12:03] * Bash  make test




q quit  p pause  s stop  l log  ? help`)
	if diff := cmp.Diff(want, frameAt(atWork(t, options(t)), 200, 80, 24)); diff != "" {
		t.Error(diff)
	}
}

func TestFrameOfAPhone(t *testing.T) {
	want := local(`feature-x - prd plan - claude (opus)
Iteration: 2/20  1m42s of 15m
Status: Running  LIVE
API: 5/100 (resets in 23m)
Progress: 1/3 stories  > S-2
Tokens: 15.0k, $0.25  #
Tool: Bash (12s) make test
Recent:
[12:02] I begin with a test.
[12:03] * Bash  make test`)
	m := atWork(t, options(t))
	m.limits = nil
	if diff := cmp.Diff(want, frameAt(m, 200, 40, 10)); diff != "" {
		t.Error(diff)
	}
}

// TestFrameOfAFewRows: what matters most, and no heading without a line below it.
func TestFrameOfAFewRows(t *testing.T) {
	m := modelOf(t, options(t), working()...)
	for height, want := range map[int][]string{
		1: {"Iteration:"},
		2: {"Iteration:", "Status:"},
		3: {"Iteration:", "Status:", "Progress:"},
		4: {"Iteration:", "Status:", "Recent:", "["},
	} {
		var got []string
		for row := range strings.Lines(frameAt(m, 200, 80, height)) {
			got = append(got, strings.TrimRight(row, "\n"))
		}
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("%d rows: %q", height, got)
		}
	}
}

func TestFrameOfAWideTerminal(t *testing.T) {
	m := atWork(t, options(t))
	m.add(line{at(190), strings.Repeat("word ", 40)})
	text := frameAt(m, 200, 160, 30)
	for _, want := range []string{"Status: Running  LIVE" + strings.Repeat(" ", 43) + " | ", "  > S-2: Reset the password", "| [12:0", "| word word"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

// TestFrameFitsEverywhere draws every page at odd sizes.
func TestFrameFitsEverywhere(t *testing.T) {
	opts := options(t)
	opts.ASCII, opts.Color = false, true
	empty := newModel(opts)
	full := atWork(t, opts)
	full.damage = journal.Damage{Lines: 2, First: &journal.LineError{Line: 3, Err: fmt.Errorf("torn")}}
	full.gone = true
	full.add(line{at(199), strings.Repeat("漢字🎉é", 100)}, line{at(199), ""})
	plan := &full.state.last().Plan
	plan.Items = append(plan.Items, run.Item{Story: journal.Story{ID: strings.Repeat("X", 300), Title: "\x1b]0;evil\a\x1b[2J"}})
	for _, m := range []*model{empty, full} {
		for _, v := range []view{viewMain, viewLog, viewHelp} {
			for _, asking := range []bool{false, true} {
				m.view, m.asking, m.scroll = v, asking, 1000
				for width := range 140 {
					for _, height := range []int{0, 1, 2, 3, 4, 7, 10, 12, 24, 100} {
						checkFrame(t, m.frame(at(200), width, height), width, height)
					}
				}
			}
		}
	}
	checkFrame(t, full.frame(at(200), 250, 80), 250, 80)
}

// TestColoursSuitALightBackground: no word is green, yellow, cyan or bright, unless it has a
// background colour of its own.
func TestColoursSuitALightBackground(t *testing.T) {
	opts := options(t)
	opts.ASCII, opts.Color = false, true
	faint := regexp.MustCompile("\x1b\\[(?:[0-9;]*;)?(?:3[2367]|9[0-7])m([^\x1b]*\\pL[^\x1b]*)")
	reset := at(1000)
	for name, ends := range map[string][]journal.Event{
		"at work": nil,
		"waiting": {event(190, journal.WaitStarted{Reason: "usage_limit", Until: &reset, Message: "no more"})},
		"done":    {event(190, journal.RunEnded{Status: "completed", Reason: "stories_complete"})},
		"failed":  {event(190, journal.RunEnded{Status: "failed", Reason: "no_progress"})},
		"crashed": {event(190, journal.RunEnded{Status: "failed", Reason: "crashed"})},
	} {
		m := modelOf(t, opts, append(working(), ends...)...)
		m.damage, m.gone = journal.Damage{Lines: 2}, true
		m.notice, m.noticeEnd = "asked", at(201)
		for _, asking := range []bool{false, true} {
			m.asking = asking
			if words := faint.FindStringSubmatch(frameAt(m, 200, 100, 40)); words != nil {
				t.Errorf("%s: %q is written as %q", name, words[1], words[0])
			}
		}
	}
}

func checkFrame(t *testing.T, rows []string, width, height int) {
	t.Helper()
	if len(rows) > height {
		t.Fatalf("%dx%d: %d rows", width, height, len(rows))
	}
	for _, r := range rows {
		if w := ansi.StringWidth(r); w > width {
			t.Fatalf("%dx%d: a row of %d columns: %q", width, height, w, r)
		}
		if strings.Contains(r, "\x1b]") || strings.Contains(r, "\x1b[2J") || strings.ContainsAny(r, "\a\n\r\t") {
			t.Fatalf("%dx%d: a control character: %q", width, height, r)
		}
	}
}

func TestStatusWords(t *testing.T) {
	until := at(3600).Local().Format("15:04")
	wait := func(reason journal.Reason, until *time.Time) journal.Event {
		return event(100, journal.WaitStarted{Reason: reason, Until: until, Message: "why"})
	}
	for _, c := range []struct {
		name   string
		health Health
		host   string
		more   []journal.Event
		want   string
	}{
		{"at work", Alive, "box", nil, "Running  LIVE"},
		{"dead", Dead, "box", nil, "Failed  DEAD since " + at(98).Local().Format("15:04")},
		{"elsewhere", Alive, "other", nil, "Running  on box, out of sight from here"},
		{"at the usage limit", Alive, "box", []journal.Event{wait("usage_limit", ptr(at(3600)))}, "Paused  WAITING until " + until + " (usage limit)"},
		{"backing off", Alive, "box", []journal.Event{wait("transient", ptr(at(3600)))}, "Running  WAITING until " + until + " (trying again)"},
		{"paused", Alive, "box", []journal.Event{wait("paused", nil)}, "Paused  WAITING (paused)"},
		{"asked to pause", Alive, "box", []journal.Event{event(100, journal.Request{Kind: "pause"})}, "Running  LIVE, will pause"},
		{"not to pause after all", Alive, "box", []journal.Event{event(100, journal.Request{Kind: "pause"}), event(101, journal.Request{Kind: "resume"})}, "Running  LIVE"},
		{"suspended", Suspended, "box", nil, "Paused  WAITING (suspended)"},
		{"suspended at the usage limit", Suspended, "box", []journal.Event{wait("usage_limit", ptr(at(3600)))}, "Paused  WAITING (suspended)"},
		{"on record as dead", Dead, "box", []journal.Event{
			event(7000, journal.AttemptEnded{N: 2, Outcome: "crash"}), event(7001, journal.PlanRestored{N: 2}), event(7002, journal.IterationEnded{N: 2, Outcome: "crash"}),
			event(7003, journal.RunEnded{Status: "failed", Reason: "crashed"})}, "Failed  DEAD since " + at(98).Local().Format("15:04")},
		{"died while it waited", Dead, "box", []journal.Event{wait("usage_limit", ptr(at(3600)))}, "Failed  DEAD since " + at(100).Local().Format("15:04")},
		{"done", Dead, "box", []journal.Event{event(120, journal.RunEnded{Status: "completed", Reason: "stories_complete"})},
			"Completed  ENDED (stories complete) " + at(120).Local().Format("15:04")},
		{"stuck", Alive, "box", []journal.Event{event(120, journal.RunEnded{Status: "failed", Reason: "no_progress"})},
			"Failed  ENDED (no progress) " + at(120).Local().Format("15:04")},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := options(t)
			opts.Host = c.host
			opts.Health = func(run.Status) Health { return c.health }
			m := modelOf(t, opts, append(working(), c.more...)...)
			if got := m.statusWords(at(200)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestBreakerShowsBeforeItTrips(t *testing.T) {
	stuck := func(n, noProgress int) journal.Event {
		return event(100, journal.IterationEnded{N: n, Outcome: "error", NoProgress: noProgress, SameError: noProgress, StoriesTotal: 3})
	}
	m := modelOf(t, options(t), append(working(), stuck(2, 1), stuck(3, 2))...)
	if text := frameAt(m, 200, 40, 10); !strings.Contains(text, "Breaker: no progress 2/3, same error 2/5") {
		t.Errorf("the breaker's counters are not shown:\n%s", text)
	}
	m.event(event(130, journal.BreakerOpened{Reason: "no_progress", Count: 3}))
	if text := frameAt(m, 200, 80, 24); !strings.Contains(text, "Breaker: OPEN (no progress)") {
		t.Errorf("the breaker is not shown as open:\n%s", text)
	}
}

func TestGraph(t *testing.T) {
	p := pen{}
	for want, values := range map[string][]float64{"▁▅█": {0, 5, 10}, "█": {0.1}, "▁▁": {0, 0}, "": nil} {
		if got := p.graph(values, 20); got != want {
			t.Errorf("%v: %q, want %q", values, got, want)
		}
	}
	if got := (pen{ascii: true}).graph([]float64{9, 0, 4.5, 9}, 3); got != "_+#" {
		t.Errorf("the last ones: %q", got)
	}
}

func TestTheLastProofIsShown(t *testing.T) {
	checks := []journal.CheckReceipt{{Name: "unit"}, {Name: "e2e", Unsealed: "set x"}}
	first := event(120, journal.StoryProved{N: 1, Story: "S-1", Checks: checks[:1],
		Proof: &journal.Proof{Line: "1 check; old tests pass"}})
	second := event(130, journal.StoryProved{N: 2, Story: "S-2", Checks: checks})
	unproved := event(130, journal.StoryProved{N: 2, Story: "S-2", Why: journal.NoChecks})
	for want, events := range map[string][]journal.Event{
		"":                                      nil,
		"Proof: S-1: 1 check; old tests pass\n": {first},
		"Proof: S-2: 2 checks; unsealed: e2e\n": {first, second},
		"Proof: S-2: marked, not proved: no check is configured\n": {unproved},
	} {
		got := frameAt(modelOf(t, options(t), append(working(), events...)...), 200, 80, 24)
		if !strings.Contains(got, want) || (want == "") == strings.Contains(got, "Proof:") {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
