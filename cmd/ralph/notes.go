package main

// notes is how a caller hears of what is no error: warnings, and what takes long.
type notes struct {
	Warn   func(format string, args ...any)
	Slowly func(what string) (done func())
}

// silent hears nothing.
func silent() notes {
	return notes{func(string, ...any) {}, func(string) func() { return func() {} }}
}
