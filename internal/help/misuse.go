package help

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// What the parser says of a value, each with what it is about and the value.
var (
	notOneOf    = regexp.MustCompile(`^(\S+) must be one of .* but got (".*")$`)
	noValue     = regexp.MustCompile(`^(--\S+): expected \S+ value but got "(.*)" \((<EOL>|short flag|long flag)\)`)
	noNumber    = regexp.MustCompile(`^(--\S+): expected a valid \d+ bit u?int but got (".*")$`)
	noFloat     = regexp.MustCompile(`^(--\S+): expected a float but got (".*") \(\w+\)$`)
	noSwitch    = regexp.MustCompile(`^(--\S+): bool value must be .* but got (".*")$`)
	lacking     = regexp.MustCompile(`^expected "<(.*)>"$`)
	lackingWord = regexp.MustCompile(`^expected (?:one of )?((?:"[\w-]+"(?:, )?)+)$`)
	digits      = regexp.MustCompile(`^"[+-]?\d+"$`)
)

// plainly says what the parser has to say of a value in a user's words: which
// values there are, and no types, tokens or defaults. Whatever else it says is
// returned as it is, without the command's name, which the hint tells.
func plainly(node *kong.Node, text string) string {
	if m := notOneOf.FindStringSubmatch(text); m != nil {
		return otherValue(node, m[1], m[2])
	}
	if m := noValue.FindStringSubmatch(text); m != nil {
		return missingValue(node, m[1], m[2], m[3])
	}
	if m := noNumber.FindStringSubmatch(text); m != nil {
		if digits.MatchString(m[2]) {
			return fmt.Sprintf("%s: the number %s is too large", m[1], strings.Trim(m[2], `"`))
		}
		return fmt.Sprintf("%s must be a whole number, not %s", m[1], m[2])
	}
	if m := noFloat.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s must be a number, not %s", m[1], m[2])
	}
	if m := noSwitch.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s takes no value: write it without =%s", m[1], strings.Trim(m[2], `"`))
	}
	if m := lacking.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(fmt.Sprintf("%s needs a %s%s", Path(node), m[1], choice(": ", valueNamed(node, m[1]))))
	}
	if m := lackingWord.FindStringSubmatch(text); m != nil {
		words := strings.Split(strings.ReplaceAll(m[1], `"`, ""), ", ")
		return fmt.Sprintf("%s needs one more word: %s", Path(node), either(words))
	}
	return strings.TrimPrefix(text, node.Path()+": ")
}

// otherValue is about one that is none of those that there are.
func otherValue(node *kong.Node, name, got string) string {
	known := values(valueNamed(node, name))
	text := fmt.Sprintf("%s must be %s, not %s", strings.Trim(name, "<>"), either(known), got)
	if !strings.HasPrefix(name, "-") {
		text = "the " + text
	}
	if best := Closest(strings.Trim(got, `"`), known); best != "" {
		text += fmt.Sprintf("; did you mean %s?", best)
	}
	return text
}

// missingValue is about a flag that is followed by nothing, or by what looks
// like another flag. No value of ralph's is a negative number.
func missingValue(node *kong.Node, name, got, kind string) string {
	if digits.MatchString(`"` + got + `"`) {
		return fmt.Sprintf("%s must not be negative, and is %s", name, got)
	}
	v := valueNamed(node, name)
	text := fmt.Sprintf("%s needs a value%s", name, choice(": ", v))
	if v != nil && len(values(v)) == 0 && v.Flag != nil && v.Flag.PlaceHolder != "" {
		text += fmt.Sprintf(": %s=%s", name, v.Flag.PlaceHolder)
	}
	if kind != "<EOL>" {
		text += fmt.Sprintf("; %s is taken for a flag", got)
	}
	return text
}

// valueNamed is the flag or argument of a command that the parser calls by this
// name, nil where there is none.
func valueNamed(node *kong.Node, name string) *kong.Value {
	if long, ok := strings.CutPrefix(name, "--"); ok {
		for _, group := range node.AllFlags(false) {
			for _, f := range group {
				if f.Name == long {
					return f.Value
				}
			}
		}
		return nil
	}
	for _, p := range node.Positional {
		if p.Name == strings.Trim(name, "<>[]") {
			return p
		}
	}
	return nil
}

// values are those from which one must be chosen; that the flag may be left out
// is none.
func values(v *kong.Value) []string {
	if v == nil || v.Enum == "" {
		return nil
	}
	return slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
}

func choice(before string, v *kong.Value) string {
	if known := values(v); len(known) > 0 {
		return before + either(known)
	}
	return ""
}

// either joins words as in "a, b or c".
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// EmptyValue is an error where a flag or an argument was given an empty text: the
// variable of a script that nobody has set. It is not what stands where it is left
// out: 'ralph stop ""' must not end the loop of this worktree.
func EmptyValue(ctx *kong.Context) error {
	empty := func(v *kong.Value) bool { return v.Target.Kind() == reflect.String && v.Target.Len() == 0 }
	for _, at := range ctx.Path {
		switch {
		case at.Flag != nil && empty(at.Flag.Value):
			return fmt.Errorf("--%s is empty: give it a value, or leave it out", at.Flag.Name)
		case at.Positional != nil && empty(at.Positional):
			return fmt.Errorf("the %s is empty: write one, or leave it out", at.Positional.Name)
		}
	}
	return nil
}
