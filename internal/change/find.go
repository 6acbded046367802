package change

import (
	"fmt"
	"strconv"
	"strings"
)

// AmbiguousError reports that a short form matches several changes.
type AmbiguousError struct {
	What       string // such as "--change 2-1"
	Candidates []Change
}

// Error names the matching changes, at most 10.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s means %d changes: %s", e.What, len(e.Candidates), Names(e.Candidates))
}

// Names returns the ids of changes, separated by commas, at most 10. It uses the folder where
// both systems have a change with the same id.
func Names(list []Change) string {
	const shown = 10
	times := map[string]int{}
	for _, c := range list {
		times[c.ID]++
	}
	var names []string
	for i, c := range list {
		switch {
		case i == shown:
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(list)-shown)
		case times[c.ID] > 1:
			names = append(names, c.Folder)
		default:
			names = append(names, c.ID)
		}
	}
	return strings.Join(names, ", ")
}

// Find returns the change that ref names. It tries these forms in order: the id, the number
// ("2-1" for 002-01_add-x), the slug, a part of the id. The first form that matches decides.
// Several matches give an *AmbiguousError.
func Find(list []Change, ref string) (Change, error) {
	if err := Valid(ref); err != nil {
		return Change{}, err
	}
	for _, means := range []func(Change) bool{
		func(c Change) bool { return c.ID == ref },
		func(c Change) bool { return sameNumber(c.ID, ref) },
		func(c Change) bool { return strings.EqualFold(c.slug(), ref) },
		func(c Change) bool { return contains(c, ref) },
	} {
		found := filter(list, means)
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return Change{}, &AmbiguousError{"--change " + ref, found}
		}
	}
	if len(list) == 0 {
		return Change{}, fmt.Errorf("there is no change %q: neither %s/ nor %s/ has one", ref, itoFolder, openSpecFolder)
	}
	return Change{}, fmt.Errorf("there is no change %q; there are: %s", ref, Names(list))
}

// contains reports whether ref is a part of the id. Digits inside a number are not a part:
// "012-10" does not contain "2-1".
func contains(c Change, ref string) bool {
	where := c.ID
	if numbered().MatchString(ref) {
		where = c.slug()
	}
	return strings.Contains(strings.ToLower(where), strings.ToLower(ref))
}

// slug is the id without its numbers.
func (c Change) slug() string {
	if m := numbered().FindStringSubmatch(c.ID); m != nil && m[4] != "" {
		return m[4]
	}
	return c.ID
}

// sameNumber reports whether ref has the numbers of the id, and its slug where it
// has one.
func sameNumber(id, ref string) bool {
	a, b := numbered().FindStringSubmatch(id), numbered().FindStringSubmatch(ref)
	return a != nil && b != nil && equal(a[1], b[1]) && equal(a[2], b[2]) && equal(a[3], b[3]) &&
		(b[4] == "" || strings.EqualFold(a[4], b[4]))
}

func equal(a, b string) bool {
	x, errX := strconv.ParseUint(a, 10, 32)
	y, errY := strconv.ParseUint(b, 10, 32)
	if errX != nil || errY != nil {
		return a == b
	}
	return x == y
}

// InModule returns the changes of a module, including those of its sub-modules. Leading zeros
// do not matter: "2" or "002", and "14.1" for the sub-module 014.01.
func InModule(list []Change, module string) ([]Change, error) {
	if err := Valid(module); err != nil {
		return nil, fmt.Errorf("--module: %w", err)
	}
	number, sub, hasSub := strings.Cut(module, ".")
	found := filter(list, func(c Change) bool {
		n, s, _ := strings.Cut(c.Module, ".")
		return c.Module != "" && equal(n, number) && (!hasSub || equal(s, sub))
	})
	if len(found) == 0 && len(list) == 0 {
		return nil, fmt.Errorf("there is no change of module %q: neither %s/ nor %s/ has one", module, itoFolder, openSpecFolder)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no change of module %q; there are: %s", module, Names(list))
	}
	return found, nil
}

func filter(list []Change, keep func(Change) bool) []Change {
	var kept []Change
	for _, c := range list {
		if keep(c) {
			kept = append(kept, c)
		}
	}
	return kept
}
