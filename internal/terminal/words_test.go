package terminal

import "testing"

func TestTextsAreCutByColumns(t *testing.T) {
	for _, c := range []struct {
		text  string
		most  int
		utf8  string
		ASCII string
	}{
		{"short", 5, "short", "short"},
		{"longer", 5, "long…", "lo..."},
		{"用户登录功能", 12, "用户登录功能", "用户登录功能"},
		{"用户登录功能", 9, "用户登录…", "用户登..."},
		{"👩‍👩‍👧 family", 6, "👩‍👩‍👧 fa…", "👩‍👩‍👧 ..."},
		{"über", 4, "über", "über"},
		{"none", 0, "", ""},
	} {
		if got := (&Terminal{}).Fit(c.text, c.most); got != c.utf8 {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.most, got, c.utf8)
		}
		if got := (&Terminal{ASCII: true}).Fit(c.text, c.most); got != c.ASCII {
			t.Errorf("%q in %d columns of ASCII is %q, want %q", c.text, c.most, got, c.ASCII)
		}
	}
	if got := Padded("登录", 6) + "|"; got != "登录  |" {
		t.Errorf("padded to 6 columns: %q", got)
	}
}
