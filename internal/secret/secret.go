// Package secret removes the keys, tokens and passwords of the environment from texts before
// they are written. It replaces the value of such a variable by its name. It also removes the
// logins in URLs, whatever the name of their variable is.
package secret

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
)

const (
	// shortest is how long a value must be, in bytes, to be hidden: shorter ones
	// are in every text by chance.
	shortest = 8
	// shortestLine is the same for a line of a value of several lines.
	shortestLine = 16
)

// Redactor hides the values of secret variables. A nil Redactor hides nothing.
type Redactor struct{ secrets []secret } // the longest value first

type secret struct {
	name, value string
	rest        string // the end of the value that is not secret, and stays
}

// New returns a redactor for the secrets in env, a list of NAME=value.
func New(env []string) *Redactor {
	r := &Redactor{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		value = strings.TrimSpace(value)
		r.addLogins(name, value)
		if len(value) < shortest || !namesSecret(name) || namesFile(value) {
			continue
		}
		r.add(name, value)
		if strings.Contains(value, "\n") { // a text may hold a part of it only, such as a key without its frame
			for line := range strings.Lines(value) {
				if line = strings.TrimSpace(line); len(line) >= shortestLine && !strings.HasPrefix(line, "-----") {
					r.add(name, line)
				}
			}
		}
	}
	// A value inside of another one must not leave the rest of that one to be read.
	slices.SortStableFunc(r.secrets, func(a, b secret) int { return len(b.value) - len(a.value) })
	return r
}

// login matches what is before the host of a URL.
var login = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#"']+@)`)

// addLogins adds the user and password of each URL in the value of any variable, and the password
// alone if it is too long to be a common word.
func (r *Redactor) addLogins(name, value string) {
	for _, m := range login.FindAllStringSubmatch(value, -1) {
		user, password, both := strings.Cut(strings.TrimSuffix(m[1], "@"), ":")
		if !both && len(user) >= shortestLine {
			password = user // a token takes the place of both
		}
		if password == "" {
			continue
		}
		r.secrets = append(r.secrets, secret{name: strings.Map(printable, name), value: m[1], rest: "@"})
		for _, form := range []string{password, unescaped(password)} {
			if len(form) >= shortest {
				r.add(name, form)
			}
		}
	}
}

// unescaped is a part of a URL as a program uses it.
func unescaped(part string) string {
	if plain, err := url.PathUnescape(part); err == nil {
		return plain
	}
	return part
}

func (r *Redactor) add(name, value string) {
	r.secrets = append(r.secrets, secret{name: strings.Map(printable, name), value: value})
}

// Text replaces each secret in s by ***NAME***. It also finds a secret that is cut off before
// "…".
func (r *Redactor) Text(s string) string {
	if r == nil {
		return s
	}
	s = r.cutOff(s)
	for _, x := range r.secrets {
		s = strings.ReplaceAll(s, x.value, x.mark())
	}
	return s
}

// cutOff hides a secret at the end of a text that was cut off.
func (r *Redactor) cutOff(s string) string {
	head, cut := strings.CutSuffix(s, "…")
	if !cut {
		return s
	}
	for _, x := range r.secrets {
		for n := min(len(x.value)-1, len(head)); n >= shortest; n-- {
			if strings.HasSuffix(head, x.value[:n]) {
				return head[:len(head)-n] + x.mark() + "…"
			}
		}
	}
	return s
}

func (x secret) mark() string { return "***" + x.name + "***" + x.rest }

func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return '?'
	}
	return r
}

// endings end a word of a name that means a secret: API_KEY, GITHUBTOKEN.
var endings = []string{"APIKEY", "ACCESSKEY", "PRIVATEKEY", "SECRETKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE"}

// words are whole words of such names; as an ending they would take in MONKEY.
var words = []string{"KEY", "PASS", "PWD", "PAT", "AUTH", "CREDENTIAL", "CREDENTIALS", "SECRETS"}

// about are the ends of names that describe a secret and do not hold it.
var about = []string{"FILE", "PATH", "DIR", "SOCK", "SOCKET", "TYPE", "NAME", "TTL", "EXPIRY", "EXPIRES"}

// namesSecret reports whether a variable's name says that it is a key, token or password.
func namesSecret(name string) bool {
	parts := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	if len(parts) == 0 || slices.Contains(about, parts[len(parts)-1]) {
		return false
	}
	if len(parts) == 1 && parts[0] == "PWD" {
		return false // the working directory
	}
	return slices.ContainsFunc(parts, func(part string) bool {
		return slices.Contains(words, part) || slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(part, end) })
	})
}

// namesFile reports whether the value is the path of something that exists: the place of a secret
// is not a secret, and paths are in many texts.
func namesFile(value string) bool {
	if !strings.HasPrefix(value, "/") {
		return false
	}
	_, err := os.Lstat(value)
	return err == nil
}
