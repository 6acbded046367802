package main

import "testing"

// TestSimulation plays many runs. Each may die at any event.
func TestSimulation(t *testing.T) {
	const iterations = 50_000
	if _, _, err := play(1, iterations, bug{}); err != nil {
		t.Fatal(err)
	}
}

// TestPlantedBugsAreFound: a rule with a condition dropped breaks an invariant.
func TestPlantedBugsAreFound(t *testing.T) {
	for _, b := range bugs() {
		t.Run(b.name, func(t *testing.T) {
			if total, _, err := play(1, 50_000, b); err == nil {
				t.Errorf("not found in %d iterations", total)
			}
		})
	}
}
