package prd

import "strings"

// closest returns the known key that was most likely meant by key, or "".
func closest(key string, known []member) string {
	const longest = 40 // no key is: do not measure novels
	if len(key) > longest {
		return ""
	}
	best, least := "", 3
	for _, m := range known {
		if d := distance(fold(key), fold(m.key)); d < least && d <= len(m.key)/2 {
			best, least = m.key, d
		}
	}
	return best
}

// fold makes the usual ways to write a key of two words alike.
func fold(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(key))
}

// distance is the Levenshtein distance of two short strings.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
