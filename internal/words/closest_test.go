package words_test

import (
	"testing"

	"ralph/internal/words"
)

func TestClosest(t *testing.T) {
	names := []string{"notes", "acceptanceCriteria", "priority", "--max-iterations", "validate"}
	for word, want := range map[string]string{
		"ntoes":               "notes",
		"Notes":               "notes",
		"acceptance_criteria": "acceptanceCriteria",
		"priorty":             "priority",
		"prio":                "priority",
		"--max-iteration":     "--max-iterations",
		"valdiate":            "validate",
		"branchName":          "",
		"x":                   "",
		"-n":                  "",
		"":                    "",
	} {
		if got := words.Closest(word, names); got != want {
			t.Errorf("Closest(%q) = %q, want %q", word, got, want)
		}
	}
}
