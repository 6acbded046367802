package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/words"
)

//go:embed page.html
var pageSource string

// PageOptions has what a page needs in addition to the report.
type PageOptions struct {
	Now time.Time // when it is made
	// Log returns the relative address of a log that the journal names from the
	// worktree's root; empty without one.
	Log func(logFile string) string
}

// htmlPage is what the template shows.
type htmlPage struct {
	Title, Unit string
	Outcome     string
	Mark        Mark
	Meta        []string
	Tiles       []tile
	Task        string
	Chart       *chart // nil where the plan has no items
	Stories     Table
	Before      []Decision
	End         Decision
	EndTitle    string
	Rows        []row
	RowsNote    string
	Tables      []Table
	Made        string
}

// tile is a number in large letters.
type tile struct{ Value, Name, Note string }

// HTML writes the run as a page in one file, without scripts or links to other resources. The
// size is at most some hundred kilobytes, however many iterations there are. Run must not be
// nil.
func (r *Report) HTML(w io.Writer, o PageOptions) error {
	// Parsed here and not at the start of the program: few commands need it.
	t, err := template.New("page").Parse(pageSource)
	if err != nil {
		return fmt.Errorf("the page's template is wrong: %w", err)
	}
	return t.Execute(w, r.page(o))
}

func (r *Report) page(o PageOptions) htmlPage {
	run := r.Run
	p := htmlPage{
		Title: r.Unit + ": " + run.Outcome(), Unit: r.Unit, Outcome: run.Outcome(), Mark: run.Mark(), Task: run.Task,
		Tiles: run.tiles(r.Plan), Stories: run.storyTable(r.Plan.Items()), Chart: run.chart(), Before: run.Decisions(&run.Before), End: run.End(),
		Made: fmt.Sprintf("Made by ralph %s from the journal, %s. Times are %s.", run.Version, at(o.Now), o.Now.Local().Format("MST (-07:00)")),
	}
	for _, text := range []string{r.Branch, string(r.Plan) + " plan", run.Agent(), "run " + run.ID, run.when()} {
		if text != "" {
			p.Meta = append(p.Meta, text)
		}
	}
	p.EndTitle = "Why it ended"
	if run.Active() {
		p.EndTitle = "Current state"
	}
	p.Rows, p.RowsNote = run.rows(o)
	p.Tables = r.Tables()
	return p
}

// Mark returns Good for a run that is done, None while it runs, else Bad.
func (s Summary) Mark() Mark {
	switch {
	case s.Done():
		return Good
	case s.Active():
		return None
	}
	return Bad
}

// Agent returns the harness, with its model in parentheses if it has one.
func (s Summary) Agent() string {
	if s.Model == "" || s.Model == s.Harness {
		return s.Harness
	}
	return s.Harness + " (" + s.Model + ")"
}

// at formats a time in the local time zone.
func at(t time.Time) string { return t.Local().Format("2 Jan 2006 15:04") }

// when formats the start and the end of the run.
func (s Summary) when() string {
	start, end, between := s.StartedAt.Time, s.EndedAt.Time, " – "
	if end.IsZero() {
		end, between = s.UpdatedAt.Time, ", last heard of "
	}
	if start.Local().Format(time.DateOnly) == end.Local().Format(time.DateOnly) {
		return at(start) + between + end.Local().Format("15:04")
	}
	return at(start) + between + at(end)
}

func (r *Run) tiles(plan journal.PlanKind) []tile {
	var tiles []tile
	if r.Total > 0 {
		tiles = append(tiles, tile{fmt.Sprintf("%d/%d", r.Complete, r.Total), plan.Items(), ""})
	}
	note := ""
	if r.MaxIterations > 0 {
		note = fmt.Sprintf("at most %d", r.MaxIterations)
	}
	tiles = append(tiles,
		counted(r.Ended, "iteration", note),
		tile{words.Duration(r.Span()), "in all", r.Spent.String()},
		counted(r.Commits, "commit", ""))
	if n := r.Tokens.Total(); n > 0 {
		note := ""
		if cached := r.Tokens.CacheRead; cached > 0 {
			note = words.Tokens(cached, r.TokensEstimated) + " from cache"
		}
		tiles = append(tiles, tile{words.Tokens(n, r.TokensEstimated), "tokens", note})
	}
	if r.CostUSD != nil {
		tiles = append(tiles, tile{words.Cost(*r.CostUSD), "cost", ""})
	}
	return tiles
}

func counted(n int, what, note string) tile {
	number, name, _ := strings.Cut(words.Count(n, what), " ")
	return tile{number, name, note}
}
