package docs_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// largest is the limit for a file of the repository, in bytes. Larger files are built
// files, and would stay in every clone for good.
const largest = 512 << 10

// tracked returns the files that git tracks.
func tracked(t *testing.T) []string {
	t.Helper()
	if _, err := os.Stat(".git"); err != nil {
		t.Skip("these files are no clone")
	}
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	if len(files) < 300 {
		t.Fatalf("git knows %d files: are they still listed?", len(files))
	}
	return files
}

// TestNothingBuiltIsTracked keeps programs, pictures of the screen and recordings of
// whole runs out of the repository.
func TestNothingBuiltIsTracked(t *testing.T) {
	for _, path := range tracked(t) {
		if info, err := os.Lstat(path); err == nil && info.Size() > largest {
			t.Errorf("%s has %d bytes: take it out of the repository, and name it in .gitignore", path, info.Size())
		}
	}
}

// TestMentionedPages checks that pages exist that comments, messages and settings name.
// TestLinks follows only the links of pages.
func TestMentionedPages(t *testing.T) {
	mention := regexp.MustCompile(`(?:^|[\s("'` + "`" + `])(docs/[a-z/-]+\.md)(#[a-z-]+)?`)
	shown := 0
	for _, path := range tracked(t) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testdata/") || strings.HasPrefix(path, "tests/lies/corpus/") {
			continue // they have pages of their own
		}
		data, err := os.ReadFile(path)
		if err != nil {
			continue // deleted, and not committed yet
		}
		for _, m := range mention.FindAllStringSubmatch(string(data), -1) {
			shown++
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s mentions %s, which does not exist", path, m[1])
			} else if m[2] != "" && !slices.Contains(anchors(t, m[1]), m[2][1:]) {
				t.Errorf("%s mentions %s%s, which is not a heading there", path, m[1], m[2])
			}
		}
	}
	if shown < 40 {
		t.Errorf("%d pages are mentioned: are they still found?", shown)
	}
}
