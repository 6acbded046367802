package stream

import (
	"regexp"
	"slices"
	"sync"
)

// failureRule recognises a class by patterns of a normalised error message.
type failureRule struct {
	class Class
	model bool     // it is about this model: another one may work
	only  []Format // the agents that print it; empty for all
	reset bool     // the message must name a reset
	not   string   // a pattern of messages that it does not mean
	any   string   // alternatives: at least one must occur
}

// pattern is a failureRule with its patterns compiled.
type pattern struct {
	failureRule
	anywhere, atStart, excluded *regexp.Regexp
}

// patterns returns the rules, which are compiled at the first failure.
var patterns = sync.OnceValue(func() []pattern {
	var list []pattern
	for _, r := range failureRules {
		p := pattern{failureRule: r, anywhere: regexp.MustCompile(r.any), atStart: regexp.MustCompile(leadIn + `(?:` + r.any + `)`)}
		if r.not != "" {
			p.excluded = regexp.MustCompile(r.not)
		}
		list = append(list, p)
	}
	return list
})

// leadIn is what agents print in front of a failure. A text in which other words
// come first is about something else.
const leadIn = `^[\W_]*(?:(?:error|fatal|warning|failed|exceeded retry limit|last|request|call|execution|model|selected|` +
	`unexpected|repeated|rejected|llm|ai|provider|openai|anthropic|codex|claude|gemini|copilot|cursor|opencode|api|https?|status|` +
	`sorry|you(?:'ve|'re|r| have| are)?|we(?:'ve|'re|r| have| are)|please|an?|the|this|is|was|been|has|have|with|` +
	`occurred|after|attempts?|currently|experiencing|type|code|message|\d|[45]\d\d|[\w.]*(?:error|exception))[\W_]+)*`

// matches reports whether the rule recognises the normalised text: by words
// anywhere in it, or at its start.
func (p pattern) matches(f Format, text string, reset, anywhere bool) bool {
	if len(p.only) > 0 && !slices.Contains(p.only, f) || p.reset && !reset {
		return false
	}
	if p.excluded != nil && p.excluded.MatchString(text) {
		return false
	}
	if anywhere {
		return p.anywhere.MatchString(text)
	}
	return p.atStart.MatchString(text)
}

// window is a word for the time that a limit is about.
const window = `(?:\d+[- ]hour|session|weekly|daily|hourly|monthly|usage|requests)`

var claudeOrText = []Format{FormatClaude, FormatText}

// failureRules are tried in order; the first that matches decides. A stop by an
// administrator comes first, since such messages name the session's reset as
// well; usage limits come before overload, since both are answered with 429.
// testdata/failures.yaml has the texts with their sources.
var failureRules = []failureRule{
	{class: ClassUsageLimit, reset: true, any: `.*session limit resets|spend limit reached \(|out of (?:extra usage|usage credits)`},
	{class: ClassCredit, any: `(?:run )?out of (?:extra usage|usage credits)`},
	{class: ClassBilling, any: `.*(?:monthly|individual|channel's) spend limit|.*shared budget|.*individual usage limit|.*org's monthly|` +
		`usage allocation has been disabled|spend limit (?:reached|unavailable)|.*workspace api usage limits|credit balance|.*spend cap`},
	// Gemini reports its quotas by the minute and by the day in words that mean unpaid bills elsewhere.
	{class: ClassUsageLimit, only: []Format{FormatGemini}, any: `exceeded your current quota`},
	{class: ClassBilling, any: `.*check your plan and billing|insufficient_quota|exceeded your current quota|(?:workspace is )?out of credits|` +
		`.*workspace credit limit|quota_exceeded|no quota|.*premium request allowance|billing_error`},

	{class: ClassUsageLimit, model: true, only: claudeOrText, not: `your (?:session|weekly) limit`,
		any: `(?:(?:hit|reached) your )?(?:opus|sonnet|haiku|fable) (?:` + window + ` )?limit|.*limit\. switch to another model`},
	{class: ClassUsageLimit, model: true, any: `hit your usage limit for|.*daily quota on this model|exhausted your capacity on this model`},
	{class: ClassUsageLimit, any: `(?:hit|reached) your (?:[\w-]+ ){0,3}limit\b|` +
		window + `(?: ` + window + `| rate)? limit (?:has been )?(?:reached|exceeded|hit)|usage_limit_reached|user_weekly_rate_limited|` +
		`(?:hit |reached )?your (?:session|weekly) limit|.*your limit will reset|.*free (?:usage|requests) limit|` +
		`individual quota reached|hit a rate limit that restricts`},
	{class: ClassUsageLimit, only: claudeOrText, reset: true, any: `(?:hit|reached) your`},
	{class: ClassUsageLimit, any: `.*per day per user|(?:too many )?(?:requests|tokens) per day|.*quota will reset after`},

	{class: ClassTransient, model: true, any: `.*is at capacity|.*is experiencing high load|no capacity available for model|model is overloaded`},
	{class: ClassTransient, any: `.*not your usage limit|overloaded|rate.?limit|throttl|rejected \(429\)|too many (?:requests|tokens)|` +
		`(?:http|status|error|code)(?: code)?[ :=("]*(?:408|429|50[0234]|529)\b|resource.(?:has been )?exhausted|per minute|please retry in|` +
		`high demand|internal server error|server_error|service unavailable|inference is temporarily unavailable|bad gateway|gateway timeout|` +
		`api error: 5|unexpected status 5|last status: 5|timed out|timeout|unable to connect|.*connection to the api was lost|` +
		`connection (?:lost|reset|refused)|econnreset|econnrefused|etimedout|enotfound|eai_again|socket hang up|` +
		`.*socket connection was closed|fetch failed|network error|stream disconnected|api error: terminated|.*went to sleep|` +
		`response stalled|no messages returned|.*failed to get response from the ai model`},

	{class: ClassAuth, any: `not logged in|please run /login|login expired|.*oauth token (?:revoked|has expired)|(?:invalid|incorrect) api key|` +
		`.*api key not valid|invalid_api_key|(?:no |invalid )?authentication|unauthorized|unauthenticated|no auth credentials|` +
		`.*does not have access to claude|please log ?in|not authenticated|set an auth method|no api key|api error: 40[13]`},
	{class: ClassModel, model: true, any: `.*issue with the selected model|.*model not found|model_not_found|404 not found: model|unknown model|` +
		`.*model does not exist|.*is not a valid model|.*is not supported when using codex`},
	{class: ClassContext, any: `prompt is too long|.*context window|context_length_exceeded|prompt token count|.*maximum context length|` +
		`.*input token count exceeds`},
	{class: ClassRefusal, any: `.*unable to respond to this request|.*violate our usage policy|content.filter`},
}
