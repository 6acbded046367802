package unit

// Notes is how a caller hears of what is no error: warnings, and what takes long.
type Notes struct {
	Warn   func(format string, args ...any)
	Slowly func(what string) (done func())
}

// Silent returns Notes that show nothing.
func Silent() Notes {
	return Notes{func(string, ...any) {}, func(string) func() { return func() {} }}
}
