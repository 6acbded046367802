package report_test

import (
	"strings"
	"testing"

	"ralph/internal/journal"
	"ralph/internal/report"
)

func pullRequest(t *testing.T, r report.Report) string {
	t.Helper()
	var out strings.Builder
	pr := report.PullRequest{About: evil, Unit: r.Unit, Plan: r.Plan, Runs: []*report.Run{r.Run}, Receipts: map[string]string{"S-1": "receipt of a day"}}
	if err := pr.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPullRequestTellsWhereToLookTwice(t *testing.T) {
	text := pullRequest(t, fold("", false, eventful().events))
	for _, want := range []string{
		"\n> **Not done: 2 iterations in a row brought no progress.**\n", "\n- [x] S-1: Log in: receipt of a day\n", "\n- [ ] S-3: Log out: open\n",
		"\n- tests or checks were weakened: auth/login\\_test.go:12: a test is skipped", "story S-3 removed; it was restored",
		" claims of the agent.", "`ralph verify --unit feature-x`",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Nothing was weakened") {
		t.Errorf("it says that nothing was weakened:\n%s", text)
	}
}

func TestPullRequestCountsRejectedClaims(t *testing.T) {
	for most, want := range map[int]string{1: " ralph rejected 1 claim of the agent.", 3: " ralph rejected 3 claims of the agent.", 0: ""} {
		var events []journal.Event
		rejected := 0
		for _, e := range eventful().events {
			if e.Body.EventType() == "claim_rejected" {
				if rejected++; rejected > most {
					continue
				}
			}
			events = append(events, e)
		}
		text := pullRequest(t, fold("", false, events))
		if !strings.Contains(text, want) || strings.Contains(text, "ralph rejected") != (want != "") {
			t.Errorf("%d claims, and not %q:\n%s", most, want, text)
		}
	}
}

func TestPullRequestIsHarmless(t *testing.T) {
	text := pullRequest(t, fold("", false, hostileRun()))
	for _, bad := range []string{"<script", "http://", "@ada", " #12", "\n# h", "[x]("} {
		if strings.Contains(text, bad) {
			t.Errorf("it holds %q:\n%s", bad, text)
		}
	}
}
