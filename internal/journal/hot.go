package journal

// decodeHot reads the rest of a line whose type of event is one of those that
// long journals consist of. ok is false where it is another one, or where the
// line is not in this program's own form.
func decodeHot(typ string, rest []byte) (b Body, ok bool) {
	c := cursor{rest: rest}
	switch typ {
	case "iteration_started":
		b = c.iterationStarted()
	case "attempt_started":
		b = c.attemptStarted()
	case "agent_started":
		b = c.agentStarted()
	case "attempt_ended":
		b = c.attemptEnded()
	case "check_ended":
		b = c.checkEnded()
	case "claim_rejected":
		b = c.claimRejected()
	case "iteration_ended":
		b = c.iterationEnded()
	default:
		return nil, false
	}
	return b, c.ok()
}

func (c *cursor) iterationStarted() (b IterationStarted) {
	for c.next() {
		switch string(c.key) {
		case "iteration":
			b.N = c.int()
		case "story":
			b.Story = c.story(b.Story)
		case "head":
			b.Head = c.text()
		default:
			c.bad = true
		}
	}
	return b
}

func (c *cursor) attemptStarted() (b AttemptStarted) {
	for c.next() {
		switch string(c.key) {
		case "iteration":
			b.N = c.int()
		case "attempt":
			b.Attempt = c.int()
		case "harness":
			b.Harness = c.text()
		case "model":
			b.Model = c.text()
		case "logFile":
			b.LogFile = c.text()
		case "logOffset":
			b.LogOffset = c.int64()
		case "output":
			b.Output = c.text()
		case "apiCallsUsed":
			b.CallsUsed = c.int()
		case "apiCallsLimit":
			b.CallsLimit = c.int()
		case "rateLimitResetsAt":
			b.CallsResetAt = c.time()
		default:
			c.bad = true
		}
	}
	return b
}

func (c *cursor) agentStarted() (b AgentStarted) {
	for c.next() {
		switch string(c.key) {
		case "iteration":
			b.N = c.int()
		case "attempt":
			b.Attempt = c.int()
		case "pid":
			b.PID = c.int()
		case "pidStart":
			b.PIDStart = c.text()
		default:
			c.bad = true
		}
	}
	return b
}

func (c *cursor) attemptEnded() (b AttemptEnded) {
	for c.next() {
		switch string(c.key) {
		case "iteration":
			b.N = c.int()
		case "attempt":
			b.Attempt = c.int()
		case "outcome":
			b.Outcome = c.text()
		case "message":
			b.Message = c.text()
		case "hint":
			b.Hint = c.text()
		case "exitCode":
			b.ExitCode = c.int()
		case "signal":
			b.Signal = c.text()
		case "durationSeconds":
			b.DurationSeconds = c.float()
		case "tokens":
			c.tokens(&b.Tokens)
		case "tokensEstimated":
			b.TokensEstimated = c.bool()
		case "costUsd":
			b.CostUSD = c.cost()
		case "session":
			b.Session = c.text()
		case "model":
			b.Model = c.text()
		case "resetsAt":
			b.ResetsAt = c.time()
		case "modelLimit":
			b.ModelLimit = c.bool()
		case "promised":
			b.Promised = c.bool()
		case "denied":
			b.Denied = c.texts()
		case "strays":
			b.Strays = c.int()
		case "brokenLines":
			b.BrokenLines = c.int()
		case "limits":
			b.Limits = c.limits()
		default:
			c.bad = true
		}
	}
	return b
}

func (c *cursor) checkEnded() (b CheckEnded) {
	for c.next() {
		switch string(c.key) {
		case "iteration":
			b.N = c.int()
		case "phase":
			b.Phase = c.text()
		case "name":
			b.Name = c.text()
		case "command":
			b.Command = c.text()
		case "outcome":
			b.Outcome = c.text()
		case "exitCode":
			b.ExitCode = c.int()
		case "durationSeconds":
			b.DurationSeconds = c.float()
		case "tree":
			b.Tree = c.text()
		case "clean":
			b.Clean = c.bool()
		case "same":
			b.Same = c.bool()
		case "tail":
			b.Tail = c.text()
		default:
			c.bad = true
		}
	}
	return b
}

func (c *cursor) claimRejected() (b ClaimRejected) {
	for c.next() {
		switch string(c.key) {
		case "iteration":
			b.N = c.int()
		case "claim":
			b.Claim = c.text()
		case "stories":
			b.Stories = c.texts()
		case "reason":
			b.Reason = c.text()
		default:
			c.bad = true
		}
	}
	return b
}

func (c *cursor) iterationEnded() (b IterationEnded) {
	for c.next() {
		switch string(c.key) {
		case "iteration":
			b.N = c.int()
		case "outcome":
			b.Outcome = c.text()
		case "error":
			b.Error = c.text()
		case "exitCode":
			b.ExitCode = c.int()
		case "head":
			b.Head = c.text()
		case "commits":
			b.Commits = c.texts()
		case "storiesPassed":
			b.StoriesPassed = c.texts()
		case "storiesComplete":
			b.StoriesComplete = c.int()
		case "changedFiles":
			n := c.int()
			b.ChangedFiles = &n
		case "storiesTotal":
			b.StoriesTotal = c.int()
		case "currentStory":
			b.CurrentStory = c.story(b.CurrentStory)
		case "progress":
			b.Progress = c.bool()
		case "noProgress":
			b.NoProgress = c.int()
		case "sameError":
			b.SameError = c.int()
		case "promised":
			b.Promised = c.bool()
		case "done":
			b.Done = c.bool()
		case "tokens":
			c.tokens(&b.Tokens)
		case "tokensEstimated":
			b.TokensEstimated = c.bool()
		case "costUsd":
			b.CostUSD = c.cost()
		case "logFile":
			b.LogFile = c.text()
		case "work":
			b.Work = c.text()
		default:
			c.bad = true
		}
	}
	return b
}
