package spec_test

import (
	"bytes"
	"testing"

	"ralph/internal/prd"
	"ralph/internal/spec"
)

// FuzzParse checks on any text that what is generated is valid and in sync,
// and that a second run changes nothing.
func FuzzParse(f *testing.F) {
	f.Add(valid)
	f.Add(good)
	f.Add("---\ncreated: 2026-01-15\n---\r\n## **US-7** — x\r\n- **Acceptance Criteria:**\r\n\t- [x] a\r\n\t\t- b\r\n")
	f.Add("### STORY-1: a\n#### Acceptance Criteria\n1. x\n\n```\n### STORY-2: b\n<!--\n### STORY 3\n**P-1:**\n> ### Q-1: q\n")
	f.Add("STORY-1: a\n---\nAcceptance Criteria:\n* \x00\n* *a* **Priority:** P2\n\n**As a** _x_ **so that** y **I want** z\n")
	f.Add("## User Stories\n### [STORY-1] ~~a~~\n- a\n**Acceptance Criteria (b):**\n- # C-1: c\n###D-1: d\n> e\n<!--\n<!--\n### F-1: f\n-->\n```\n")
	f.Add("### STORY-1: a\n* \t 0\n\t\t#")
	f.Fuzz(func(t *testing.T, text string) {
		s, findings, err := spec.Parse("spec.md", []byte(text))
		if err != nil {
			return
		}
		p, _, err := spec.Generate(s, nil, spec.Options{Now: now})
		broken := false
		for _, finding := range findings {
			broken = broken || !finding.Warning
		}
		if broken != (err != nil) {
			t.Fatalf("findings %q, Generate: %v", said(findings), err)
		}
		if err != nil {
			return
		}
		out := p.Bytes()
		read, _, err := prd.Parse("prd.json", out)
		if err != nil {
			t.Fatalf("what was generated is not valid: %v\n%s", err, out)
		}
		if ds := spec.Sync(s, read); len(ds) > 0 {
			t.Fatalf("what was generated is not in sync: %v\n%s", ds, out)
		}
		again, difference, err := spec.Generate(s, read, spec.Options{Now: now})
		if err != nil || !difference.Empty() || !bytes.Equal(again.Bytes(), out) {
			t.Fatalf("a second run changes something: %v, %+v", err, difference)
		}
	})
}
