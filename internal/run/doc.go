// Package run is the model of a unit: what its journal says, folded into one value.
//
// [State] holds the facts and what was decided; [State.Apply] is the only place where
// events become state. Everything that people or programs see is a plain function of a
// State: [State.Status], [State.LoopState], [State.ChangeState], [State.History].
//
// [Next] holds the rules: it reads a [Position], which is the part of a State that decides,
// and what the loop observed a moment ago, and names the next step.
//
// Nothing here reads a file, a clock or a random number.
package run
