package fakeapi

import (
	"net/http"
	"strconv"
	"time"
)

// Reply is one scripted answer of the model or of its provider.
type Reply struct {
	blocks []block

	fault   fault // an error instead of a message
	status  int   // of it
	class   string
	message string
	header  http.Header
	resets  time.Time // of a usage limit

	fate fate
}

// block is a content block of a message.
type block struct {
	text  string
	tool  string
	input map[string]any
}

// fault is a refusal by the provider; each API has its own words for the known ones.
type fault uint8

const (
	none         fault = iota
	other              // as its status, class and message say
	unauthorized       // the key is wrong
	overloaded         // too much to do
	limited            // the account's allowance is used up
)

// fate is what becomes of a stream.
type fate uint8

const (
	complete fate = iota
	hangs         // silent after its blocks
	drops         // cut off after its blocks
	fails         // cut off before its first block
)

// Text is a message with nothing but text, which ends the session.
func Text(text string) Reply { return Reply{blocks: []block{{text: text}}} }

// Tool is a call of one of the CLI's tools.
func Tool(name string, input map[string]any) Reply {
	return Reply{blocks: []block{{tool: name, input: input}}}
}

// Bash is a call of the shell tool, whatever the agent that asks calls it.
func Bash(command string) Reply {
	return Tool(shell, map[string]any{"command": command, "description": "Run a command"})
}

// Write is a call of the tool that writes a file. The CLI wants an absolute path.
func Write(path, content string) Reply {
	return Tool("Write", map[string]any{"file_path": path, "content": content})
}

// Saying returns r with a text before its tool call.
func (r Reply) Saying(text string) Reply {
	r.blocks = append([]block{{text: text}}, r.blocks...)
	return r
}

// And returns r with the blocks of another reply after its own, such as a second tool call
// in the same message.
func (r Reply) And(more Reply) Reply {
	r.blocks = append(append([]block(nil), r.blocks...), more.blocks...)
	return r
}

// Error is a refusal by the provider, with the class that its body names.
func Error(status int, class, message string) Reply {
	return Reply{fault: other, status: status, class: class, message: message, header: http.Header{}}
}

// Unauthorized is the answer to a key that the provider does not know.
func Unauthorized() Reply {
	return Error(http.StatusUnauthorized, "authentication_error", "invalid x-api-key").as(unauthorized)
}

// statusOverloaded is the provider's own status; net/http has no name for it.
const statusOverloaded = 529

// Overloaded is the answer of a provider with too much to do.
func Overloaded() Reply {
	return Error(statusOverloaded, "overloaded_error", "Overloaded").as(overloaded)
}

// UsageLimit is the answer at the end of a subscription's window, five_hour or
// seven_day; other providers than Anthropic have no name for it. Claude Code
// recognises it only with CLAUDE_CODE_OAUTH_TOKEN.
func UsageLimit(window string, resets time.Time) Reply {
	r := Error(http.StatusTooManyRequests, "rate_limit_error",
		"This request would exceed your account's rate limit. Please try again later.").as(limited)
	r.resets = resets
	for key, value := range map[string]string{
		"Status":                  "rejected",
		"Reset":                   strconv.FormatInt(resets.Unix(), 10),
		"Representative-Claim":    window,
		"Overage-Status":          "rejected",
		"Overage-Disabled-Reason": "org_level_disabled",
	} {
		r.header.Set("Anthropic-Ratelimit-Unified-"+key, value)
	}
	return r
}

// Hang is a stream that falls silent after a text. The CLI prints the text, so
// that a test can wait for it.
func Hang(text string) Reply {
	r := Text(text)
	r.fate = hangs
	return r
}

// Drop is a stream with a connection that breaks after a text. The CLI gives up if it has
// seen the text by then, else it asks again without a stream: only timing decides. As the
// last reply of a script, Drop always ends it in error.
func Drop(text string) Reply {
	r := Text(text)
	r.fate = drops
	return r
}

// Fail is a stream with a connection that breaks before any content: the CLI asks again,
// without a stream.
func Fail() Reply { return Reply{fate: fails} }

func (r Reply) as(f fault) Reply {
	r.fault = f
	return r
}

func (r Reply) callsTools() bool {
	for _, b := range r.blocks {
		if b.tool != "" {
			return true
		}
	}
	return false
}
