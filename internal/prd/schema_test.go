package prd

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The decoder has numbers, patterns and lists of its own: they must be those
// of the schema.
func TestDecoderHasTheConstantsOfTheSchema(t *testing.T) {
	type object struct {
		Required   []string
		Properties map[string]struct {
			Pattern string
			Maximum int
			Items   json.RawMessage
		}
	}
	var root, story object
	if err := json.Unmarshal(Schema, &root); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(root.Properties["userStories"].Items, &story); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(root.Properties["createdAt"].Pattern, timePattern); diff != "" {
		t.Error(diff)
	}
	if got := story.Properties["priority"].Maximum; got != maxPriority {
		t.Errorf("the schema's maximum is %d, the decoder's %d", got, maxPriority)
	}
	if diff := cmp.Diff(root.Required, names(rootKeys, rootRequired)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(story.Required, names(storyKeys, storyRequired)); diff != "" {
		t.Error(diff)
	}
	if len(root.Properties) != len(rootKeys) || len(story.Properties) != len(storyKeys) {
		t.Error("the schema knows other keys than the decoder")
	}
}

func names(known []member, set keySet) []string {
	var list []string
	for k, m := range known {
		if set.has(k) {
			list = append(list, m.key)
		}
	}
	return list
}
