package config

import (
	"errors"
	"strings"
	"time"
)

// Minutes, Seconds and Hours are spans of time as the files write them;
// fractions are possible.
type (
	Minutes float64
	Seconds float64
	Hours   float64
	Span    float64 // minutes; a file too may write it with its unit, as in 6h
)

// Duration returns the span of time.
func (m Minutes) Duration() time.Duration { return time.Duration(float64(m) * float64(time.Minute)) }

// Duration returns the span of time.
func (s Seconds) Duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

// Duration returns the span of time.
func (h Hours) Duration() time.Duration { return time.Duration(float64(h) * float64(time.Hour)) }

// Duration returns the span of time.
func (s Span) Duration() time.Duration { return Minutes(s).Duration() }

// Command is a program and its arguments. No shell ever reads it.
type Command []string

var errQuote = errors.New("a quotation mark is not closed")

// splitWords splits a command that is written as one text: at white space, but
// not inside of '…' or "…"; a backslash takes the next character as it is,
// except inside of '…'.
func splitWords(text string) (Command, error) {
	var words Command
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case strings.ContainsRune(" \t\r\n", r):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, errQuote
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
