package window

// On macOS a script controls the terminal. Both terminals take a line instead of arguments;
// "quoted form of" makes a line with exactly these arguments, whatever they contain. The names
// are long because the short ones are words of AppleScript or of one of the programs.

const scriptHead = `on run argv
	set fillScreen to item 1 of argv
	set theLine to "exec"
	repeat with anArgument in rest of argv
		set theLine to theLine & " " & quoted form of (anArgument as text)
	end repeat
	set theProgram to text 6 thru -1 of theLine
`

const terminalApp = scriptHead + `	tell application "Terminal"
		activate
		do script theLine
	end tell
` + scriptTail

const iTerm = scriptHead + `	tell application "iTerm"
		activate
		create window with default profile command theProgram
	end tell
` + scriptTail

// scriptTail presses the keys for a full screen, which the system lets a program
// do only if the user has allowed that; the loop runs all the same.
const scriptTail = `	if fillScreen is "true" then
		try
			tell application "System Events" to keystroke "f" using {control down, command down}
		end try
	end if
end run`

// appleScript are the arguments of osascript before those of the program to run.
func appleScript(script, fillScreen string) []string { return []string{"-e", script, fillScreen} }
