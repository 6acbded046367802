package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// row is one figure of the report.
type row struct {
	Part  string   `json:"part"`
	Name  string   `json:"name"`
	Unit  string   `json:"unit"`
	Value float64  `json:"value"`
	Floor *float64 `json:"floor"` // the least that the same work costs
	Ratio *float64 `json:"ratio"` // to the floor
	Limit *float64 `json:"limit"` // of the ratio or of the value
	Of    string   `json:"limitOf,omitempty"`
	OK    *bool    `json:"ok"` // null where there is no limit
}

// atMost limits the value.
func (r row) atMost(limit float64) row {
	r.Limit, r.Of, r.OK = &limit, "value", new(r.Value <= limit)
	return r
}

// atMostTimes limits the ratio to the floor.
func (r row) atMostTimes(limit float64) row {
	r.Limit, r.Of, r.OK = &limit, "ratio", new(r.Ratio != nil && *r.Ratio <= limit)
	return r
}

// machine is where a report was made.
type machine struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
}

// report is the whole of it, for programs.
type report struct {
	Time    time.Time `json:"time"`
	Machine machine   `json:"machine"`
	Rows    []row     `json:"rows"`
}

func newReport() *report {
	return &report{
		Time:    time.Now().UTC().Truncate(time.Second),
		Machine: machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()},
	}
}

func (r *report) add(part string, rows []row) {
	for _, line := range rows {
		line.Part = part
		r.Rows = append(r.Rows, line)
	}
}

// over counts the limits that were not kept.
func (r *report) over() int {
	n := 0
	for _, line := range r.Rows {
		if line.OK != nil && !*line.OK {
			n++
		}
	}
	return n
}

func (r *report) write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

const columns = "  %-54s %11s %11s %8s %11s  %-5s %6s"

// print writes the table for people, with the difference to an earlier report.
func (r *report) print(w io.Writer, old *report) {
	printHeader(w, r.Machine, old)
	part := ""
	for _, each := range r.Rows {
		if each.Part != part {
			part = each.Part
			printLine(w, "%s", part)
		}
		each.print(w, old)
	}
}

func printHeader(w io.Writer, m machine, old *report) {
	printLine(w, "%s/%s, %d CPUs, %s", m.OS, m.Arch, m.CPUs, m.Go)
	since := ""
	if old != nil {
		since = "since " + old.Time.Format("2006-01-02")
	}
	printLine(w, columns, "", "measured", "floor", "ratio", "limit", "", since)
}

func (r row) print(w io.Writer, old *report) {
	printLine(w, columns, r.Name, amount(&r.Value, r.Unit), amount(r.Floor, r.Unit), times(r.Ratio), r.limit(), r.verdict(), r.since(old.find(r)))
}

func printLine(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (r row) limit() string {
	if r.Of == "ratio" {
		return times(r.Limit)
	}
	return amount(r.Limit, r.Unit)
}

func (r row) verdict() string {
	switch {
	case r.OK == nil:
		return ""
	case *r.OK:
		return "ok"
	}
	return "over"
}

func amount(v *float64, unit string) string {
	switch {
	case v == nil:
		return ""
	case unit == "":
		return fmt.Sprintf("%.2f", *v)
	}
	return fmt.Sprintf("%.1f %s", *v, unit)
}

func times(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.2fx", *v)
}
