package repo

import "testing"

func TestRedact(t *testing.T) {
	for said, want := range map[string]string{
		"unable to access 'https://ada:hunter2@example.com/shop.git/'": "unable to access 'https://***@example.com/shop.git/'",
		"unable to access 'https://ghp_token@example.com/shop.git/'":   "unable to access 'https://***@example.com/shop.git/'",
		"ssh://git:hunter2@example.com/shop.git":                       "ssh://git:***@example.com/shop.git",
		"ssh://git@example.com:22/shop.git":                            "ssh://git@example.com:22/shop.git",
		"git@example.com:shop.git: no such host":                       "git@example.com:shop.git: no such host",
	} {
		if got := redact(said); got != want {
			t.Errorf("%q becomes %q, want %q", said, got, want)
		}
	}
}
