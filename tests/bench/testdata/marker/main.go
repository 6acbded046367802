// Command marker is an agent that marks the first open story of a prd.json and prints the
// stream of a session. It takes both files as arguments.
package main

import (
	"bytes"
	"fmt"
	"os"
)

func main() {
	plan, err := os.ReadFile(os.Args[1])
	if err == nil {
		plan = bytes.Replace(plan, []byte(`"passes": false`), []byte(`"passes": true`), 1)
		err = os.WriteFile(os.Args[1], plan, 0o644)
	}
	session, readErr := os.ReadFile(os.Args[2])
	if err != nil || readErr != nil {
		fmt.Fprintln(os.Stderr, "marker:", err, readErr)
		os.Exit(1)
	}
	os.Stdout.Write(session)
}
