package secret

import (
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for name, want := range map[string]bool{
		"ANTHROPIC_API_KEY": true, "GITHUB_TOKEN": true, "GH_TOKEN": true, "githubtoken": true, "DB_PASSWORD": true, "PGPASSWORD": true,
		"AWS_SECRET_ACCESS_KEY": true, "AWS_ACCESS_KEY_ID": true, "NPM_AUTH": true, "GITHUB_PAT": true, "DB_PWD": true, "STRIPE-SECRET": true,
		"GOOGLE_CREDENTIALS": true, "SSH_PASSPHRASE": true, "OPENAIAPIKEY": true,
		"PATH": false, "PWD": false, "OLDPWD": false, "HOME": false, "KEYBOARD": false, "MONKEY_BUSINESS": false, "SSH_AUTH_SOCK": false,
		"MAX_TOKENS": false, "TOKEN_FILE": false, "KEY_PATH": false, "COMPASS": false, "AUTHOR": false, "": false, "_": false,
	} {
		if got := namesSecret(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}

func TestText(t *testing.T) {
	pem := "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----"
	r := New([]string{"API_KEY=sk-123456", "LONG_TOKEN=sk-123456-and-more", "SHORT_KEY=1234567", "EMPTY_TOKEN=", "HOME=/home/somebody",
		"CERT_KEY=" + pem, "ODD_PASSWORD= padded\\(.*  ", "DIR_TOKEN=" + t.TempDir(), "broken", "E\x1bVIL_TOKEN=evil-value"})
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "all is well\n", "all is well\n"},
		{"one", "the key sk-123456 is wrong", "the key ***API_KEY*** is wrong"},
		{"twice", "sk-123456sk-123456", "***API_KEY******API_KEY***"},
		{"the longer one first", "sk-123456-and-more", "***LONG_TOKEN***"},
		{"too short to tell", "1234567", "1234567"},
		{"no secret", "/home/somebody", "/home/somebody"},
		{"not a pattern", `x padded\(.* y`, "x ***ODD_PASSWORD*** y"},
		{"whole key", "it is " + pem + ".", "it is ***CERT_KEY***."},
		{"lines of a key", "at MIIEvQIBADANBgkqhkiG9w0B, -----BEGIN KEY-----", "at ***CERT_KEY***, -----BEGIN KEY-----"},
		{"cut off", "the key sk-123456-and…", "the key ***LONG_TOKEN***…"},
		{"cut off early", "the password is padded\\(.…", "the password is ***ODD_PASSWORD***…"},
		{"cut off, and short", "the password is padded…", "the password is padded…"},
		{"a name of its own kind", "evil-value", "***E?VIL_TOKEN***"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := r.Text(c.text); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	dir := t.TempDir()
	if got := New([]string{"A_TOKEN=" + dir}).Text(dir); got != dir {
		t.Errorf("a path became %q", got)
	}
	if got := (*Redactor)(nil).Text("sk-123456"); got != "sk-123456" {
		t.Errorf("nil: %q", got)
	}
}

// A login in a URL is a secret whatever the variable is called.
func TestLoginsInURLs(t *testing.T) {
	r := New([]string{"DATABASE_URL=postgres://app:pw@db.local/x", "REMOTE=https://me:ghp_0123456789@example.org/r.git", "PROXY_URL=http://t0ken-of-16-bytes-or-more@proxy:8080",
		"JDBC=-Durl=mysql://root:p%40ssw0rd!@h -v", "PLAIN=ssh://git@example.org/r.git", "PORT_URL=http://localhost:8080/a@b"})
	for _, c := range []struct{ name, text, want string }{
		{"whole", "cannot reach postgres://app:pw@db.local/x", "cannot reach postgres://***DATABASE_URL***@db.local/x"},
		{"a short password is a word", "pw", "pw"},
		{"the password alone", "login ghp_0123456789 refused", "login ***REMOTE*** refused"},
		{"a token for both", "407 from http://t0ken-of-16-bytes-or-more@proxy:8080", "407 from http://***PROXY_URL***@proxy:8080"},
		{"inside of a value", "mysql://root:p%40ssw0rd!@h", "mysql://***JDBC***@h"},
		{"as a program uses it", "password p@ssw0rd! is wrong", "password ***JDBC*** is wrong"},
		{"no password", "ssh://git@example.org and git@example.org", "ssh://git@example.org and git@example.org"},
		{"no login", "http://localhost:8080/a@b", "http://localhost:8080/a@b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := r.Text(c.text); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	env := []string{"A_KEY=0123456789abcdef", "B_TOKEN=ghp_0123456789abcdef", "C_SECRET=0123456789abcdef0123456789abcdef"}
	r, text := New(env), strings.Repeat("a line of the output of a check\n", 256)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}
