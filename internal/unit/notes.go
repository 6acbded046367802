package unit

// Notes lets the caller show what is not an error: warnings, and steps that take long.
type Notes struct {
	Warn   func(format string, args ...any)
	Slowly func(what string) (done func())
}

// Silent returns Notes that show nothing.
func Silent() Notes {
	return Notes{func(string, ...any) {}, func(string) func() { return func() {} }}
}
