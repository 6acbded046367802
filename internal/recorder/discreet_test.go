package recorder

import (
	"reflect"
	"strings"
	"testing"

	"ralph/internal/journal"
	"ralph/internal/secret"
)

// names are the texts of events by which others find things, and words of a fixed
// list: they stay as they are.
var names = map[string]bool{
	"Version": true, "Unit": true, "Plan": true, "Feature": true, "Change": true, "Module": true, "DoneCriteria": true, "Branch": true,
	"Worktree": true, "Head": true, "Harness": true, "Model": true, "PIDStart": true, "Host": true, "Token": true, "Work": true,
	"ID": true, "Title": true, "LogFile": true, "Outcome": true, "Signal": true, "Session": true, "From": true, "To": true, "Phase": true,
	"Name": true, "Tree": true, "Story": true, "Commit": true, "Mode": true, "Path": true, "Rule": true, "Claim": true, "Kept": true,
	"Print": true, "DoneReason": true, "Kind": true, "Status": true, "Output": true, "Base": true,
	"State": true, "Ref": true, "Back": true, "Mixed": true, "Parked": true, "With": true,
	"Verdict": true,
}

// TestEventsAreDiscreet fills every text of every event with a secret.
func TestEventsAreDiscreet(t *testing.T) {
	r := &Recorder{Secrets: secret.New([]string{"A_TOKEN=s3cret-value"})}
	for _, body := range []journal.Body{
		journal.RunStarted{}, journal.IterationStarted{}, journal.AttemptStarted{}, journal.AgentStarted{}, journal.AttemptEnded{},
		journal.IterationEnded{}, journal.WaitStarted{}, journal.WaitEnded{}, journal.ClockJumped{}, journal.HarnessSwitched{}, journal.CheckEnded{},
		journal.StoryProved{Checks: make([]journal.CheckReceipt, 1)}, journal.TamperFound{Findings: make([]journal.TamperFinding, 1)},
		journal.ReviewStarted{}, journal.ReviewEnded{Reasons: make([]journal.ReviewReason, 1)},
		journal.ClaimRejected{}, journal.PlanRestored{}, journal.PlanChanged{}, journal.NoWork{}, journal.HeadMoved{}, journal.BreakerOpened{},
		journal.StoryParked{}, journal.BreakerReset{}, journal.Request{}, journal.Warning{}, journal.Archived{}, journal.RunEnded{},
	} {
		v := reflect.New(reflect.TypeOf(body)).Elem()
		v.Set(reflect.ValueOf(body))
		fill(v)
		find(t, body.EventType(), reflect.ValueOf(r.discreet(v.Interface().(journal.Body))))
	}
}

// fill writes the secret into all texts but names.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !names[f.Name] {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.String:
		v.SetString("it is s3cret-value")
	}
}

// words are texts that the loop takes from its own list, in events that have no
// other reason.
var words = map[string]bool{
	"wait_started.Reason": true, "wait_ended.Reason": true, "breaker_opened.Reason": true, "run_ended.Reason": true, "story_parked.Reason": true,
	"clock_jumped.Message": true, "breaker_reset.Message": true,
}

func find(t *testing.T, where string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				find(t, where+"."+f.Name, v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			find(t, where, v.Index(i))
		}
	case reflect.String:
		if strings.Contains(v.String(), "s3cret-value") && !words[where] {
			t.Errorf("%s tells the secret", where)
		}
	}
}
