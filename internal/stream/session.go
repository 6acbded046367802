package stream

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/valyala/fastjson"
)

const (
	maxText   = 64 << 10 // of one event's text
	maxError  = 4 << 10
	maxDetail = 300 // of a tool's line
	maxDenied = 100
	maxLimits = 16 // windows of an account; the providers know two or three
)

// session collects the events of one stream. The dialects of the agents are
// its methods: each reads one line and calls the methods of this file.
type session struct {
	emit  func(Event)
	sum   Summary
	tally tally
	spoke []byte   // of the running message, not yet emitted because its line is open
	final headTail // of the message that may turn out to be the last one

	failed  bool // a failure was reported and nothing went well since
	aborted bool
	step    string // id of the step counted last

	lastTool    string
	denied      []Denial // collected on the way: the terminal event of some agents does not list them
	listsDenied bool     // it does
	context     int64    // tokens that the model was last given
	status      int      // of the call that failed last, for the retry that follows
	retry       int
}

func newSession(emit func(Event)) *session {
	if emit == nil {
		emit = func(Event) {}
	}
	return &session{emit: emit, final: headTail{headMax: maxFinal / 2, tailMax: maxFinal / 2}}
}

// start notes who works here. An agent may say so several times.
func (s *session) start(id, model string) {
	if id == s.sum.Session && (model == "" || model == s.sum.Model) {
		return
	}
	s.sum.Session = id
	if model != "" {
		s.sum.Model = model
	}
	s.emit(Event{Kind: KindStart, Session: id, Model: model})
}

// say emits a whole message of the agent, or of one of its subagents.
func (s *session) say(text string, sub bool) {
	if strings.TrimSpace(text) != "" {
		if len(text) > maxText {
			text = string(cutMiddle([]byte(text), maxText))
		}
		s.emit(Event{Kind: KindText, Text: text, Sub: sub})
	}
}

// speak appends a piece to the running message and emits the lines that are complete.
func (s *session) speak(piece string) {
	s.final.write([]byte(piece))
	s.spoke = append(s.spoke, piece...)
	n := bytes.LastIndexByte(s.spoke, '\n')
	if n < 0 && len(s.spoke) > maxText {
		n = len(s.spoke) - 1
	}
	if n >= 0 {
		s.say(strings.TrimSuffix(string(s.spoke[:n+1]), "\n"), false)
		s.spoke = append(s.spoke[:0], s.spoke[n+1:]...)
	}
}

// hush ends the running message: what comes next is something else.
func (s *session) hush() {
	s.say(string(s.spoke), false)
	s.spoke = s.spoke[:0]
}

// tool emits a call of a tool. The message before it was not the final one.
func (s *session) tool(name string, input *fastjson.Value, sub bool) {
	s.hush()
	if !sub {
		s.final.reset()
	}
	s.noteTool(name)
	s.emit(Event{Kind: KindTool, Tool: name, Detail: toolDetail(input), Command: command(input), Sub: sub})
}

// toolResult emits a tool's answer.
func (s *session) toolResult(line string, failed, sub bool) {
	s.hush()
	if failed {
		s.noteRefusal(line)
	}
	s.emit(Event{Kind: KindToolResult, Text: line, Failed: failed, Sub: sub})
}

// fail notes a failure that the agent reported on its error carrier. Agents
// like to report one failure twice.
func (s *session) fail(text, class string, status int) {
	s.hush()
	again := s.failed && text == s.sum.LastError
	s.failed = true
	s.sum.LastError, s.sum.ErrorClass, s.sum.Status = text, class, status
	if !again {
		s.emit(Event{Kind: KindError, Text: text})
	}
}

// recovered forgets a failure, because the session continued.
func (s *session) recovered() {
	s.failed, s.retry, s.status = false, 0, 0
	s.sum.LastError, s.sum.ErrorClass, s.sum.Status = "", "", 0
}

// again notes that the agent tries its provider once more.
func (s *session) again(r Retry) {
	s.hush()
	s.sum.Retries++
	s.sum.ErrorClass, s.sum.Status = r.Class, r.Status
	s.emit(Event{Kind: KindRetry, Retry: &r})
}

// limit notes the state of the account.
func (s *session) limit(l Limit) {
	s.window(l)
	if l.Rejected {
		s.sum.Rejected = &l
	}
	s.emit(Event{Kind: KindLimit, Limit: &l})
}

// window remembers the last state of each window. A limit without use and reset says
// nothing.
func (s *session) window(l Limit) {
	if l.Utilization < 0 && l.ResetsAt.IsZero() {
		return
	}
	for i := range s.sum.Limits {
		if s.sum.Limits[i].Window == l.Window {
			s.sum.Limits[i] = l
			return
		}
	}
	if len(s.sum.Limits) < maxLimits {
		s.sum.Limits = append(s.sum.Limits, l)
	}
}

// reopen revokes a terminal event: the session continues after it.
func (s *session) reopen() {
	s.sum.Terminal, s.sum.HasFinal, s.sum.Final = false, false, ""
	s.final.reset()
}

// finish notes a terminal event. final says whether it closes with a message.
func (s *session) finish(r Result, final bool) {
	s.hush()
	s.sum.Terminal, s.sum.Result = true, r
	s.sum.Final, s.sum.HasFinal = "", final && !r.IsError
	if s.sum.HasFinal {
		s.sum.Final = r.Final
	}
	s.sum.Tokens, s.sum.CostUSD, s.sum.HasCost, s.sum.Denied = r.Tokens, r.CostUSD, r.HasCost, r.Denied
	if r.IsError {
		s.failed = true
		s.sum.LastError = cmp.Or(r.Error, s.sum.LastError)
		if r.Status != 0 {
			s.sum.Status = r.Status
		}
	} else {
		s.recovered()
	}
	s.emit(Event{Kind: KindResult, Result: &r})
}

// summary is the state so far. A session without totals, which was ended
// before it could report them, has the tokens counted on the way.
func (s *session) summary() Summary {
	sum := s.sum
	sum.Limits = slices.Clone(sum.Limits)
	if sum.Denied == nil && !s.listsDenied {
		sum.Denied = s.denied
	}
	if sum.Tokens == (Tokens{}) {
		sum.Tokens = s.tally.total()
		sum.Estimated = sum.Tokens != Tokens{}
	}
	return sum
}
