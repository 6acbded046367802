// Package hint adds hints for the user to errors.
package hint

// Error is an error with a hint: what the user can do about it.
type Error struct {
	Err  error
	Hint string
}

// With returns err with a hint.
func With(err error, text string) *Error { return &Error{err, text} }

// Error returns the text of the error without the hint.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error without the hint.
func (e *Error) Unwrap() error { return e.Err }
