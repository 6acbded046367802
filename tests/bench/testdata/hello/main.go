// Command hello is the least that a Go program costs.
package main

import "os"

func main() {
	_, _ = os.Stdout.WriteString("hello, world\n")
}
