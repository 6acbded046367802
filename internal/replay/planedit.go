package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/tidwall/gjson"
)

// planFile is the text of a prd.json. It is edited as text, so that all that a
// step does not mean to change keeps its form: the guard of ralph compares it.
type planFile struct {
	path string
	data []byte
}

func readPlan(path string) (*planFile, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !gjson.ValidBytes(data) {
		return nil, fmt.Errorf("%s is not valid JSON", path)
	}
	return &planFile{path: path, data: data}, nil
}

// stories returns the stories in the order of the file. The Index of each, and
// of what is taken out of it, is its offset in the text.
func (f *planFile) stories() []gjson.Result {
	var list []gjson.Result
	array := gjson.GetBytes(f.data, "userStories")
	array.ForEach(func(_, value gjson.Result) bool {
		if value.IsObject() {
			list = append(list, value)
		}
		return true
	})
	return list
}

// open returns the id of the open story with the highest priority (1 is the
// highest), of equals the first; "" where every story passes.
func (f *planFile) open() string {
	id, best := "", int64(0)
	for _, s := range f.stories() {
		priority := s.Get("priority").Int()
		if !s.Get("passes").Bool() && (id == "" || priority < best) {
			id, best = s.Get("id").String(), priority
		}
	}
	return id
}

func (f *planFile) story(id string) (gjson.Result, error) {
	for _, s := range f.stories() {
		if s.Get("id").String() == id {
			return s, nil
		}
	}
	return gjson.Result{}, fmt.Errorf("%s has no story %q", f.path, id)
}

// set sets a key of a story and writes the file. It returns the text before
// and after, as an editing tool would be given them.
func (f *planFile) set(id, key string, value any) (old, replacement string, err error) {
	s, err := f.story(id)
	if err != nil {
		return "", "", err
	}
	encoded, err := encode(value)
	if err != nil {
		return "", "", err
	}
	at, length := s.Index+1, 0
	insert := fmt.Sprintf("%q: %s,", key, encoded)
	if current := s.Get(key); current.Exists() {
		at, length = current.Index, len(current.Raw)
		insert = string(encoded)
	}
	old = string(f.data[at : at+length])
	edited := make([]byte, 0, len(f.data)+len(insert))
	edited = append(edited, f.data[:at]...)
	edited = append(edited, insert...)
	edited = append(edited, f.data[at+length:]...)
	if err := os.WriteFile(f.path, edited, 0o644); err != nil {
		return "", "", err
	}
	f.data = edited
	return fmt.Sprintf("%q: %s", key, old), fmt.Sprintf("%q: %s", key, encoded), nil
}

// encode is json.Marshal without escapes for <, > and &.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
