package prd

import (
	"regexp"
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

// require records that the document may be against the schema unless ok.
func (d *decoder) require(ok bool) {
	if !ok {
		d.doubtful = true
	}
}

func (d *decoder) text(v gjson.Result) string {
	d.require(v.Type == gjson.String)
	return v.Str
}

func (d *decoder) optionalText(v gjson.Result) string {
	if v.Type == gjson.Null {
		return ""
	}
	return d.text(v)
}

func (d *decoder) criteria(list gjson.Result) []string {
	if !list.IsArray() {
		d.doubtful = true
		return nil
	}
	var criteria []string
	list.ForEach(func(_, v gjson.Result) bool {
		c := d.text(v)
		d.require(hasInk(c))
		criteria = append(criteria, c)
		return true
	})
	d.require(len(criteria) > 0)
	return criteria
}

// priority reads a plain whole number; how else an integer may be written
// (1.0, 10e0) is left to the schema.
func (d *decoder) priority(v gjson.Result) int {
	const maxPriority = 999999999 // as in the schema
	n := 0
	for _, c := range []byte(v.Raw) {
		if c < '0' || c > '9' || n > maxPriority {
			d.doubtful = true
			break
		}
		n = 10*n + int(c-'0')
	}
	if d.require(n >= 1 && n <= maxPriority); d.doubtful && v.Num >= 1 && v.Num <= maxPriority {
		return int(v.Num)
	}
	return n
}
