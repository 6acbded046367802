package report

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"ralph/internal/run"
)

// The burn-up, in units of its own drawing.
const (
	chartWidth  = 720
	chartHeight = 220
	chartLeft   = 34
	chartRight  = chartWidth - 10
	chartTop    = 12
	chartBottom = chartHeight - 30
	mostPoints  = 300
	mostShades  = 80
)

// chart is the burn-up: items of the plan over time.
type chart struct {
	Width, Height, Left, Right, Top, Bottom int
	Label                                   string // the whole in words
	Total, Complete, Area                   string // paths
	Shades                                  []shade
	Dots                                    []dot
	X, Y                                    []tick
}

// shade is a wait.
type shade struct {
	X, Width float64
	Title    string
}

// dot is an iteration in which something was accepted.
type dot struct {
	X, Y  float64
	Title string
}

type tick struct {
	At     float64
	Text   string
	Anchor string // of SVG's text-anchor
}

// Drawn is the height of what is drawn between the axes' ends.
func (c *chart) Drawn() int { return c.Bottom - c.Top }

// YText is where the numbers next to the axis end.
func (c *chart) YText() int { return c.Left - 7 }

// XText is the height of the times below the axis.
func (c *chart) XText() int { return c.Bottom + 18 }

// chart draws the run; nil where its plan has no items.
func (r *Run) chart() *chart {
	most := 0
	for _, p := range r.Points {
		most = max(most, p.Total, p.Complete)
	}
	if most == 0 {
		return nil
	}
	start, span := r.StartedAt.Time, max(r.Span(), time.Second)
	c := &chart{Width: chartWidth, Height: chartHeight, Left: chartLeft, Right: chartRight, Top: chartTop, Bottom: chartBottom}
	x := func(t time.Time) float64 {
		part := min(max(float64(t.Sub(start))/float64(span), 0), 1)
		return round(chartLeft + part*(chartRight-chartLeft))
	}
	y := func(n int) float64 { return round(chartBottom - float64(n)/float64(most)*(chartBottom-chartTop)) }

	points := thin(r.Points, mostPoints)
	c.Total = steps(points, x, func(p run.Point) float64 { return y(p.Total) })
	c.Complete = steps(points, x, func(p run.Point) float64 { return y(p.Complete) })
	c.Area = fmt.Sprintf("%sV%dH%vZ", c.Complete, chartBottom, x(start))
	c.Label = fmt.Sprintf("%d of %d done at the start, %d of %d at the end", points[0].Complete, points[0].Total, r.Complete, r.Total)

	for _, n := range r.Notes {
		if width := n.Seconds / span.Seconds() * (chartRight - chartLeft); n.Kind == NoteWait && width >= 1 && len(c.Shades) < mostShades {
			c.Shades = append(c.Shades, shade{x(n.At.Time), round(width), "waiting: " + n.Text})
		}
	}
	accepting := r.accepting()
	for _, it := range thin(accepting, mostPoints) {
		c.Dots = append(c.Dots, dot{x(it.EndedAt.Time), y(it.Complete), fmt.Sprintf("iteration %d: %s", it.N, some(it.Accepted, mostNames))})
	}
	c.Y = []tick{{At: y(0), Text: "0"}, {At: y(most), Text: fmt.Sprint(most)}}
	if half := most / 2; half > 0 && most%2 == 0 {
		c.Y = append(c.Y, tick{At: y(half), Text: fmt.Sprint(half)})
	}
	c.X = timeTicks(start, span, x)
	return c
}

// accepting are the iterations in which something was accepted.
func (r *Run) accepting() []*Iteration {
	var list []*Iteration
	for i := range r.Iterations {
		if it := &r.Iterations[i]; it.Ended && len(it.Accepted) > 0 {
			list = append(list, it)
		}
	}
	return list
}

// thin leaves at most so many of a list, evenly, the first and the last among them.
func thin[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	out := make([]T, 0, most)
	for i := range most {
		out = append(out, list[i*(len(list)-1)/(most-1)])
	}
	return out
}

// steps returns the path of a step line: each value stays level until the next one.
func steps(points []run.Point, x func(time.Time) float64, y func(run.Point) float64) string {
	var path strings.Builder
	for i, p := range points {
		if i == 0 {
			fmt.Fprintf(&path, "M%v %v", x(p.At.Time), y(p))
			continue
		}
		fmt.Fprintf(&path, "H%vV%v", x(p.At.Time), y(p))
	}
	fmt.Fprintf(&path, "H%d", chartRight)
	return path.String()
}

// timeTicks marks the beginning, the end, and three times between, as far as they
// have names of their own: a run may last a second.
func timeTicks(start time.Time, span time.Duration, x func(time.Time) float64) []tick {
	layout := "15:04"
	switch {
	case span > 24*time.Hour:
		layout = "2 Jan 15:04"
	case span < 10*time.Minute:
		layout = "15:04:05"
	}
	var ticks []tick
	anchors := [5]string{"start", "middle", "middle", "middle", "end"} // so that none is cut off
	end := start.Add(span).Local().Format(layout)
	for i, anchor := range anchors {
		t := start.Add(span * time.Duration(i) / 4)
		text := t.Local().Format(layout)
		if anchor == "middle" && (text == end || text == ticks[len(ticks)-1].Text) {
			continue
		}
		ticks = append(ticks, tick{x(t), text, anchor})
	}
	return ticks
}

func round(f float64) float64 { return float64(int(f*10+0.5)) / 10 }

// address makes a relative path into an address that no browser takes for one
// with a scheme.
func address(path string) string {
	if path == "" {
		return ""
	}
	u := url.URL{Path: path}
	if escaped := u.EscapedPath(); strings.HasPrefix(escaped, "../") {
		return escaped
	}
	return "./" + u.EscapedPath()
}
