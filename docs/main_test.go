// Package docs_test checks the pages and the layout of the repository. Its tests run in
// the repository's root, and name files from there.
package docs_test

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m.Run()
}
