package unit

// Notes lets the caller show what is not an error: warnings, and steps that take long.
type Notes struct {
	Warn         func(format string, args ...any)
	ShowActivity func(what string) (done func())
	// Archived gets a unit with the name of its archive, which was cut off and is complete now.
	Archived func(p *Place, name string)
}

// Silent returns Notes that show nothing.
func Silent() Notes {
	return Notes{
		Warn:         func(string, ...any) {},
		ShowActivity: func(string) func() { return func() {} },
		Archived:     func(*Place, string) {},
	}
}
