package unit

// Notes is how a caller hears of what is no error: warnings, and what takes long.
type Notes struct {
	Warn   func(format string, args ...any)
	Slowly func(what string) (done func())
}

// silent hears nothing.
func silent() Notes {
	return Notes{func(string, ...any) {}, func(string) func() { return func() {} }}
}
