package stream

import (
	"slices"
	"strings"
	"time"
)

// Class is the kind of a failure, which decides how the run reacts.
type Class string

// The classes of failure.
const (
	ClassNone       Class = ""            // nothing failed
	ClassUsageLimit Class = "usage_limit" // the account's allowance is used up until a reset
	ClassTransient  Class = "transient"   // overload, rate limit or network: trying again helps
	ClassAuth       Class = "auth"        // not logged in, or a key that is not accepted
	ClassBilling    Class = "billing"     // no credit, or a stop by an administrator: the user must act
	ClassCredit     Class = "credit"      // as ClassBilling, unless the stream names the allowance's reset
	ClassModel      Class = "model"       // the model is unknown
	ClassContext    Class = "context"     // the prompt does not fit into the model's context
	ClassRefusal    Class = "refusal"     // the model or its provider declined the request
	ClassOther      Class = "other"       // anything else
)

// Failure is the meaning of an error message: its class and the end of its limit.
type Failure struct {
	Class    Class
	ResetsAt time.Time // when the text says that it is over, zero where it does not; always after now
	Text     string    // the line of an output that says so
	Model    bool      // it is about this model: another one may work
}

// shortWait is how long a quota may be used up and still be a mere rate limit.
const shortWait = 5 * time.Minute

// Classify returns the meaning of an agent's error message. The message must be from its
// terminal event or from the error event before it. Never pass text that the agent read or
// wrote. Prefer facts from fields of the stream, such as Summary.Rejected.
func Classify(format Format, message string, now time.Time) Failure {
	return classify(format, message, now, true)
}

// ClassifyOutput returns the meaning of the standard error, or plain text, of an agent that
// failed. Such output may quote anything. So only lines count that start with the words of an
// agent's error, and the last one decides.
func ClassifyOutput(format Format, output string, now time.Time) Failure {
	other := Failure{}
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		switch f := classify(format, line, now, false); f.Class {
		case ClassNone:
		case ClassOther:
			other = f
		default:
			f.Text = line
			return f
		}
	}
	return other
}

func classify(format Format, message string, now time.Time, anywhere bool) Failure {
	text := normalise(message)
	if text == "" {
		return Failure{}
	}
	f := Failure{Class: ClassOther}
	f.ResetsAt, _ = parseReset(message, now)
	for _, p := range patterns() {
		if p.matches(format, text, !f.ResetsAt.IsZero(), anywhere) {
			f.Class, f.Model = p.class, p.model
			break
		}
	}
	if f.Class == ClassUsageLimit && format == FormatGemini && !f.ResetsAt.IsZero() && f.ResetsAt.Sub(now) < shortWait {
		f.Class = ClassTransient
	}
	return f
}

// ClassOf returns the class for the agent's own error word and the HTTP status. ClassNone
// means that they do not decide it. A status of 429 gives ClassTransient: only the text or
// Summary.Rejected shows an account limit.
func ClassOf(word string, status int) Class {
	switch strings.ToLower(word) {
	case "authentication_failed", "authentication", "oauth_org_not_allowed", "providerautherror":
		return ClassAuth
	case "billing_error":
		return ClassBilling
	case "rate_limit", "overloaded":
		return ClassTransient
	case "model_not_found":
		return ClassModel
	case "contextoverflowerror":
		return ClassContext
	}
	switch {
	case status == 401 || status == 403:
		return ClassAuth
	case status == 402:
		return ClassBilling
	case status == 404:
		return ClassModel
	case status == 408 || status == 429 || status >= 500:
		return ClassTransient
	}
	// Claude says server_error of lost connections too, which have no status.
	if strings.EqualFold(word, "server_error") {
		return ClassTransient
	}
	return ClassNone
}

// normalise folds what differs between versions of the same message: case,
// apostrophes, separators and white space.
func normalise(text string) string {
	text = strings.NewReplacer("\u2019", "'", "\u2018", "'", "\u2219", "\u00b7", "\u2022", "\u00b7", "\u00a0", " ", "\u202f", " ").Replace(text)
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}
