package stream

import "strings"

// failureRule recognises a class by phrases of an error message.
type failureRule struct {
	class Class
	model bool
	only  formats  // the agents that say so; none named: all
	reset bool     // the message must tell a reset
	not   []string // phrases that speak against it
	any   []string // phrases, normalised, one of which must occur
}

type formats uint8

func of(list ...Format) formats {
	var set formats
	for _, f := range list {
		set |= 1 << f
	}
	return set
}

// matches says whether the rule recognises the normalised text.
func (r failureRule) matches(f Format, text string, reset bool) bool {
	if r.only != 0 && r.only&of(f) == 0 || r.reset && !reset {
		return false
	}
	return !containsAny(text, r.not) && containsAny(text, r.any)
}

func containsAny(text string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// failureRules are tried in order; the first that matches tells. A stop by an
// administrator comes first, since such messages tell the session's reset as
// well; usage limits come before overload, since both are answered with 429.
func failureRules() []failureRule {
	return []failureRule{
		{class: ClassUsageLimit, reset: true, any: []string{"session limit resets", "spend limit reached (", "out of extra usage", "out of usage credits"}},
		{class: ClassCredit, any: []string{"out of extra usage", "out of usage credits"}},
		{class: ClassBilling, any: []string{
			"monthly spend limit", "individual spend limit", "shared budget", "channel's spend limit", "individual usage limit", "org's monthly",
			"usage allocation has been disabled", "spend limit reached", "spend limit unavailable",
			"workspace api usage limits", "credit balance", "spend cap",
		}},
		// Gemini tells its quotas by the minute and by the day in the words that mean unpaid bills elsewhere.
		{class: ClassUsageLimit, only: of(FormatGemini), any: []string{"exceeded your current quota"}},
		{class: ClassBilling, any: []string{
			"check your plan and billing", "insufficient_quota", "exceeded your current quota", "out of credits",
			"workspace credit limit", "quota_exceeded", "you have no quota", "premium request allowance", "billing_error",
		}},

		{class: ClassUsageLimit, model: true, only: of(FormatClaude, FormatText), not: limitOfTime, any: []string{
			"your opus limit", "your sonnet limit", "your haiku limit", "your fable limit", "limit. switch to another model",
		}},
		{class: ClassUsageLimit, model: true, any: []string{"hit your usage limit for", "daily quota on this model", "exhausted your capacity on this model"}},
		{class: ClassUsageLimit, any: []string{
			"hit your limit", "reached your limit", "hit your usage limit", "reached your usage limit", "usage limit reached",
			"usage limit has been reached", "usage_limit_reached", "-hour limit reached", "your limit will reset",
			"hit your session limit", "hit your weekly limit", "hit your fast limit", "your session limit", "your weekly limit",
			"free usage limit", "free requests limit", "individual quota reached", "hit a rate limit that restricts",
		}},
		{class: ClassUsageLimit, only: of(FormatClaude, FormatText), reset: true, any: []string{"you've hit your", "you have hit your", "you've reached your", "you have reached your"}},
		{class: ClassUsageLimit, any: []string{"per day per user", "requests per day", "tokens per day", "quota will reset after"}},

		{class: ClassTransient, model: true, any: []string{"is at capacity", "is experiencing high load", "no capacity available for model", "model is overloaded"}},
		{class: ClassTransient, any: transientPhrases},

		{class: ClassAuth, any: []string{
			"not logged in", "please run /login", "login expired", "token revoked", "token has expired", "invalid api key", "incorrect api key",
			"api key not valid", "invalid_api_key", "authentication", "unauthorized", "unauthenticated", "no auth credentials",
			"does not have access to claude", "please login", "please log in", "not authenticated", "set an auth method", "no api key", "api error: 401", "api error: 403",
		}},
		{class: ClassModel, model: true, any: []string{
			"issue with the selected model", "model not found", "model_not_found", "404 not found: model", "unknown model",
			"model does not exist", "is not a valid model", "is not supported when using codex",
		}},
		{class: ClassContext, any: []string{
			"prompt is too long", "context window", "context_length_exceeded", "prompt token count", "maximum context length",
			"input token count exceeds",
		}},
		{class: ClassRefusal, any: []string{"unable to respond to this request", "violate our usage policy", "content_filter", "content-filter"}},
	}
}

// limitOfTime are the limits that hold for every model.
var limitOfTime = []string{"your session limit", "your weekly limit"}

// transientPhrases are what providers and networks say when they are in trouble.
var transientPhrases = []string{
	"not your usage limit", "overloaded", "rate limit", "rate_limit", "request rejected (429)", "too many requests",
	"resource has been exhausted", "resource_exhausted", "per minute", "please retry in", "high demand",
	"internal server error", "server_error", "service unavailable", "bad gateway", "gateway timeout",
	"api error: 5", "unexpected status 5", "last status: 5", "timed out", "timeout", "unable to connect",
	"connection to the api was lost", "connection lost", "connection reset", "connection refused", "econnreset", "econnrefused",
	"etimedout", "enotfound", "eai_again", "socket hang up", "socket connection was closed", "fetch failed", "network error",
	"stream disconnected", "api error: terminated", "went to sleep", "response stalled", "no messages returned",
	"failed to get response from the ai model",
}
