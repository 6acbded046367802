package git

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseDiff(t *testing.T) {
	files := ParseDiff(`diff --git a/a b.txt b/a b.txt
index 5626abf..814f4a4 100644
--- a/a b.txt	
+++ b/a b.txt	
@@ -1,2 +1 @@ func x
---- a/looks like a header
--- b
+++ c
\ No newline at end of file
diff --git "a/\303\244\"x\".go" "b/\303\244\"x\".go"
deleted file mode 100644
index 5626abf..0000000
diff --git a/old name b/new name
similarity index 90%
rename from old name
rename to new name
diff --git a/pic.png b/pic.png
new file mode 100644
index 0000000..814f4a4
Binary files /dev/null and b/pic.png differ
diff --git a/empty b/empty
index 5626abf..e69de29 100644
--- a/empty
+++ b/empty
@@ -1 +0,0 @@
-x
diff --git a/two b/two
index 5626abf..e69de29 100644
--- a/two
+++ b/two
@@ -1,3 +1,2 @@
-x
 ---- between
-y
+z
`)
	type row struct {
		Old, New       string
		Binary         bool
		Removed, Added string
	}
	var got []row
	for _, f := range files {
		r := row{Old: f.Old, New: f.New, Binary: f.Binary}
		for _, h := range f.Hunks {
			r.Removed += strings.Join(h.Removed, "|")
			r.Added += strings.Join(h.Added, "|")
		}
		got = append(got, r)
	}
	want := []row{
		{Old: "a b.txt", New: "a b.txt", Removed: "--- a/looks like a header|-- b", Added: "++ c"},
		{Old: `ä"x".go`},
		{Old: "old name", New: "new name"},
		{New: "pic.png", Binary: true},
		{Old: "empty", New: "empty", Removed: "x"},
		{Old: "two", New: "two", Removed: "x|y", Added: "z"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
