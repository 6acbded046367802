package prd_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/prd"
)

// document fills a plan of one line per key: description is line 2, the story
// starts in line 5, its keys follow.
func document(old, new string) string {
	const whole = `{
  "description": "d",
  "createdAt": "2026-01-15",
  "userStories": [
    {
      "id": "S-1",
      "title": "t",
      "acceptanceCriteria": ["a", "b"],
      "priority": 1,
      "passes": false
    }
  ]
}`
	return strings.Replace(whole, old, new, 1)
}

type violation struct {
	data string
	want []string
}

// violations are files that are refused, and what is said about each.
func violations() map[string]violation {
	return map[string]violation{
		"empty file":            {" \n", []string{"prd.json: the file is empty"}},
		"not JSON":              {"{\n  \"description\": x}", []string{"prd.json:2:18: not JSON: invalid character 'x' looking for beginning of value"}},
		"cut off":               {"{", []string{"prd.json:1:1: not JSON: unexpected end of JSON input"}},
		"text behind":           {document("\n}", "\n} x"), []string{"prd.json:13:3: not JSON: invalid character 'x' after top-level value"}},
		"UTF-16":                {"\xff\xfe{\x00}\x00", []string{"prd.json:1:1: the file is in UTF-16"}},
		"Latin-1":               {document(`"d"`, "\"\ufffd d\xe9j\xe0\""), []string{"prd.json:2:22: the file is not valid UTF-8"}},
		"an array":              {"[]", []string{"prd.json:1:1: expected object, but got array"}},
		"a number":              {"1", []string{"prd.json:1:1: expected object, but got number"}},
		"nothing in it":         {"{}", []string{`prd.json:1:1: "description" is missing`, `prd.json:1:1: "createdAt" is missing`, `prd.json:1:1: "userStories" is missing`}},
		"no time":               {document("2026-01-15", "yesterday"), []string{"prd.json:3:16: createdAt: not an ISO-8601 time, such as 2026-01-15T10:30:00Z"}},
		"month 13":              {document("2026-01-15", "2026-13-15"), []string{"prd.json:3:16: createdAt: not an ISO-8601 time, such as 2026-01-15T10:30:00Z"}},
		"stories are null":      {`{"description":"d","createdAt":"2026-01-15","userStories":null}`, []string{"prd.json:1:59: userStories: expected array, but got null"}},
		"no stories":            {`{"description":"d","createdAt":"2026-01-15","userStories":[]}`, []string{"prd.json:1:59: userStories: a plan needs at least one story"}},
		"story is a string":     {`{"description":"d","createdAt":"2026-01-15","userStories":["x"]}`, []string{"prd.json:1:60: userStories[0]: expected object, but got string"}},
		"no id":                 {document(`"id": "S-1",`, ""), []string{`prd.json:5:5: userStories[0]: "id" is missing`}},
		"empty id":              {document("S-1", ""), []string{"prd.json:6:13: userStories[0].id: an id must not be empty or contain white space"}},
		"id with a blank":       {document("S-1", "S 1"), []string{"prd.json:6:13: userStories[0].id: an id must not be empty or contain white space"}},
		"id is half a pair":     {document("S-1", `\ud800\u0020`), []string{"prd.json:6:13: userStories[0].id: an id must not be empty or contain white space"}},
		"id is a number":        {document(`"S-1"`, "1"), []string{"prd.json:6:13: userStories[0].id: expected string, but got number"}},
		"empty title":           {document(`"t"`, `" \t"`), []string{"prd.json:7:16: userStories[0].title: must not be empty"}},
		"description a flag":    {document(`"description": "d"`, `"description": true`), []string{"prd.json:2:18: description: expected string, but got boolean"}},
		"description null":      {document(`"description": "d"`, `"description": null`), []string{"prd.json:2:18: description: expected string, but got null"}},
		"criteria an object":    {document(`["a", "b"]`, "{}"), []string{"prd.json:8:29: userStories[0].acceptanceCriteria: expected array, but got object"}},
		"empty criterion":       {document(`"b"`, `""`), []string{"prd.json:8:35: userStories[0].acceptanceCriteria[1]: must not be empty"}},
		"criterion is object":   {document(`"b"`, "{}"), []string{"prd.json:8:35: userStories[0].acceptanceCriteria[1]: expected string, but got object"}},
		"priority too large":    {document(`"priority": 1`, `"priority": 1000000000`), []string{"prd.json:9:19: userStories[0].priority: a priority has at most nine digits"}},
		"priority a string":     {document(`"priority": 1`, `"priority": "1"`), []string{"prd.json:9:19: userStories[0].priority: expected number, but got string"}},
		"priority negative":     {document(`"priority": 1`, `"priority": -1e9`), []string{"prd.json:9:19: userStories[0].priority: a priority has at most nine digits"}},
		"priority immense":      {document(`"priority": 1`, `"priority": 1e9999999`), []string{"prd.json:9:19: the number 1e9999999 is too large"}},
		"priority null":         {document(`"priority": 1`, `"priority": null`), []string{"prd.json:9:19: userStories[0].priority: expected number, but got null"}},
		"passes a string":       {document("false", `"yes"`), []string{"prd.json:10:17: userStories[0].passes: expected boolean, but got string"}},
		"passes null":           {document("false", "null"), []string{"prd.json:10:17: userStories[0].passes: expected boolean, but got null"}},
		"a dependency a number": {document("false", `false, "dependsOn": ["S-2", 1]`), []string{"prd.json:10:45: userStories[0].dependsOn[1]: expected string, but got number"}},
		"a dependency empty":    {document("false", `false, "dependsOn": [""]`), []string{"prd.json:10:38: userStories[0].dependsOn[0]: an id must not be empty or contain white space"}},
		"model a flag":          {document("false", `false, "model": true`), []string{"prd.json:10:33: userStories[0].model: expected string or null, but got boolean"}},
		"immense elsewhere":     {document("false", `false, "x": [1e999]`), []string{"prd.json:10:30: the number 1e999 is too large"}},
		"notes a list":          {document("false", `false, "notes": []`), []string{"prd.json:10:33: userStories[0].notes: expected string or null, but got array"}},
		"key twice":             {document("false", `false, "passes": true`), []string{"prd.json:10:24: userStories[0].passes: the key occurs twice in the same object"}},
		"unknown key twice":     {document("false", `false, "x": 1, "x": 1`), []string{"prd.json:10:32: userStories[0].x: the key occurs twice in the same object"}},
		"id twice": {
			document("    }\n", "    },\n    {\"id\": \"S-1\", \"title\": \"t\", \"acceptanceCriteria\": [\"a\"], \"priority\": 1, \"passes\": true}\n"),
			[]string{`prd.json:12:5: userStories[1].id: the id "S-1" is taken by the story in line 5`},
		},
		"several at once": {
			document(`"priority": 1,`, `"priority": -1e10, "passes": "no", "passes": 1,`),
			[]string{
				"prd.json:9:19: userStories[0].priority: a priority has at most nine digits",
				"prd.json:9:42: userStories[0].passes: the key occurs twice in the same object",
				"prd.json:10:7: userStories[0].passes: the key occurs twice in the same object",
			},
		},
	}
}

