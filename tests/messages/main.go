// Command messages prints every text that the programs can show, with its place, and
// checks the language of messages, comments and pages.
//
//	go run ./tests/messages          print the texts
//	go run ./tests/messages -check   check the language; part of make lint
//
// It runs in the repository's root. words.txt has the words to avoid, allow.txt the
// texts that may use them. CONTRIBUTING.md has the rules.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	check := flag.Bool("check", false, "check the language of messages, comments and pages")
	verbose := flag.Bool("v", false, "with -check: show each word, also below the limit")
	flag.Parse()
	run := printMessages
	if *check {
		run = func() error { return checkLanguage(*verbose) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "messages:", err)
		os.Exit(1)
	}
}

// text is a piece of text with its place.
type text struct {
	path string
	line int
	text string
}

func printMessages() error {
	all, err := messages()
	if err != nil {
		return err
	}
	for _, m := range all {
		fmt.Printf("%s:%d: %q\n", m.path, m.line, m.text)
	}
	return nil
}
