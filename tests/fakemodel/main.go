// Command fakemodel serves a model API on loopback, so that docs/getting-started.md
// can be followed with the real Claude Code CLI and without an account:
//
//	go run ./tests/fakemodel FOLDER
//
// FOLDER is the page's scratch project. What is printed makes an agent in another
// terminal talk to it. It serves until it is interrupted.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"ralph/internal/fakeapi"
)

func main() {
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fakemodel:", err)
		os.Exit(1)
	}
}

func serve(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: go run ./tests/fakemodel FOLDER")
	}
	repo, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	for _, variable := range []string{
		"ANTHROPIC_BASE_URL=http://" + listener.Addr().String(),
		"ANTHROPIC_API_KEY=sk-ant-fake-key",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	} {
		fmt.Println("export", variable)
	}
	return http.Serve(listener, fakeapi.Greeting(repo))
}