func TestParseNamesEachViolation(t *testing.T) {
	for name, tt := range violations() {
		t.Run(name, func(t *testing.T) {
			_, _, err := prd.Parse("prd.json", []byte(tt.data))
			invalid := (*prd.InvalidError)(nil)
			if !errors.As(err, &invalid) {
				t.Fatalf("error = %v, want an *InvalidError", err)
			}
			if diff := cmp.Diff(tt.want, lines(invalid.Findings)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseAcceptsOtherFormsOfTheSame(t *testing.T) {
	tests := map[string]string{
		"dependencies":        document(`"title"`, `"dependsOn": ["S-0"], "model": null, "title"`),
		"priority 1.0":        document(`"priority": 1`, `"priority": 1.0`),
		"priority 1e0":        document(`"priority": 1`, `"priority": 1e0`),
		"priority 0.01E+2":    document(`"priority": 1`, `"priority": 0.01E+2`),
		"date and time":       document("2026-01-15", "2026-01-15T10:30:00.123+02:00"),
		"a blank for the T":   document("2026-01-15", "2026-01-15 10:30"),
		"null description":    document(`"title"`, `"description": null, "title"`),
		"escapes":             document(`"t"`, `"\u0074\ud83d\ude00\n"`),
		"schema for editors":  document(`"description"`, `"$schema": "./prd.schema.json", "description"`),
		"escaped key":         document(`"title"`, `"\u0074itle"`),
		"text is not English": document(`"t"`, `"タイトル"`),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			p, warnings, err := prd.Parse("prd.json", []byte(data))
			if err != nil || len(warnings) > 0 {
				t.Fatalf("error = %v, warnings = %v", err, warnings)
			}
			if p.Stories[0].Priority != 1 {
				t.Errorf("priority = %g, want 1", p.Stories[0].Priority)
			}
		})
	}
}

func TestParseGuessesWhatAMisspeltKeyMeant(t *testing.T) {
	tests := map[string]struct{ old, new, want string }{
		"nothing like it": {`"title"`, `"branchName": "x", "title"`, `prd.json:7:7: userStories[0].branchName: unknown key "branchName", kept as it is`},
		"swapped letters": {`"title"`, `"ntoes": "x", "title"`, `prd.json:7:7: userStories[0].ntoes: unknown key "ntoes", kept as it is; Did you mean "notes"?`},
		"snake case":      {`"title"`, `"acceptance_criteria": [], "title"`, `prd.json:7:7: userStories[0].acceptance_criteria: unknown key "acceptance_criteria", kept as it is; Did you mean "acceptanceCriteria"?`},
		"in the root":     {`"description"`, `"Description": "", "description"`, `prd.json:2:3: Description: unknown key "Description", kept as it is; Did you mean "description"?`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, warnings, err := prd.Parse("prd.json", []byte(document(tt.old, tt.new)))
			if err != nil || len(warnings) != 1 {
				t.Fatalf("error = %v, warnings = %v", err, warnings)
			}
			got := warnings[0].String()
			if warnings[0].Hint != "" {
				got += "; " + warnings[0].Hint
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestParseTellsWhichKeyStandsForAMissingOne(t *testing.T) {
	_, _, err := prd.Parse("prd.json", []byte(document(`"priority"`, `"priorty"`)))
	invalid := (*prd.InvalidError)(nil)
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	if got, want := invalid.Findings[0].Hint, `Did you mean it by "priorty"?`; got != want {
		t.Errorf("hint = %q, want %q", got, want)
	}
}

func TestAStoryWithoutCriteriaIsAWarning(t *testing.T) {
	p, warnings, err := prd.Parse("prd.json", []byte(document(`["a", "b"]`, "[]")))
	if err != nil || len(p.Stories) != 1 {
		t.Fatal(err)
	}
	want := []string{"prd.json:8:29: userStories[0].acceptanceCriteria: a story needs at least one acceptance criterion"}
	if diff := cmp.Diff(want, lines(warnings)); diff != "" || !warnings[0].NoCriteria {
		t.Error(diff)
	}
}

func TestInvalidErrorCountsWhatItDoesNotShow(t *testing.T) {
	_, _, err := prd.Parse("prd.json", []byte("{}"))
	if got, want := err.Error(), `prd.json:1:1: "description" is missing (and 2 more)`; got != want {
		t.Errorf("error = %q, want %q", got, want)
	}
}

func TestParseOfAFileThatIsWrongThroughout(t *testing.T) {
	data := document(`["a", "b"]`, "["+strings.Repeat(`"",`, 100_000)+`""]`)
	_, _, err := prd.Parse("prd.json", []byte(data))
	if err == nil || !strings.HasSuffix(err.Error(), "(and 99 more)") {
		t.Errorf("error = %v", err)
	}
}

func lines(fs []prd.Problem) []string {
	var s []string
	for _, f := range fs {
		s = append(s, f.String())
	}
	return s
}
