package proc

import "fmt"

// Keeper keeps one guardian running for a run, and starts another if it is lost.
type Keeper struct {
	Start func() (*Guardian, error)
	Token string // in the environment of everything that the run starts

	guardian *Guardian
}

// Get returns the running guardian. If the last one was lost, Get ends its remaining processes
// and starts a new guardian.
func (k *Keeper) Get() (*Guardian, error) {
	if k.guardian != nil && !k.guardian.IsLost() {
		return k.guardian, nil
	}
	if k.guardian != nil {
		// Its children live on without a parent. The token identifies them.
		if _, err := EndByToken(k.Token); err != nil {
			return nil, err
		}
		k.Close()
	}
	g, err := k.Start()
	if err != nil { // it may have been killed before it was ready
		g, err = k.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("the guardian cannot be started: %w", err)
	}
	k.guardian = g
	return g, nil
}

// CloseLost closes a guardian that was lost, and ends the processes that it left.
func (k *Keeper) CloseLost() {
	if k.guardian != nil && k.guardian.IsLost() {
		k.Close()
	}
}

// Close ends the guardian and everything that it started.
func (k *Keeper) Close() {
	if k.guardian != nil {
		_ = k.guardian.Close()
		k.guardian = nil
	}
}
