package stream

import "slices"

// tally counts tokens message by message, for sessions that end before they
// report their own totals.
type tally struct {
	done   Tokens    // of the messages that are no longer looked for
	recent []message // the oldest first
}

// message is what is known of one answer of the model.
type message struct {
	id     string
	tokens Tokens
	text   int64 // bytes that it wrote
}

// recentMessages is how many messages may be open at once: subagents work side by side.
const recentMessages = 32

// bytesPerToken is the usual rule of thumb for English and code.
const bytesPerToken = 4

// note takes the usage on one line of a message. The lines of one
// message repeat it, and its output is the count at the message's start, so
// the length of what was written is the better guess.
func (t *tally) note(id string, usage Tokens, written int) {
	for i := range slices.Backward(t.recent) {
		if m := &t.recent[i]; m.id == id {
			m.tokens, m.text = usage, m.text+int64(written)
			return
		}
	}
	if len(t.recent) == recentMessages {
		t.done = t.done.Add(t.recent[0].guess())
		t.recent = slices.Delete(t.recent, 0, 1)
	}
	t.recent = append(t.recent, message{id, usage, int64(written)})
}

func (m message) guess() Tokens {
	tokens := m.tokens
	tokens.Output = max(tokens.Output, m.text/bytesPerToken)
	return tokens
}

// total is the count so far.
func (t *tally) total() Tokens {
	sum := t.done
	for _, m := range t.recent {
		sum = sum.Add(m.guess())
	}
	return sum
}
