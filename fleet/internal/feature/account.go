package feature

import "time"

// Updates and the query of an account's workflow.
const (
	UpdateTake   = "take"
	UpdateVoid   = "void"
	UpdateLimit  = "limit"
	UpdateSettle = "settle"
	QueryAccount = "account"
)

// AccountID is the id of the workflow that counts the calls of an account to a harness.
func AccountID(account, harness string) string { return "ralph-account/" + account + "/" + harness }

// Take asks for a call. Limit is that of the loop that asks, in calls per clock hour.
type Take struct {
	Run   string `json:"run"`
	Seq   int    `json:"seq"` // distinguishes takes of the run, so that a repeated one counts once
	Limit int    `json:"limit"`
	Host  string `json:"host"`
}

// Grant is the answer. All times are the server's; Now is when it answered.
type Grant struct {
	OK       bool      `json:"ok"`
	Used     int       `json:"used"`
	ResetsAt time.Time `json:"resetsAt"`
	Limited  time.Time `json:"limited,omitzero"` // until when the provider refuses calls
	Note     string    `json:"note,omitempty"`
	Now      time.Time `json:"now"`
}

// Limit reports that the provider refuses calls until a moment; the zero time takes
// that back.
type Limit struct {
	Until time.Time `json:"until,omitzero"`
	Note  string    `json:"note,omitempty"`
	Host  string    `json:"host"`
}

// Settle reports how many of its calls a run that died has on record.
type Settle struct {
	Run   string `json:"run"`
	Calls int    `json:"calls"`
}

// Account is what the workflow of an account knows.
type Account struct {
	Hours   map[string]int  `json:"hours"` // calls by clock hour, such as "2026-11-21T04Z"
	Total   int             `json:"total"`
	Limited time.Time       `json:"limited,omitzero"`
	Note    string          `json:"note,omitempty"`
	By      string          `json:"by,omitempty"`   // the host that met the limit
	Runs    map[string]Took `json:"runs,omitempty"` // the last runs
	Taken   int             `json:"taken"`          // sequence of the takes
}

// Took is what one run has taken.
type Took struct {
	Calls int    `json:"calls"`
	Seq   int    `json:"seq"` // of the last take that was answered
	OK    bool   `json:"ok"`  // and the answer
	Hour  string `json:"hour"`
	At    int    `json:"at"` // sequence of its last one
}

// Hour is the key of a moment's clock hour.
func Hour(t time.Time) string { return t.UTC().Format("2006-01-02T15Z") }
