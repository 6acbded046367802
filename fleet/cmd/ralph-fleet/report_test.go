package main

import (
	"strings"
	"testing"
	"time"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/feature"
)

// A host has died with a call that no journal has: the report says what is on record,
// and what the account has counted.
func TestReport(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)
	began := now.Add(-time.Hour)
	done := engine.View{ID: "ralph/shop-1/feature/x", State: "done", Started: began, Ended: now.Add(-time.Minute), Standing: feature.Standing{
		Phase: feature.Finished, Lost: 1, Message: "3 of 3\x1b[31m stories <pass>",
		Last: &feature.Handback{Progress: feature.Progress{Host: "b", Stories: 3, StoriesTotal: 3, Spent: feature.Spent{Iterations: 3, Calls: 3, Commits: 4, CostUSD: 0.06}}}}}
	old := done
	old.ID, old.Ended = "ralph/shop-1/feature/old", now.Add(-48*time.Hour)
	r := reckon([]engine.View{done, old}, now, 24*time.Hour)
	r.Accounts = []engine.AccountView{{ID: "ralph-account/default/replay", Account: feature.Account{Total: 4, Hours: map[string]int{feature.Hour(now): 4}}}}

	for _, want := range []string{"1 of 1 features are done, 3 of 3 stories", "3 calls on record", "1 host fell silent, and calls that died there are in the account only"} {
		if !strings.Contains(r.Headline(), want) {
			t.Errorf("%q does not say %q", r.Headline(), want)
		}
	}
	var page strings.Builder
	if err := r.html(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{r.Headline(), "account default/replay: 4 calls in this hour, 4 in all", "shop-1/feature/x", "stories &lt;pass&gt;", "59m0s"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q:\n%s", want, page.String())
		}
	}
	if strings.ContainsAny(page.String(), "\x1b") || strings.Contains(page.String(), "feature/old") {
		t.Errorf("the page says\n%s", page.String())
	}
}
