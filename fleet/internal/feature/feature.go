// Package feature is what all parts of the fleet speak of: a feature that was
// submitted, the turns in which hosts work on it, and how far it is. It is the
// contract between the commands, the workflows and the workers, and does nothing.
package feature

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"regexp"
	"strings"
	"time"
)

// Names of workflows and activities. They are in the histories of running
// features, and never change.
const (
	WorkflowName = "ralph-feature"
	AccountName  = "ralph-account"
	TurnName     = "ralph-turn"
)

// Signals and queries of a feature's workflow.
const (
	SignalPause   = "pause"
	SignalResume  = "resume"
	SignalStop    = "stop"
	QueryStanding = "standing"
)

// MemoStanding is the key in a workflow's memo under which its Standing is.
const MemoStanding = "standing"

// Queue is the task queue of all workflows, and of turns that need no label.
const Queue = "ralph"

// QueueFor is the task queue of turns that need a label; empty needs none.
func QueueFor(label string) string {
	if label == "" {
		return Queue
	}
	return Queue + "." + label
}

// Submission is one feature: a branch of a repository, with a plan to complete.
type Submission struct {
	Repo     string `json:"repo"` // as git fetches it
	Branch   string `json:"branch"`
	Flags    Flags  `json:"flags"`
	Priority int    `json:"priority"`        // 1 is first, 5 last
	Needs    string `json:"needs,omitempty"` // the label that a worker must have

	// Silence is how long a host may be silent before another one takes over.
	Silence time.Duration `json:"-"` // as silenceSeconds
	// Patience is how long trouble that may pass, such as a remote that cannot be
	// reached, is borne before the feature is given up.
	Patience time.Duration `json:"-"` // as patienceSeconds
}

// plain is a Submission without its methods.
type plain Submission

// inSeconds is a Submission in JSON.
type inSeconds struct {
	*plain
	Silence  float64 `json:"silenceSeconds"`
	Patience float64 `json:"patienceSeconds"`
}

// MarshalJSON implements [json.Marshaler].
func (s Submission) MarshalJSON() ([]byte, error) {
	return json.Marshal(inSeconds{(*plain)(&s), s.Silence.Seconds(), s.Patience.Seconds()})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Submission) UnmarshalJSON(text []byte) error {
	in := inSeconds{plain: (*plain)(s)}
	err := json.Unmarshal(text, &in)
	s.Silence, s.Patience = seconds(in.Silence), seconds(in.Patience)
	return err
}

func seconds(n float64) time.Duration { return time.Duration(math.Round(n * float64(time.Second))) }

// ID is the workflow's id: the same for the same branch of the same repository,
// which is why a feature never runs twice at once.
func (s Submission) ID() string { return ID(s.Repo, s.Branch) }

// ID names the feature of a branch.
func ID(repo, branch string) string {
	return "ralph/" + RepoName(repo) + "/" + branch
}

// RepoName is a short name for a repository, of letters that a path may have: the
// last part of its address, and some digits of the whole.
func RepoName(repo string) string {
	clean := strings.TrimSuffix(strings.TrimRight(repo, "/"), ".git")
	return distinct(path.Base(strings.ReplaceAll(clean, ":", "/")), clean)
}

// BranchWord is a name for a branch's folder; feature/a and feature-a have two.
func BranchWord(branch string) string { return distinct(Unit(branch), branch) }

func distinct(name, whole string) string {
	sum := sha256.Sum256([]byte(whole))
	return strings.Trim(notInNames.ReplaceAllString(name, "-"), ".-") + "-" + hex.EncodeToString(sum[:3])
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// Unit is what ralph calls the work on a branch.
func Unit(branch string) string { return strings.ReplaceAll(branch, "/", "-") }

// Ordinal numbers the turns of all submissions of a feature: anyone who has the
// greater one may push. Epoch is when the submission began, by the server's clock
// and in nanoseconds, and Turn counts within it.
type Ordinal struct {
	Epoch int64 `json:"epoch"`
	Turn  int   `json:"turn"`
}

// Before reports whether o comes before p.
func (o Ordinal) Before(p Ordinal) bool {
	return o.Epoch < p.Epoch || o.Epoch == p.Epoch && o.Turn < p.Turn
}

func (o Ordinal) String() string {
	return fmt.Sprintf("%s-%d", time.Unix(0, o.Epoch).UTC().Format("20060102-150405"), o.Turn)
}

// Turn is what a host is asked to do: work on a feature until it is done, or until
// something else is to happen with it.
type Turn struct {
	Submission Submission `json:"submission"`
	Ordinal    Ordinal    `json:"ordinal"`
}

// HostWord returns a host's name in a form that fits into the name of a reference.
func HostWord(host string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ReplaceAll(host, ".", "-"), "-"), "-")
}
