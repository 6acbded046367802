package report_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"ralph/internal/journal"
	"ralph/internal/report"
	"ralph/internal/stream"
)

func TestThePageShowsWhatTheJournalSays(t *testing.T) {
	page := html(t, fold("", false, eventful().events))
	for _, want := range []string{
		"Not done: 2 iterations in a row brought no progress.", "feature/x", "claude (opus-4)", "<b>1/4</b>stories", "<b>$0.50</b>cost",
		"agent 24m30s, checks 29s, waiting 18m30s", "S-1: Log in", "proved in a clean worktree at 9d8e7f60", "timeout: no end after 15m",
		"auth/login_test.go:12: a test is skipped", "t.Skip(&#34;later&#34;)", "1 failed, 41 passed", "story S-3 removed", "You&#39;ve hit your limit",
		"context added: use argon2", "the clock went 1h forward", "codex takes over from claude", `href="./logs/iteration-2.log"`,
		"the agent claimed S-2, that all is done", "iteration 1: S-1", `aria-label="0 of 3 done at the start, 1 of 4 at the end"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"<script", "ZgotmplZ", "http://", "https://", "<no value>", "NaN", "%!"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if n := strings.Count(page, `<details class="row">`); n != 3 {
		t.Errorf("%d iterations are listed", n)
	}
}

func TestMarkdown(t *testing.T) {
	r := fold("", false, eventful().events)
	var out strings.Builder
	if err := r.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# feature-x\n\n✗ Not done: 2 iterations in a row brought no progress.\n", "\n- [x] S-1: Log in: accepted in iteration 1", "\n- [ ] S-3: Log out: open\n",
		"\n| ✗ 3 | timeout: no end after 15m;", "\n## Quality checks\n", `test-skipped`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, out.String())
		}
	}
}

// evil is a text with all that should come to nothing: markup of a page, of
// Markdown and of a terminal, bytes that are no UTF-8, a change of direction.
const evil = "\x1b[31m</title></style></svg></pre><script>alert(1)</script><img src=x onerror=alert(2)>\x1b]2;t\x07 \xff\xfe \u202e\" ' javascript:alert(3) {{.}} | [x](http://x.example) `y` @ada #12\r\n# h\x00"

// fill puts the text into every string of a body.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(evil)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Pointer:
		if v.Type().Elem().Kind() != reflect.Struct || v.Type().Elem().NumField() > 0 && v.Type().Elem().Field(0).IsExported() {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		}
	case reflect.Int:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	}
}

func hostileRun() []journal.Event {
	tp := &tape{run: "20261121-140203"}
	for i, b := range []journal.Body{
		&journal.RunStarted{}, &journal.IterationStarted{}, &journal.AttemptStarted{}, &journal.AgentStarted{}, &journal.AttemptEnded{}, &journal.CheckEnded{},
		&journal.StoryProved{}, &journal.TamperFound{}, &journal.ClaimRejected{}, &journal.PlanRestored{}, &journal.NoWork{}, &journal.HeadMoved{},
		&journal.WaitStarted{}, &journal.WaitEnded{}, &journal.ClockJumped{}, &journal.HarnessSwitched{}, &journal.PlanChanged{}, &journal.BreakerOpened{},
		&journal.BreakerReset{}, &journal.Request{}, &journal.Warning{}, &journal.Archived{}, &journal.IterationEnded{}, &journal.RunEnded{},
	} {
		v := reflect.ValueOf(b).Elem()
		fill(v)
		tp.add(float64(i), v.Interface().(journal.Body))
	}
	for i := range tp.events {
		tp.events[i].Run = evil
	}
	return tp.events
}

func TestHostileTextsComeToNothing(t *testing.T) {
	r := fold("", false, hostileRun())
	page := html(t, r)
	if !utf8.ValidString(page) || strings.ContainsAny(page, "\x1b\x07\x00\u202e") {
		t.Error("the page holds control characters, or is no UTF-8")
	}
	for _, bad := range []string{"<script", "<img", "onerror=alert(2)>", "ZgotmplZ", `href="javascript`} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if n := strings.Count(page, "</title>"); n > 10 {
		t.Errorf("%d titles end", n)
	}
	var md strings.Builder
	if err := r.Markdown(&md); err != nil {
		t.Fatal(err)
	}
	if text := md.String(); !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\x07\x00\u202e") {
		t.Error("the Markdown holds control characters, or is no UTF-8")
	}
	for _, bad := range []string{"<script", "http://", "@ada", " #12", "\n# h", "[x]("} {
		if strings.Contains(md.String(), bad) {
			t.Errorf("the Markdown holds %q:\n%s", bad, md.String())
		}
	}
	texts(t, reflect.ValueOf(r), "")
}

