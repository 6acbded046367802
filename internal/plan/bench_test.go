package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// feature writes a feature with so many stories of usual length, and a specification
// to match, and returns it.
func feature(tb testing.TB, stories int) *PRD {
	tb.Helper()
	p := &PRD{Root: tb.TempDir(), Folder: ".ralph/x"}
	type story struct {
		ID                 string   `json:"id"`
		Title              string   `json:"title"`
		Description        string   `json:"description"`
		AcceptanceCriteria []string `json:"acceptanceCriteria"`
		Priority           int      `json:"priority"`
		Passes             bool     `json:"passes"`
		Notes              string   `json:"notes"`
	}
	var list []story
	spec := "---\ncreated: 2026-01-02T03:04:05Z\n---\n# X\n\n## User Stories\n"
	for n := range stories {
		s := story{ID: fmt.Sprintf("STORY-%04d", n+1), Title: "Show the balance of the account", Priority: n + 1,
			Description:        "As a customer I want to see what is left, so that I can decide what to do next.",
			AcceptanceCriteria: []string{"The balance is shown with its currency", "It is never older than a minute", "Typecheck passes", "Unit tests pass"}}
		list = append(list, s)
		spec += fmt.Sprintf("\n### %s: %s\n\n%s\n\n**Acceptance Criteria:**\n", s.ID, s.Title, s.Description)
		for _, c := range s.AcceptanceCriteria {
			spec += "- [ ] " + c + "\n"
		}
	}
	data, err := json.MarshalIndent(map[string]any{"description": "X", "createdAt": "2026-01-02T03:04:05Z", "userStories": list}, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	for name, text := range map[string]string{"prd.json": string(data), "spec.md": spec, "progress.txt": "# Progress Log: x\n"} {
		if err := os.MkdirAll(filepath.Join(p.Root, p.Folder), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return p
}

// BenchmarkGuard measures the plan's work in an iteration: read it, make the snapshot, let
// the agent mark a story and write to progress.txt, guard it, and read it again. The CPU
// time is user and system time of the whole process, without the agent's own writing.
// "reset" is the worst case, in which everything has to be restored.
func BenchmarkGuard(b *testing.B) {
	for _, stories := range []int{10, 100, 1000} {
		for _, c := range []struct {
			name string
			work func(*PRD, int) error
		}{
			{"idle", func(*PRD, int) error { return nil }},
			{"marked", mark},
			{"reset", func(p *PRD, _ int) error { return os.RemoveAll(filepath.Join(p.Root, p.Folder)) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, stories), func(b *testing.B) { benchGuard(b, feature(b, stories), c.work) })
		}
	}
}

// mark does what an agent does to the plan: it turns the mark of the first story, and
// says so in progress.txt.
func mark(p *PRD, n int) error {
	data, err := os.ReadFile(p.path("prd.json"))
	if err != nil {
		return err
	}
	from, to := []byte(`"passes": false`), []byte(`"passes": true`)
	if n%2 == 1 {
		from, to = to, from
	}
	if err := os.WriteFile(p.path("prd.json"), bytes.Replace(data, from, to, 1), 0o644); err != nil {
		return err
	}
	f, err := os.OpenFile(p.path("progress.txt"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if n%100 == 0 { // as long as that of a long run, not of the benchmark's
		err = f.Truncate(0)
	}
	fmt.Fprintf(f, "---\nIteration: %d\nStatus: complete\n", n)
	return err
}

func benchGuard(b *testing.B, p *PRD, work func(*PRD, int) error) {
	dir := b.TempDir()
	var agent time.Duration
	before := cpu(b)
	for n := 0; b.Loop(); n++ {
		if _, err := p.Read(); err != nil {
			b.Fatal(err)
		}
		if err := p.Snapshot(dir); err != nil {
			b.Fatal(err)
		}
		began := cpu(b)
		if err := work(p, n); err != nil {
			b.Fatal(err)
		}
		agent += cpu(b) - began
		if _, err := p.Guard("x"); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Read(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpu(b)-before-agent).Microseconds())/1000/float64(b.N), "ms-CPU/op")
}

// cpu is the processor's time that this process has used.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
