package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Where the last figures are kept, from the repository's root.
const (
	recordFile = "docs/benchmarks.json"
	plotFile   = "docs/benchmarks.svg"
	pageFile   = "docs/benchmarks.md"
)

// The page has the table between these lines.
const (
	tableBegin = "<!-- figures: written by make bench RECORD=1 -->\n```\n"
	tableEnd   = "```\n<!-- end of the figures -->"
)

// lastRecord is the report that was recorded last, nil if there is not one.
func lastRecord() (*report, error) {
	data, err := os.ReadFile(recordFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", recordFile, err)
	}
	return &r, nil
}

// record keeps the report: for programs, as a plot, and as the table of the page.
func (r *report) record() error {
	if err := r.write(recordFile); err != nil {
		return err
	}
	if err := os.WriteFile(plotFile, r.plot(), 0o644); err != nil {
		return err
	}
	page, err := os.ReadFile(pageFile)
	if err != nil {
		return err
	}
	head, rest, begins := bytes.Cut(page, []byte(tableBegin))
	_, tail, ends := bytes.Cut(rest, []byte(tableEnd))
	if !begins || !ends {
		return fmt.Errorf("%s has no place for the figures: the line %q and its end", pageFile, tableBegin)
	}
	var table bytes.Buffer
	r.print(&table, nil)
	return os.WriteFile(pageFile, bytes.Join([][]byte{head, []byte(tableBegin), table.Bytes(), []byte(tableEnd), tail}, nil), 0o644)
}

// find is the row of the same part and name, nil if there is not one.
func (r *report) find(like row) *row {
	if r == nil {
		return nil
	}
	for i := range r.Rows {
		if r.Rows[i].Part == like.Part && r.Rows[i].Name == like.Name {
			return &r.Rows[i]
		}
	}
	return nil
}

// since is how the figure that counts differs from an earlier one, in percent: the
// ratio to the floor where there is one, since machines and their loads differ.
func (r row) since(old *row) string {
	switch {
	case old == nil:
		return ""
	case r.Ratio != nil && old.Ratio != nil && *old.Ratio > 0:
		return fmt.Sprintf("%+.0f%%", 100*(*r.Ratio / *old.Ratio - 1))
	case r.Ratio == nil && old.Ratio == nil && old.Value > 0:
		return fmt.Sprintf("%+.0f%%", 100*(r.Value/old.Value-1))
	}
	return ""
}
