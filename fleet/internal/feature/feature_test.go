package feature

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Programs read spans of time in seconds, by names that say so.
func TestSpansInJSON(t *testing.T) {
	s := Submission{Repo: "r", Branch: "b", Priority: 3, Silence: 4500 * time.Millisecond, Patience: time.Hour}
	text, err := json.Marshal(Standing{Submission: s})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"silenceSeconds":4.5,"patienceSeconds":3600`) {
		t.Errorf("%s", text)
	}
	var back Standing
	if err := json.Unmarshal(text, &back); err != nil || !cmp.Equal(s, back.Submission) {
		t.Errorf("%v: %s", err, cmp.Diff(s, back.Submission))
	}
}
