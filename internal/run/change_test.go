package run

import (
	"reflect"
	"testing"

	"ralph/internal/journal"
)

// TestChangeableIsAllOrNothing: one value that cannot be leaves all settings as they are.
func TestChangeableIsAllOrNothing(t *testing.T) {
	before := Changeable{RunRules: journal.RunRules{MaxIterations: 5, Model: "haiku"}}
	for _, bad := range []journal.Setting{{Key: "defaults.max_iterations", Value: "many"}, {Key: "harness", Value: "1"}, {Key: "model2", Value: "x"},
		{Key: "defaults.max_iterations", Value: "1.5"}, {Key: "budget.max_cost_usd", Value: "-1"}, {Key: "budget.max_cost_usd", Value: "NaN"}, {Key: "usage_limit.action", Value: "hope"}} {
		c := before
		if err := c.Set([]journal.Setting{{Key: "model", Value: "opus"}, bad}); err == nil || !reflect.DeepEqual(c, before) {
			t.Errorf("%v: %+v, error %v", bad, c, err)
		}
	}
	for _, key := range ChangeableKeys() {
		c := before
		value := "7"
		if key == "usage_limit.action" {
			value = LimitWait
		}
		if err := c.Set([]journal.Setting{{Key: key, Value: value}}); err != nil || reflect.DeepEqual(c, before) {
			t.Errorf("%s changes nothing, error %v", key, err)
		}
	}
}

func TestFindKey(t *testing.T) {
	for name, want := range map[string]string{
		"max_iterations": "defaults.max_iterations", "defaults.max_iterations": "defaults.max_iterations", "max-iterations": "defaults.max_iterations",
		"timeout": "defaults.timeout_minutes", "stall-threshold": "circuit_breaker.no_progress_threshold", "on_limit": "usage_limit.action",
		"usage_limit.action": "usage_limit.action", "action": "", "model": "model", "harness": "", "": "",
	} {
		if got := FindKey(ChangeableKeys(), name); got != want {
			t.Errorf("%q means %q, want %q", name, got, want)
		}
	}
	if got := FindKey(ReplayKeys(), "timeout"); got != "" {
		t.Errorf("a finished run was decided again by %s", got)
	}
}
