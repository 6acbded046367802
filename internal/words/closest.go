package words

import "strings"

// Closest returns the name that was probably meant by a misspelled word, or "" if no name is
// close. It accepts at most one slip in three letters, or else a name that starts with word. Case,
// hyphens, underscores and blanks do not count.
func Closest(word string, names []string) string {
	const longest = 60 // no name is: do not measure novels
	if len(word) > longest {
		return ""
	}
	best, least := "", len(word)/3+1
	for _, name := range names {
		if d := Slips(foldName(word), foldName(name)); d < least {
			best, least = name, d
		}
	}
	if best != "" || len(strings.TrimLeft(word, "-")) < 2 {
		return best
	}
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			return name
		}
	}
	return ""
}

// foldName makes the usual ways to write a name of two words alike.
func foldName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

// Slips counts what must be changed to make one word the other: a letter more,
// less or another, or two that have changed places (the restricted
// Damerau-Levenshtein distance).
func Slips(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			same := 1
			if a[i] == b[j] {
				same = 0
			}
			row[j+1] = min(last[j]+same, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
