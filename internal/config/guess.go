package config

import (
	"reflect"
	"slices"
	"strings"

	"ralph/internal/words"
)

// guess returns " (did you mean …?)" for a name that is not known in a section:
// a name of that section that looks like it, or a key of that name elsewhere.
func guess(name string, section reflect.Type) string {
	var known []string
	for field := range section.Fields() {
		if tag := field.Tag.Get("yaml"); tag != "-" {
			known = append(known, tag)
		}
	}
	best := words.Closest(name, known)
	for _, k := range keys() {
		if best == "" && strings.HasSuffix("."+k.path, "."+name) {
			best = k.path
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// nearMiss returns the variable that an unknown one was probably meant to be: the only one that
// begins with its words, or contains two or more of them in a row, or is spelt almost like it.
func nearMiss(name string, known []string) string {
	ours, found := strings.CutPrefix(name, "RALPH_")
	if !found || name == "RALPH_SANDBOX" || slices.Contains(known, name) {
		return ""
	}
	var like []string
	for _, k := range known {
		contains := strings.Contains(ours, "_") && strings.Contains(k+"_", "_"+ours+"_")
		if strings.HasPrefix(k, name+"_") || contains || len(ours) > 5 && words.Slips(name, k) <= 2 {
			like = append(like, k)
		}
	}
	if len(like) != 1 {
		return ""
	}
	return like[0]
}
