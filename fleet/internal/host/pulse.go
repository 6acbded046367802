package host

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/events"
	"ralph/fleet/internal/feature"
)

// word is what the engine answers to a sign of life.
type word int

const (
	fine    word = iota
	wished       // the user wishes something
	givenUp      // the host was silent for too long, and the feature is not its any more
	unheard      // the server cannot be reached
)

const (
	longestPulse = 5 * time.Second
	linesKept    = 12
)

// pulse sends a turn's signs of life. It does not use the SDK, because it must know the result of
// each: a turn must distinguish being cut off from being asked to end.
type pulse struct {
	engine engine.Engine
	token  []byte
	every  time.Duration
	limit  time.Duration // of one sign of life
	hear   func(word)    // called with each answer

	mu       sync.Mutex
	progress feature.Progress
	soon     chan struct{} // of size one: something worth reporting has happened
}

// beat sends signs of life until ctx is done.
func (p *pulse) beat(ctx context.Context) {
	ticker := time.NewTicker(p.every)
	defer ticker.Stop()
	for {
		p.hear(p.send(ctx))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			continue
		case <-p.soon:
		}
		select { // report frequent events once
		case <-ctx.Done():
			return
		case <-time.After(min(p.every, time.Second)):
		}
	}
}

func (p *pulse) send(ctx context.Context) word {
	limited, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	err := p.engine.Client.RecordActivityHeartbeat(limited, p.token, p.now())
	var canceled *temporal.CanceledError
	var gone *serviceerror.NotFound
	switch {
	case err == nil, ctx.Err() != nil:
		return fine
	case errors.As(err, &canceled):
		return wished
	case errors.As(err, &gone):
		return givenUp
	}
	return unheard
}

func (p *pulse) now() feature.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	progress := p.progress
	progress.Lines = append([]string(nil), p.progress.Lines...)
	return progress
}

// change changes the content of the next sign of life, and sends it soon.
func (p *pulse) change(f func(*feature.Progress)) {
	p.mu.Lock()
	f(&p.progress)
	p.mu.Unlock()
	select {
	case p.soon <- struct{}{}:
	default:
	}
}

// event adds an event of the run to the next sign of life.
func (p *pulse) event(e events.Event, line string, spent feature.Spent, most int) {
	p.change(func(now *feature.Progress) {
		events.Follow(now, e)
		now.Spent, now.Event = spent, line
		now.Events++
		now.Iteration, now.MaxIterations = spent.Iterations, most
		if e.Type == "iteration_started" {
			now.Iteration++
		}
		if words := e.Words(); words != "" {
			now.Lines = append(now.Lines, words)
			now.Lines = now.Lines[max(len(now.Lines)-linesKept, 0):]
		}
	})
}
