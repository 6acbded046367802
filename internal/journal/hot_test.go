package journal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

// hotTypes are the events with a decoder of their own.
var hotTypes = []string{"iteration_started", "attempt_started", "agent_started", "attempt_ended", "check_ended", "claim_rejected", "iteration_ended"}

// FuzzHotEvents reads each line twice: as it is, and with a space behind its
// brace, which only encoding/json reads. Both must say the same.
func FuzzHotEvents(f *testing.F) {
	docs, err := os.ReadFile(filepath.Join(docs, "journal.md"))
	if err != nil {
		f.Fatal(err)
	}
	seed := func(line []byte) {
		m := regexp.MustCompile(`^\{"time":"[^"]*","type":"(\w+)","run":"[^"]*"(.*\})$`).FindSubmatch(line)
		for i, typ := range hotTypes {
			if m != nil && typ == string(m[1]) {
				f.Add(uint8(i), m[2])
			}
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\{\"time\".*$").FindAll(docs, -1) {
		seed(m)
	}
	for _, line := range bytes.Split(lines(f, oneRun()...), []byte("\n")) {
		seed(line)
	}
	for _, rest := range []string{
		`}`, `,"iteration":01}`, `,"iteration":-0}`, `,"iteration":1e2}`, `,"iteration":1,}`, `,"iteration":1}}`, `,,"iteration":1}`,
		`,"iteration":12345678901234567890}`, `,"Iteration":1}`, `,"later":1}`, `,"head":"\\\"\/\b\f\n\r\t"}`, `,"head":"\u0041\ud83d\ude00\""}`, "\x2c\"head\":\"\xff\"}", "\x2c\"head\":\"a\tb\"}",
		`,"story":{"id":"a"},"story":{"title":"b"}}`, `,"story":{}}`, `,"story":null}`, `,"commits":["a",]}`, `,"commits":["a"],"commits":[]}`,
		`,"durationSeconds":.5}`, `,"durationSeconds":1.}`, `,"durationSeconds":1e400}`, `,"costUsd":null}`, `,"costUsd":1,"costUsd":null}`,
		`,"resetsAt":"2026-11-21T14:02:03Z"}`, `,"resetsAt":"2026-11-21 14:02"}`, `,"tokens":{"input":1},"tokens":{"output":2}}`, `,"promised":truefalse}`,
	} {
		for i := range hotTypes {
			f.Add(uint8(i), []byte(rest))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, rest []byte) {
		head := `"time":"2026-11-21T14:02:03.456Z","type":"` + hotTypes[int(which)%len(hotTypes)] + `","run":"r1"`
		var fast, slow journal.Event
		errFast := fast.UnmarshalJSON([]byte("{" + head + string(rest)))
		errSlow := slow.UnmarshalJSON([]byte("{ " + head + string(rest)))
		if (errFast == nil) != (errSlow == nil) {
			t.Fatalf("%q: %v against %v", rest, errFast, errSlow)
		}
		if diff := cmp.Diff(slow.Body, fast.Body); diff != "" {
			t.Errorf("%q: %s", rest, diff)
		}
	})
}

// TestHotEventsTakeTheirOwnPath: were a key of a hot event forgotten, it would
// be read rightly and slowly, and nobody would notice.
func TestHotEventsTakeTheirOwnPath(t *testing.T) {
	docs, err := os.ReadFile(filepath.Join(docs, "journal.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range hotTypes {
		line := regexp.MustCompile(`(?m)^\{"time":"[^"]*","type":"` + typ + `".*$`).Find(docs)
		var e journal.Event
		allocs := testing.AllocsPerRun(10, func() {
			if err := e.UnmarshalJSON(line); err != nil {
				t.Fatal(err)
			}
		})
		again := testing.AllocsPerRun(10, func() {
			if err := e.UnmarshalJSON(append([]byte("{ "), line[1:]...)); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > again*3/4 {
			t.Errorf("%s: %v allocations, and %v through encoding/json", typ, allocs, again)
		}
	}
}
