// Package screen prints runs, reports, evidence and plan differences to a terminal.
package screen

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stopwatch"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// Screen shows a run on the terminal: the journal's events as headings and verdicts, and the
// agent's output live.
type Screen struct {
	mu      sync.Mutex
	t       *terminal.Terminal
	w       io.Writer
	Agent   *stream.Printer
	verbose bool
	Title   string // of the terminal; empty without one
	Max     int
	hint    string // what the last call's failure needs
	foot    terminal.Footer
}

// New returns a screen that writes to w with the settings of the terminal t.
func New(t *terminal.Terminal, w io.Writer, worktree string, verbose bool) *Screen {
	s := &Screen{t: t, w: w, verbose: verbose}
	s.foot = terminal.Footer{T: t, Lock: &s.mu, Line: func(text string) { s.line(t.Paint(terminal.Dim, t.Symbol("…")), text) }}
	s.Agent = stream.NewPrinter(w, stream.PrinterOptions{Color: t.Color, Verbose: verbose, ASCII: t.ASCII, Width: t.Width()})
	if t.Redraws {
		s.Title = "Ralph: " + stream.OneLine(filepath.Base(worktree))
	}
	return s
}

// Stream prints an event of the agent's output.
func (s *Screen) Stream(e stream.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foot.Erase()
	s.Agent.Event(e)
}

// Working shows the current activity until the next event.
func (s *Screen) Working(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foot.Working(what)
}

// Flush writes the agent's last output.
func (s *Screen) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Agent.Flush()
}

// Event prints an event of the journal.
func (s *Screen) Event(e journal.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Agent.Flush()
	if _, aside := e.Body.(journal.ClockJumped); aside {
		s.foot.Erase()
	} else {
		s.foot.Hide()
	}
	switch b := e.Body.(type) {
	case journal.RunStarted:
		s.runStarted(b)
	case journal.IterationStarted:
		s.iterationStarted(b)
	case journal.AttemptStarted:
		if b.Attempt > 1 {
			s.line(s.t.Paint(terminal.Dim, s.t.Symbol("●")), fmt.Sprintf("calling the agent again (attempt %d)", b.Attempt))
		}
	case journal.AttemptEnded:
		s.hint = b.Hint
	case journal.IterationEnded:
		s.iterationEnded(b)
	case journal.WaitStarted:
		s.wait(b)
	case journal.CheckEnded:
		s.check(b)
	case journal.RunEnded:
		s.setTitle(run.LoopWord(b.Status, b.Reason))
	default:
		s.remark(e.Body)
	}
}

// aside shows a line that is not in the journal.
func (s *Screen) aside(mark, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Agent.Flush()
	s.foot.Erase()
	s.line(s.t.Mark(mark), text)
}

// remark shows events that are a line each.
func (s *Screen) remark(body journal.Body) {
	mark, text := s.t.Mark("⚠"), journal.Sentence(body)
	switch b := body.(type) {
	case journal.ClaimRejected, journal.ClockJumped, journal.HeadMoved, journal.NoWork, journal.PlanRestored, journal.Warning:
	case journal.StoryParked:
		mark = s.t.Mark("●")
	case journal.HarnessSwitched:
		mark = s.t.Mark("●")
		if b.Until != nil {
			text += " until " + words.Local(*b.Until)
		}
	case journal.PlanChanged:
		mark = s.t.Paint(terminal.Cyan, s.t.Symbol("●"))
	case journal.Request:
		mark = s.t.Paint(terminal.Cyan, s.t.Symbol("●"))
		s.changed(b.Set)
	case journal.BreakerOpened:
		mark = s.t.Mark("✗")
	case journal.BreakerReset:
		mark = s.t.Paint(terminal.Dim, s.t.Symbol("●"))
	case journal.StoryProved:
		if len(b.Checks) > 0 {
			mark = s.t.Mark("✓")
			if b.Mode != journal.ProvedClean && b.Proof == nil && len(journal.Unsealed(b.Checks)) == 0 {
				return // the lines of its checks have said it
			}
		}
	case journal.ReviewEnded:
		if b.Verdict == journal.ReviewAccept {
			mark = s.t.Mark("✓")
		}
	case journal.TamperFound:
		s.tampered(b)
		return
	case journal.WorkProved:
		for _, doubt := range b.Proof.Doubts {
			s.line(mark, strings.Join(append(b.Stories, doubt), ": "))
		}
		return
	default:
		return
	}
	s.line(mark, text)
}

// changed takes over the settings that the screen shows.
func (s *Screen) changed(set []journal.Setting) {
	for _, v := range set {
		if n, err := strconv.Atoi(v.Value); err == nil && v.Key == "defaults.max_iterations" {
			s.Max = n
		}
	}
}

// shownFindings is how many findings the screen lists; the journal has them all.
const shownFindings = 10

// tampered shows what an iteration did to tests, checks and CI.
func (s *Screen) tampered(b journal.TamperFound) {
	mark := s.t.Mark("⚠")
	if len(b.Findings) == 0 {
		mark = s.t.Mark("✓")
	}
	s.line(mark, journal.Sentence(b))
	for i, f := range b.Findings {
		if i == shownFindings {
			s.line(" ", fmt.Sprintf("  and %d more, in the journal", len(b.Findings)-i+b.More))
			break
		}
		s.line(" ", "  "+f.String())
	}
}

