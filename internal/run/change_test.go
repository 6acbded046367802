package run

import (
	"reflect"
	"testing"

	"ralph/internal/journal"
)

// TestChangeableIsAllOrNothing: one value that cannot be leaves all settings as they are.
func TestChangeableIsAllOrNothing(t *testing.T) {
	before := Changeable{Rules: journal.Rules{MaxIterations: 5, Model: "haiku"}}
	for _, bad := range []journal.Setting{{Key: "defaults.max_iterations", Value: "many"}, {Key: "harness", Value: "1"}, {Key: "model2", Value: "x"}} {
		c := before
		if err := c.Set([]journal.Setting{{Key: "model", Value: "opus"}, bad}); err == nil || !reflect.DeepEqual(c, before) {
			t.Errorf("%v: %+v, error %v", bad, c, err)
		}
	}
	for _, key := range ChangeableKeys() {
		c := before
		if err := c.Set([]journal.Setting{{Key: key, Value: "7"}}); err != nil || reflect.DeepEqual(c, before) {
			t.Errorf("%s changes nothing, error %v", key, err)
		}
	}
}
