package stream

import (
	"testing"
	"time"
)

func TestClassify(t *testing.T) {
	now := time.Date(2026, 8, 8, 12, 0, 0, 0, time.UTC)
	at := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, time.UTC)
	}
	never := time.Time{}
	tests := []struct {
		format Format
		text   string
		want   Failure
	}{
		{FormatClaude, " \n", Failure{}},
		{FormatClaude, "Something else", Failure{ClassOther, never, false}},

		{FormatClaude, "Claude AI usage limit reached|1786233600", Failure{ClassUsageLimit, at(8, 9, 0, 0), false}},
		{FormatClaude, "Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).", Failure{ClassUsageLimit, at(8, 8, 18, 0), false}},
		{FormatClaude, "5-hour limit reached ∙ resets 1am", Failure{ClassUsageLimit, at(8, 9, 1, 0), false}},
		{FormatClaude, "You’ve hit your limit · resets 1pm (Europe/Lisbon)", Failure{ClassUsageLimit, at(8, 8, 12, 1), false}},
		{FormatClaude, "You're out of extra usage · resets 9pm", Failure{ClassUsageLimit, at(8, 8, 21, 0), false}},
		{FormatClaude, "You're out of extra usage", Failure{ClassCredit, never, false}},
		{FormatClaude, "You've run out of usage credits", Failure{ClassCredit, never, false}},
		{FormatClaude, "You've hit your session limit · resets 10:40pm (Asia/Tokyo) · progress saved", Failure{ClassUsageLimit, at(8, 8, 13, 40), false}},
		{FormatClaude, "You've hit your weekly limit · resets Mon 12:00am", Failure{ClassUsageLimit, at(8, 10, 0, 0), false}},
		{FormatClaude, "You've hit your weekly limit", Failure{ClassUsageLimit, never, false}},
		{FormatClaude, "You've hit your Opus limit · resets 3:45pm", Failure{ClassUsageLimit, at(8, 8, 15, 45), true}},
		{FormatClaude, "You've reached your Fable limit. Switch to another model to continue.", Failure{ClassUsageLimit, never, true}},
		{FormatClaude, "You've reached your Mythos limit. Switch to another model to continue.", Failure{ClassUsageLimit, never, true}},
		{FormatClaude, "You've hit your org's monthly usage limit", Failure{ClassBilling, never, false}},
		{FormatClaude, "You've hit your monthly spend limit · your session limit resets 6pm", Failure{ClassUsageLimit, at(8, 8, 18, 0), false}},
		{FormatClaude, "You've hit your individual spend limit", Failure{ClassBilling, never, false}},
		{FormatClaude, "Your usage allocation has been disabled by your admin", Failure{ClassBilling, never, false}},
		{FormatClaude, "spend limit reached (daily; resets 2026-08-09 00:00 UTC)", Failure{ClassUsageLimit, at(8, 9, 0, 0), false}},
		{FormatClaude, "API Error: 400 You have reached your specified workspace API usage limits. You will regain access on 2026-09-01 at 00:00 UTC.", Failure{ClassBilling, at(9, 1, 0, 0), false}},
		{FormatClaude, "Credit balance is too low", Failure{ClassBilling, never, false}},
		{FormatClaude, "API Error: Request rejected (429) · This request would exceed your account's rate limit. Please try again later.", Failure{ClassTransient, never, false}},
		{FormatClaude, "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited", Failure{ClassTransient, never, false}},
		{FormatClaude, `API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Failure{ClassTransient, never, false}},
		{FormatClaude, "Opus is experiencing high load, please use /model to switch to Sonnet", Failure{ClassTransient, never, true}},
		{FormatClaude, "Your computer went to sleep before a response was produced", Failure{ClassTransient, never, false}},
		{FormatClaude, "Error: No messages returned", Failure{ClassTransient, never, false}},
		{FormatClaude, "OAuth token revoked", Failure{ClassAuth, never, false}},
		{FormatClaude, "API Error: 401 Invalid authentication credentials", Failure{ClassAuth, never, false}},
		{FormatClaude, "Your account does not have access to Claude. Please login again or contact your administrator.", Failure{ClassAuth, never, false}},
		{FormatClaude, "API Error: Claude's response exceeded the 64000 output token maximum.", Failure{ClassOther, never, false}},

		{FormatCodex, "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing), or wait for limits to reset (every 5h and every week.).", Failure{ClassUsageLimit, never, false}},
		{FormatCodex, "You've hit your usage limit. To get more access now, send a request to your admin or try again at Sep 20th, 2026 4:00 PM.", Failure{ClassUsageLimit, at(9, 20, 16, 0), false}},
		{FormatCodex, "You've hit your usage limit. Try again in 5 days 22 hours 11 minutes.", Failure{ClassUsageLimit, at(8, 14, 10, 11), false}},
		{FormatCodex, "You've hit your usage limit for gpt-5. Switch to another model now, or try again at 3:45 PM.", Failure{ClassUsageLimit, at(8, 8, 15, 45), true}},
		{FormatCodex, "You've hit your usage limit for gpt-5. Switch to another model now.", Failure{ClassUsageLimit, never, true}},
		{FormatCodex, `{"type":"usage_limit_reached","plan_type":"plus","resets_at":1786233600,"resets_in_seconds":13872}`, Failure{ClassUsageLimit, at(8, 9, 0, 0), false}},
		{FormatCodex, "Your workspace is out of credits. Ask your admin.", Failure{ClassBilling, never, false}},
		{FormatCodex, "You hit your spend cap set by the owner", Failure{ClassBilling, never, false}},
		{FormatCodex, "unexpected status 503 Service Unavailable: x", Failure{ClassTransient, never, false}},

		{FormatGemini, `[API Error: [{ "error": { "code": 429, "message": "Resource has been exhausted (e.g. check quota).", "status": "RESOURCE_EXHAUSTED" } }]]`, Failure{ClassTransient, never, false}},
		{FormatGemini, "Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per day per user per tier'", Failure{ClassUsageLimit, never, false}},
		{FormatGemini, "You have exhausted your capacity on this model. Your quota will reset after 2h3m4s.", Failure{ClassUsageLimit, now.Add(2*time.Hour + 3*time.Minute + 4*time.Second), true}},
		{FormatGemini, "You have exhausted your capacity on this model. Your quota will reset after 7s.", Failure{ClassTransient, now.Add(7 * time.Second), true}},
		{FormatGemini, "You exceeded your current quota, please check your plan and billing details. Please retry in 44.09s.", Failure{ClassTransient, now.Add(44090 * time.Millisecond), false}},
		{FormatGemini, "No capacity available for model x on the server", Failure{ClassTransient, never, true}},

		{FormatCopilot, "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours.", Failure{ClassUsageLimit, now.Add(2 * time.Hour), false}},
		{FormatCopilot, `402 {"error":{"message":"You have no quota","code":"quota_exceeded"}}`, Failure{ClassBilling, never, false}},
		{FormatCopilot, "Execution failed: Failed to get response from the AI model; retried 5 times (total retry wait time: 92.78 seconds)", Failure{ClassTransient, never, false}},

		{FormatOpenCode, "AI_APICallError: No auth credentials found", Failure{ClassAuth, never, false}},
		{FormatOpenCode, "prompt token count of 129923 exceeds the limit of 128000", Failure{ClassContext, never, false}},
		{FormatOpenCode, "Rate limit reached for x on tokens per min. Please try again in 1.8s", Failure{ClassTransient, now.Add(1800 * time.Millisecond), false}},
		{FormatOpenCode, "You exceeded your current quota, please check your plan", Failure{ClassBilling, never, false}},

		{FormatText, "Error: You've hit your usage limit", Failure{ClassUsageLimit, never, false}},
		{FormatText, "Out of Credits. Upgrade to a paid tier, or add credits to keep using Amp.", Failure{ClassBilling, never, false}},
	}
	for _, tt := range tests {
		got := Classify(tt.format, tt.text, now)
		if got.Class != tt.want.Class || got.Model != tt.want.Model || !got.ResetsAt.Equal(tt.want.ResetsAt) {
			t.Errorf("%v: %s\n got %v %v model=%v\nwant %v %v model=%v", tt.format, tt.text,
				got.Class, got.ResetsAt, got.Model, tt.want.Class, tt.want.ResetsAt, tt.want.Model)
		}
	}
}

func TestClassOf(t *testing.T) {
	tests := []struct {
		word   string
		status int
		want   Class
	}{
		{"", 0, ClassNone}, {"unknown", 0, ClassNone}, {"invalid_request", 400, ClassNone}, {"rate_limit", 429, ClassTransient},
		{"APIError", 503, ClassTransient}, {"", 401, ClassAuth}, {"billing_error", 400, ClassBilling}, {"", 402, ClassBilling},
		{"server_error", 0, ClassTransient}, {"server_error", 404, ClassModel}, {"ContextOverflowError", 0, ClassContext},
	}
	for _, tt := range tests {
		if got := ClassOf(tt.word, tt.status); got != tt.want {
			t.Errorf("%s %d: %v, want %v", tt.word, tt.status, got, tt.want)
		}
	}
}
