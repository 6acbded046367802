package docs_test

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestShownRates compares the rates in README.md with the page that measured them.
func TestShownRates(t *testing.T) {
	truth := readFile(t, "docs/truth.md")
	rates := regexp.MustCompile(`\b0 of \d+\b`).FindAllString(readFile(t, "README.md"), -1)
	for _, rate := range rates {
		if !strings.Contains(truth, rate+": ") {
			t.Errorf("README.md has the rate %q, docs/truth.md does not", rate)
		}
	}
	if len(rates) != 3 { // lies in both rows, and honest agents
		t.Errorf("README.md has %d rates, want 3", len(rates))
	}
}

// TestShownFigures compares the other figures of README.md with the measurements.
func TestShownFigures(t *testing.T) {
	readme, reliability := readFile(t, "README.md"), readFile(t, "docs/reliability.md")
	figures := func(page, expression string) []float64 {
		t.Helper()
		m := regexp.MustCompile(expression).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("nothing matches %s", expression)
		}
		var figures []float64
		for _, digits := range m[1:] {
			f, err := strconv.ParseFloat(strings.ReplaceAll(digits, ",", ""), 64)
			if err != nil {
				t.Fatal(err)
			}
			figures = append(figures, f)
		}
		return figures
	}
	attacks, survivors := figures(readme, `\*\*(\d+) survivors in ([\d,]+) attacks`), figures(reliability, `\| survivors \| (\d+) \|`)
	if rounds := figures(reliability, `\| rounds, on features \| ([\d,]+) on`); attacks[0] != survivors[0] || attacks[1] != rounds[0] {
		t.Errorf("README.md has %v survivors and attacks, docs/reliability.md of %v and %v", attacks, survivors, rounds)
	}
	if most, is := figures(readme, `in 99% of the cases within ([\d.]+) s`), figures(reliability, `99% within ([\d.]+) s`); is[0] > most[0] {
		t.Errorf("README.md promises %v s, docs/reliability.md has %v s", most, is)
	}
	costs := figures(readme, `less than (\d+) ms of CPU per iteration and (\d+) MB of memory`)
	cpu, memory := benchmark(t, "CPU besides the agent, 10 stories"), benchmark(t, "resident, 100 MB")
	if cpu >= costs[0] || math.Round(memory) > costs[1] {
		t.Errorf("README.md promises %v ms and MB, docs/benchmarks.json has %v and %v", costs, cpu, memory)
	}
}

// benchmark returns the figure of that name in the recorded run.
func benchmark(t *testing.T, name string) float64 {
	t.Helper()
	var record struct {
		Rows []struct {
			Name  string  `json:"name"`
			Value float64 `json:"value"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(readFile(t, "docs/benchmarks.json")), &record); err != nil {
		t.Fatal(err)
	}
	for _, row := range record.Rows {
		if row.Name == name {
			return row.Value
		}
	}
	t.Fatalf("docs/benchmarks.json has no %q", name)
	return 0
}
