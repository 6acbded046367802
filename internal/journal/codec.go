package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
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
// null. Lists that may be missing stay as they are.
func withLists[B Body](b B) B {
	list := reflect.New(reflect.TypeOf(b)).Elem()
	list.Set(reflect.ValueOf(b))
	for i := range list.NumField() {
		f, tag := list.Field(i), list.Type().Field(i).Tag.Get("json")
		if f.Kind() == reflect.Slice && f.IsNil() && !strings.HasSuffix(tag, ",omitempty") {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
	return list.Interface().(B)
}

// UnmarshalJSON reads one event. A type of event that this program does not know is an error.
// It writes to line while it reads, and restores it.
func (e *Event) UnmarshalJSON(line []byte) error {
	head, ok := cutHead(line)
	if ok {
		defer func() { head.object[0] = ',' }()
	} else {
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

// bodies has, for each type of event, the function that reads its body.
var bodies = map[string]func([]byte) (Body, error){
	"run_started":       decode[RunStarted],
	"iteration_started": decode[IterationStarted],
	"attempt_started":   decode[AttemptStarted],
	"agent_started":     decode[AgentStarted],
	"attempt_ended":     decode[AttemptEnded],
	"iteration_ended":   decode[IterationEnded],
	"wait_started":      decode[WaitStarted],
	"wait_ended":        decode[WaitEnded],
	"clock_jumped":      decode[ClockJumped],
	"harness_switched":  decode[HarnessSwitched],
	"check_ended":       decode[CheckEnded],
	"story_proved":      decode[StoryProved],
	"work_proved":       decode[WorkProved],
	"review_started":    decode[ReviewStarted],
	"review_ended":      decode[ReviewEnded],
	"tamper_found":      decode[TamperFound],
	"claim_rejected":    decode[ClaimRejected],
	"claim_accepted":    decode[ClaimAccepted],
	"base_moved":        decode[BaseMoved],
	"plan_restored":     decode[PlanRestored],
	"plan_changed":      decode[PlanChanged],
	"no_work":           decode[NoWork],
	"head_moved":        decode[HeadMoved],
	"story_parked":      decode[StoryParked],
	"undone":            decode[Undone],
	"breaker_opened":    decode[BreakerOpened],
	"breaker_reset":     decode[BreakerReset],
	"request":           decode[Request],
	"warning":           decode[Warning],
	"archived":          decode[Archived],
	"run_ended":         decode[RunEnded],
}

// decodeBody reads the body of an event of this type.
func decodeBody(typ string, line []byte) (Body, error) {
	if decode := bodies[typ]; decode != nil {
		return decode(line)
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
