package tamper

import "testing"

func TestOnlySpace(t *testing.T) {
	const head = "index 1..2 100644\n--- a/x\n+++ b/x\n"
	for name, c := range map[string]struct {
		diff string
		want bool
	}{
		"nothing":          {"", true},
		"blank lines":      {"diff --git a/a.go b/a.go\n" + head + "@@ -1,0 +2,2 @@\n+\n+  \n", true},
		"at the end":       {"diff --git a/a.go b/a.go\n" + head + "@@ -1 +1 @@\n-x\n+x  \n", true},
		"indentation":      {"diff --git a/a.py b/a.py\n" + head + "@@ -1 +1 @@\n-x\n+  x\n", false},
		"a text rewrapped": {"diff --git a/a.md b/a.md\n" + head + "@@ -1,2 +1 @@\n-one\n-two\n+one two\n", true},
		"moved lines":      {"diff --git a/a.go b/a.go\n" + head + "@@ -1 +0,0 @@\n-x\n@@ -3,0 +3 @@\n+x\n", false},
		"line ends":        {"diff --git a/a.sh b/a.sh\n" + head + "@@ -1 +1 @@\n-x\r\n+x\n", false},
		"of a text":        {"diff --git a/a.txt b/a.txt\n" + head + "@@ -1 +1 @@\n-x\r\n+x\n", false},
		"YAML":             {"diff --git a/a.yml b/a.yml\n" + head + "@@ -1 +1 @@\n-  x: 1\n+    x: 1\n", false},
		"a word":           {"diff --git a/a.md b/a.md\n" + head + "@@ -1 +1 @@\n-one\n+two\n", false},
		"a mode":           {"diff --git a/a.sh b/a.sh\nold mode 100644\nnew mode 100755\n", false},
		"an empty file":    {"diff --git a/a b/a\nnew file mode 100644\nindex 0000000..e69de29\n", false},
		"a deletion":       {"diff --git a/a b/a\ndeleted file mode 100644\nindex e69de29..0000000\n", false},
	} {
		if got := OnlySpace(c.diff); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
