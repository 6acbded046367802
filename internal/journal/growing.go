package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// listText is the text of the first elements of a list that only grows: each is
// encoded once, however often the file that holds the list is written.
type listText[T any] struct {
	text  []byte
	count int // of elements in text
}

// follow encodes the first n elements of list, as far as that is not done.
func (l *listText[T]) follow(list []T, n int) error {
	for ; l.count < n; l.count++ {
		one, err := element(list, l.count)
		if err != nil {
			return err
		}
		l.text = append(l.text, one...)
	}
	return nil
}

// element is the text of list[i] with what stands before it in the list.
func element[T any](list []T, i int) ([]byte, error) {
	text, err := indented(list[i], "    ")
	before := ",\n    "
	if i == 0 {
		before = "\n    "
	}
	return append([]byte(before), bytes.TrimSuffix(text, []byte("\n"))...), err
}

// writeWithList replaces the file at path (0644) by an object as indented JSON,
// and creates its directory where it is missing. Where list is not empty, the
// object has an empty one under key, in whose place list stands; only the elements
// behind the first settled ones may differ from those of the last call.
func writeWithList[T any](path string, object any, key string, list []T, settled int, known *listText[T]) error {
	text, err := indented(object, "")
	parts := [][]byte{text}
	if err == nil && len(list) > 0 {
		// Inside of a string the quotation marks would be escaped: this is the key.
		head, tail, _ := bytes.Cut(text, []byte(`"`+key+`": []`))
		err = known.follow(list, settled)
		parts = [][]byte{head, []byte(`"` + key + `": [`), known.text}
		for i := settled; i < len(list) && err == nil; i++ {
			var one []byte
			one, err = element(list, i)
			parts = append(parts, one)
		}
		parts = append(parts, []byte("\n  ]"), tail)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return replaceFile(path, parts...)
}

func indented(v any, prefix string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	err := enc.Encode(v)
	return out.Bytes(), err
}

// replaceFile writes by rename, with the temporary file in the same
// directory: the system's may be on another file system.
func replaceFile(path string, parts ...[]byte) error {
	if err := replace(path, parts); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}

func replace(path string, parts [][]byte) error {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644), renameio.WithExistingPermissions(),
		renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	for _, part := range parts {
		if _, err := f.Write(part); err != nil {
			return err
		}
	}
	return f.CloseAtomicallyReplace()
}
