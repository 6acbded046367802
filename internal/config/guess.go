package config

import (
	"reflect"
	"slices"
	"strings"
)

// guess returns " (did you mean …?)" for a name that is not known in a section:
// a name of that section that looks like it, or a key of that name elsewhere.
func guess(name string, section reflect.Type) string {
	best, distance := "", len(name)/3+1
	for i := range section.NumField() {
		known := section.Field(i).Tag.Get("yaml")
		if d := edits(strings.ToLower(name), known); known != "-" && d <= distance {
			best, distance = known, d-1
		}
	}
	for _, k := range keys() {
		if best == "" && (k.path == name || strings.HasSuffix(k.path, "."+name)) {
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
	words, ours := strings.CutPrefix(name, "RALPH_")
	if !ours || name == "RALPH_SANDBOX" || slices.Contains(known, name) {
		return ""
	}
	var found []string
	for _, k := range known {
		contains := strings.Contains(words, "_") && strings.Contains(k+"_", "_"+words+"_")
		if strings.HasPrefix(k, name+"_") || contains || len(words) > 5 && edits(name, k) <= 2 {
			found = append(found, k)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// edits is the Levenshtein distance of two texts, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