func (s *Screen) runStarted(b journal.RunStarted) {
	s.Max = b.MaxIterations
	model := b.Harness
	if b.Model != "" {
		model += " (" + b.Model + ")"
	}
	dot := " " + s.t.Symbol("·") + " "
	head := strings.Join([]string{b.Unit, string(b.Plan) + " plan", model}, dot)
	fmt.Fprintf(s.w, "%s%s%s\n", s.t.Paint(terminal.Bold, "ralph"), dot, stream.OneLine(head))
	done := 0
	for _, st := range b.Stories {
		if st.Done {
			done++
		}
	}
	limits := fmt.Sprintf("at most %s of %s", words.Count(b.MaxIterations, "iteration"), words.Duration(time.Duration(b.TimeoutSeconds*float64(time.Second))))
	if len(b.Stories) > 0 {
		limits = fmt.Sprintf("Progress: %d/%d %s%s%s", done, len(b.Stories), b.Plan.Items(), dot, limits)
	}
	fmt.Fprintln(s.w, s.t.Paint(terminal.Dim, limits))
}

func (s *Screen) iterationStarted(b journal.IterationStarted) {
	head := fmt.Sprintf("Iteration: %d/%d", b.N, s.Max)
	if b.Story != nil {
		head += "  " + b.Story.Name()
	}
	head = stream.OneLine(head)
	rule := strings.Repeat(s.t.Symbol("─"), 2)
	fmt.Fprintf(s.w, "\n%s\n", s.t.Paint(terminal.Bold, rule+" "+head+" "+rule))
	s.setTitle(fmt.Sprintf("%d/%d", b.N, s.Max))
}

func (s *Screen) iterationEnded(b journal.IterationEnded) {
	parts := b.Results()
	if total := b.Tokens.Total(); total > 0 {
		parts = append(parts, words.Tokens(total, b.TokensEstimated)+" tokens")
	}
	if b.CostUSD != nil && *b.CostUSD > 0 {
		parts = append(parts, words.Cost(*b.CostUSD))
	}
	if b.StoriesTotal > 0 {
		parts = append(parts, fmt.Sprintf("Progress: %d/%d", b.StoriesComplete, b.StoriesTotal))
	}
	if !b.Progress && b.NoProgress > 0 {
		parts = append(parts, fmt.Sprintf("no progress (%d in a row)", b.NoProgress))
	}
	dot := " " + s.t.Symbol("·") + " "
	if b.Outcome != journal.OutcomeOK {
		s.line(s.t.Mark("✗"), strings.Join(append([]string{string(b.Outcome) + ": " + b.Error}, parts...), dot))
		if s.hint != "" && b.Outcome != journal.OutcomeAuth { // it ends the run, and the summary shows the hint
			fmt.Fprintf(s.w, "  %s\n", s.t.Paint(terminal.Dim, stream.OneLine(s.hint)))
		}
		return
	}
	mark := s.t.Mark("✓")
	if !b.Progress {
		mark = s.t.Mark("●")
	}
	s.line(mark, strings.Join(append([]string{fmt.Sprintf("iteration %d", b.N)}, parts...), dot))
}

func (s *Screen) check(b journal.CheckEnded) {
	took := ""
	if !b.Same {
		took = " (" + words.Seconds(b.DurationSeconds) + ")"
	}
	text := fmt.Sprintf("check %s: %s%s%s", b.Name, b.Outcome, took, b.Place())
	if b.Outcome == journal.CheckPassed {
		s.line(s.t.Mark("✓"), text)
		return
	}
	s.line(s.t.Mark("✗"), text)
	if s.verbose || b.Phase == journal.PhaseBaseline {
		for line := range strings.Lines(words.LastLines(b.Tail, 5)) {
			fmt.Fprintf(s.w, "    %s\n", stream.Sanitize(strings.TrimRight(line, "\n")))
		}
	}
}

// line prints a mark, already in its colour, and a text.
func (s *Screen) line(mark, text string) {
	fmt.Fprintf(s.w, "%s %s\n", mark, stream.OneLine(text))
}

// setTitle names the terminal; the sequence goes to the terminal only, never
// into a file.
func (s *Screen) setTitle(state string) {
	if s.Title != "" {
		fmt.Fprintf(s.t.Out, "\x1b]2;%s [%s]\x07", s.Title, state)
	}
}

// wait says why the run waits, and on a terminal counts down.
func (s *Screen) wait(b journal.WaitStarted) {
	until := ""
	if b.Until != nil {
		until = " until " + words.Local(*b.Until)
	}
	s.line(s.t.Mark("…"), fmt.Sprintf("waiting%s (%s): %s", until, words.WithSpaces(b.Reason), b.Message))
	if s.t.Redraws && b.Until != nil {
		end := stopwatch.Until(*b.Until, time.Now())
		watch := stopwatch.Start()
		s.foot.Show(func() string {
			return words.Duration(end.Left(watch.Passed(), time.Now())) + " left"
		})
	}
}