// texts wants every string of a value to be harmless.
func texts(t *testing.T, v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); s != stream.Sanitize(s) {
			t.Errorf("%s is %q", path, s)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				texts(t, v.Field(i), path+"."+f.Name)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(t, v.Index(i), path)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			texts(t, v.Elem(), path)
		}
	}
}

// longRun has n iterations with a check and an error each, and 500 stories.
func longRun(n int) []journal.Event {
	tp := &tape{run: "20261121-140203"}
	b := opened(tp.run)
	b.Stories = nil
	for i := range 500 {
		b.Stories = append(b.Stories, journal.Story{ID: fmt.Sprint("S-", i), Title: "A story"})
	}
	tp.add(0, b)
	for i := 1; i <= n; i++ {
		at := float64(4 * i)
		id := fmt.Sprint("S-", i%500)
		tp.add(at, journal.IterationStarted{N: i, Story: &journal.Story{ID: id, Title: "A story"}})
		tp.session(at, i, 3)
		tp.add(at+3, journal.CheckEnded{N: i, Phase: "claim", Name: "tests", Command: "make test", Outcome: "failed", ExitCode: 1, DurationSeconds: 2, Tail: strings.Repeat("a line of output\n", 200)})
		tp.add(at+3, journal.ClaimRejected{N: i, Claim: "story", Stories: []string{id}, Reason: "check tests failed"})
		tp.add(at+3, journal.TamperFound{N: i, Findings: []journal.TamperFinding{{Path: "a_test.go", Line: i, Rule: "r", Message: "m"}}})
		tp.add(at+3, journal.WaitStarted{Reason: "transient", Message: fmt.Sprint("overloaded ", i)})
		tp.add(at+3, journal.WaitEnded{Reason: "transient", Seconds: 30})
		tp.add(at+3, journal.Warning{Message: fmt.Sprint("warning ", i)})
		tp.add(at+3, journal.IterationEnded{N: i, Outcome: "error", Error: fmt.Sprint("error ", i), Commits: []string{"abcdef"}, StoriesPassed: []string{id},
			StoriesComplete: i % 500, StoriesTotal: 500, NoProgress: 1, Tokens: used, CostUSD: ptr(0.25), LogFile: logOf(1)})
	}
	return tp.events
}

// TestALongRunStaysAPage: nothing on the page grows with the run, and the sums
// are those of all iterations.
func TestALongRunStaysAPage(t *testing.T) {
	r := fold("", true, longRun(10_000))
	page := html(t, r)
	if len(page) > 600<<10 {
		t.Errorf("the page has %d bytes", len(page))
	}
	for _, want := range []string{"<b>10000</b>iterations", "<b>$2500.00</b>cost", ">1–200<", ">9881<", ">10000<", "The first 9880 of 10000 iterations", "10000 of 10000", "and 9940 more"} {
		if want == "10000 of 10000" {
			want = "0 of 10000" // checks that passed
		}
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	var md strings.Builder
	if err := r.Markdown(&md); err != nil || md.Len() > 200<<10 {
		t.Errorf("the Markdown has %d bytes, %v", md.Len(), err)
	}
}

func BenchmarkReport10kIterations(b *testing.B) {
	events := longRun(10_000)
	b.ReportAllocs()
	for b.Loop() {
		html(b, fold("", true, events))
	}
}

// TestAShortRunNamesNoTimeTwice has as many times below the burn-up as the run has
// seconds, and three between its ends where there is room.
func TestAShortRunNamesNoTimeTwice(t *testing.T) {
	for minutes, want := range map[float64]int{0.01: 2, 0.02: 2, 0.05: 4, 0.5: 5, 60: 5} {
		tp := &tape{run: "20261121-140203"}
		tp.add(0, opened(tp.run))
		tp.add(minutes, journal.RunEnded{Status: "failed", Reason: "max_iterations", ExitCode: 1})
		seen := map[string]bool{}
		labels := regexp.MustCompile(`class="time[^>]*>([^<]+)<`).FindAllStringSubmatch(html(t, fold("", false, tp.events)), -1)
		for _, l := range labels {
			seen[l[1]] = true
		}
		if len(labels) != want || len(seen) != want {
			t.Errorf("%v minutes: %d labels, %d of them different, want %d: %q", minutes, len(labels), len(seen), want, labels)
		}
	}
}

func TestLogsAreLinkedSafely(t *testing.T) {
	for given, want := range map[string]string{
		"logs/iteration-1.log": `href="./logs/iteration-1.log"`, "../x/a b.log": `href="../x/a%20b.log"`, "javascript:alert(1)": `href="./javascript:alert%281%29"`,
		"a?b#c%d": `href="./a%3Fb%23c%25d"`,
	} {
		var page strings.Builder
		r := fold("", false, eventful().events)
		if err := r.HTML(&page, report.PageOptions{Now: start, Log: func(string) string { return given }}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), want) {
			t.Errorf("%s is not linked as %s", given, want)
		}
	}
}
