package prd

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// timePattern is the schema's pattern of createdAt.
const timePattern = `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])` +
	`([T ]([01][0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60)([.,][0-9]+)?)?(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?)?$`

var timeRegexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(timePattern) })

// ValidTime tells whether s is an ISO-8601 date, or date and time, as
// prd.json and spec.md may hold it.
func ValidTime(s string) bool { return timeRegexp().MatchString(s) }

// blank tells white space and control characters of ASCII, which is what the
// schema's patterns count as nothing.
func blank(r rune) bool { return r <= ' ' || r == 0x7f }

func hasInk(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !blank(r) }) >= 0
}

func wellFormedID(s string) bool { return s != "" && strings.IndexFunc(s, blank) < 0 }

// text returns a string, and whether the value is one.
func (d *decoder) text(v gjson.Result, at place) (string, bool) {
	ok := d.expect(v.Type == gjson.String, "string", v, at)
	return unescaped(v), ok
}

// unescaped returns the text of a string. gjson loses the character behind
// half a surrogate pair; encoding/json keeps it.
func unescaped(v gjson.Result) string {
	if len(v.Raw) <= len(v.Str)+2 || !strings.Contains(v.Raw, `\u`) {
		return v.Str
	}
	var s string
	if json.Unmarshal([]byte(v.Raw), &s) != nil { // no string: refused already
		return ""
	}
	return s
}

// textThat returns a string that has to keep a rule; broken says what to
// report where it does not.
func (d *decoder) textThat(rule func(string) bool, v gjson.Result, at place, broken string) string {
	s, ok := d.text(v, at)
	if ok && !rule(s) {
		d.refuse(v.Index, at, broken, "")
	}
	return s
}

func (d *decoder) optionalText(v gjson.Result, at place) string {
	d.expect(v.Type == gjson.String || v.Type == gjson.Null, "string or null", v, at)
	return unescaped(v)
}

func (d *decoder) criteria(list gjson.Result, at place) []string {
	if !d.expect(list.IsArray(), "array", list, at) {
		return nil
	}
	var criteria []string
	list.ForEach(func(_, v gjson.Result) bool {
		at.item = len(criteria)
		criteria = append(criteria, d.textThat(hasInk, v, at, "must not be empty"))
		return true
	})
	if len(criteria) == 0 {
		d.refuse(list.Index, at, "a story needs at least one acceptance criterion", "")
	}
	return criteria
}

// maxPriority is the schema's maximum.
const maxPriority = 999999999

// priority returns an integer in whichever way JSON may write it: 1.0 and
// 10e-1 are 1.
func (d *decoder) priority(v gjson.Result, at place) int {
	whole := v.Type == gjson.Number && v.Num == math.Trunc(v.Num)
	switch {
	case !d.expect(whole, "integer", v, at):
	case v.Num < 1:
		d.refuse(v.Index, at, "a priority is a whole number from 1, the highest", "")
	case v.Num > maxPriority:
		d.refuse(v.Index, at, "a priority has at most nine digits", "")
	// A fraction may be too small for a float64 to hold.
	case d.expect(exactly(int(v.Num), v.Raw), "integer", v, at):
		return int(v.Num)
	}
	return 0
}

// exactly tells whether a number, whose nearest float64 is n, is n.
func exactly(n int, number string) bool {
	return !strings.ContainsAny(number, ".eE") || significant(number) == significant(strconv.Itoa(n))
}

// significant returns the digits of a number without those that only scale it.
func significant(number string) string {
	if e := strings.IndexAny(number, "eE"); e >= 0 {
		number = number[:e]
	}
	return strings.Trim(strings.Replace(number, ".", "", 1), "0")
}
