// Package hint is errors together with what the user can do about them.
package hint

// Error is an error and a hint.
type Error struct {
	Err  error
	Hint string
}

// With adds a hint to an error.
func With(err error, text string) *Error { return &Error{err, text} }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error without the hint.
func (e *Error) Unwrap() error { return e.Err }
