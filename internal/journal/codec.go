package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// timeLayout is RFC 3339 with exactly three decimals, so that lines of one
// journal sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// lineStart begins every line. It cannot be inside a JSON string, which would escape its quotes:
// so the reader finds the next line after a torn one.
const lineStart = `{"time":"`

// errUnknownType marks an event that a newer program wrote.
var errUnknownType = errors.New("unknown type of event")

// MarshalJSON writes the event as one flat object: time, type and run, then
// the keys of its body.
func (e Event) MarshalJSON() ([]byte, error) {
	line, err := e.appendTo(nil)
	return bytes.TrimSuffix(line, []byte("\n")), err
}

// appendTo appends the event's line, newline included, to buf.
func (e Event) appendTo(buf []byte) ([]byte, error) {
	if e.Body == nil {
		return buf, errors.New("an event of the journal has no body")
	}
	buf = append(buf, lineStart...)
	buf = e.Time.UTC().AppendFormat(buf, timeLayout)
	buf = append(buf, `","type":"`...)
	buf = append(buf, e.Body.EventType()...)
	buf = append(buf, `","run":`...)

	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // a promise should read as one
	if err := enc.Encode(e.Run); err != nil {
		return buf, err
	}
	buf = append(buf, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
	out.Reset()
	if err := enc.Encode(withLists(e.Body)); err != nil {
		return buf, fmt.Errorf("a %s event cannot be written as JSON: %w", e.Body.EventType(), err)
	}
	body := out.Bytes()[1:] // after the brace; ends "}\n"
	if body[0] != '}' {
		buf = append(buf, ',')
	}
	return append(buf, body...), nil
}

// withLists replaces nil lists by empty ones, so that readers in other languages need not handle
// null.
func withLists(b Body) Body {
	switch v := b.(type) {
	case RunStarted:
		v.Stories = orEmpty(v.Stories)
		return v
	case IterationEnded:
		v.Commits, v.StoriesPassed = orEmpty(v.Commits), orEmpty(v.StoriesPassed)
		return v
	case PlanChanged:
		v.Stories = orEmpty(v.Stories)
		return v
	case NoWork:
		v.Stories = orEmpty(v.Stories)
		return v
	case StoryProved:
		v.Checks = orEmpty(v.Checks)
		return v
	case WorkProved:
		v.Stories = orEmpty(v.Stories)
		return v
	case ReviewStarted:
		v.Stories = orEmpty(v.Stories)
		return v
	case ReviewEnded:
		v.Stories = orEmpty(v.Stories)
		return v
	case TamperFound:
		v.Findings = orEmpty(v.Findings)
		return v
	}
	return b
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// UnmarshalJSON reads one event. A type of event that this program does not know is an error.
// It writes to line while it reads, and restores it.
func (e *Event) UnmarshalJSON(line []byte) error {
	head, ok := cutHead(line)
	if !ok {
		head = findHead(line)
	}
	if len(head.typ) == 0 || len(head.run) == 0 {
		return errors.New("it has no time, type and run")
	}
	var at time.Time
	if err := at.UnmarshalText(head.time); err != nil {
		return fmt.Errorf("the time of this %s event is not RFC 3339", head.typ)
	}
	body, err := decodeBody(string(head.typ), head.object)
	if ok {
		head.object[0] = ','
	}
	if err != nil {
		return err
	}
	*e = Event{Time: at.UTC(), Run: string(head.run), Body: body}
	return nil
}

// lineHead is what all events have in common, and an object with what is after it.
type lineHead struct{ time, typ, run, object []byte }

// cutHead reads the head of a line as this program writes it, and makes the rest of the line an
// object of its own. To look for its keys with the body's would make reading half as slow again.
func cutHead(line []byte) (lineHead, bool) {
	at, rest, ok := cutString(line, lineStart)
	if !ok {
		return lineHead{}, false
	}
	typ, rest, ok := cutString(rest, `,"type":"`)
	if !ok {
		return lineHead{}, false
	}
	run, rest, ok := cutString(rest, `,"run":"`)
	switch {
	case !ok:
		return lineHead{}, false
	case bytes.HasPrefix(rest, []byte(`,"`)):
		rest[0] = '{'
	case bytes.HasPrefix(rest, []byte("}")):
		rest = append([]byte("{"), rest...)
	default:
		return lineHead{}, false
	}
	return lineHead{at, typ, run, rest}, true
}

// cutString cuts prefix and the plain string after it, with its closing
// quote, off line.
func cutString(line []byte, prefix string) (value, rest []byte, ok bool) {
	line, ok = bytes.CutPrefix(line, []byte(prefix))
	if !ok {
		return nil, nil, false
	}
	value, rest, ok = bytes.Cut(line, []byte(`"`))
	return value, rest, ok && bytes.IndexByte(value, '\\') < 0
}

// findHead reads a head with its keys anywhere and in any order.
func findHead(line []byte) lineHead {
	text := func(key string) []byte {
		if v := gjson.GetBytes(line, key); v.Type == gjson.String {
			return []byte(v.Str)
		}
		return nil
	}
	return lineHead{text("time"), text("type"), text("run"), line}
}

// decodeBody reads the body of an event of this type.
func decodeBody(typ string, line []byte) (Body, error) {
	switch typ {
	case "run_started":
		return decode[RunStarted](line)
	case "iteration_started":
		return decode[IterationStarted](line)
	case "attempt_started":
		return decode[AttemptStarted](line)
	case "agent_started":
		return decode[AgentStarted](line)
	case "attempt_ended":
		return decode[AttemptEnded](line)
	case "iteration_ended":
		return decode[IterationEnded](line)
	case "wait_started":
		return decode[WaitStarted](line)
	case "wait_ended":
		return decode[WaitEnded](line)
	case "clock_jumped":
		return decode[ClockJumped](line)
	case "harness_switched":
		return decode[HarnessSwitched](line)
	case "check_ended":
		return decode[CheckEnded](line)
	case "story_proved":
		return decode[StoryProved](line)
	case "work_proved":
		return decode[WorkProved](line)
	case "review_started":
		return decode[ReviewStarted](line)
	case "review_ended":
		return decode[ReviewEnded](line)
	case "tamper_found":
		return decode[TamperFound](line)
	case "claim_rejected":
		return decode[ClaimRejected](line)
	case "claim_accepted":
		return decode[ClaimAccepted](line)
	case "base_moved":
		return decode[BaseMoved](line)
	case "plan_restored":
		return decode[PlanRestored](line)
	case "plan_changed":
		return decode[PlanChanged](line)
	case "no_work":
		return decode[NoWork](line)
	case "head_moved":
		return decode[HeadMoved](line)
	case "story_parked":
		return decode[StoryParked](line)
	case "undone":
		return decode[Undone](line)
	case "breaker_opened":
		return decode[BreakerOpened](line)
	case "breaker_reset":
		return decode[BreakerReset](line)
	case "request":
		return decode[Request](line)
	case "warning":
		return decode[Warning](line)
	case "archived":
		return decode[Archived](line)
	case "run_ended":
		return decode[RunEnded](line)
	}
	if !json.Valid(line) {
		return nil, errors.New("it breaks off or is not JSON")
	}
	return nil, errUnknownType
}

func decode[T Body](line []byte) (Body, error) {
	var body T
	if err := json.Unmarshal(line, &body); err != nil {
		return nil, err
	}
	return body, nil
}
