package proof

import (
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"ralph/internal/git"
)

// comparison is what differs between two commits, sorted by kind.
type comparison struct {
	repo       *git.Repo
	base, head string                   // commits
	was, is    map[string]git.TreeEntry // their files
	changed    map[FileKind][]string    // paths in order
	texts      map[string]string        // by hash
	kinds      map[string]FileKind      // of changed paths
	sorted     *sorter
	renamed    map[string]string // files of the work, and what they are called now
	gone       []string          // tests that were deleted with what they test
}

// compare sorts what differs between base and head.
func (p *Prover) compare(ctx context.Context, base, head string) (*comparison, error) {
	c := &comparison{repo: p.Repo, base: base, head: head, changed: map[FileKind][]string{}, texts: map[string]string{}, kinds: map[string]FileKind{}}
	var err error
	if c.was, err = p.Repo.Entries(ctx, base); err != nil {
		return nil, err
	}
	if c.is, err = p.Repo.Entries(ctx, head); err != nil {
		return nil, err
	}
	var paths []string
	for name, e := range c.was {
		if c.is[name] != e {
			paths = append(paths, name)
		}
	}
	for name := range c.is {
		if _, ok := c.was[name]; !ok {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	if err := c.readAll(ctx, paths); err != nil {
		return nil, err
	}
	c.sorted = c.sorter(ctx, p)
	for _, name := range paths {
		kind := c.sorted.kind(name)
		c.changed[kind], c.kinds[name] = append(c.changed[kind], name), kind
	}
	c.renamed, err = p.Repo.Renames(ctx, base, head)
	return c, err
}

// readAll reads both versions of changed files that may have to be taken apart.
func (c *comparison) readAll(ctx context.Context, paths []string) error {
	var hashes []string
	for _, name := range paths {
		for _, e := range []git.TreeEntry{c.was[name], c.is[name]} {
			if _, known := c.texts[e.Hash]; e.IsFile() && !known && isText(name) {
				c.texts[e.Hash] = ""
				hashes = append(hashes, e.Hash)
			}
		}
	}
	texts, err := c.repo.Contents(ctx, hashes...)
	for i, text := range texts {
		c.texts[hashes[i]] = text
	}
	return err
}

// isText reports whether a file is read: not where its name says that it is data.
func isText(name string) bool {
	switch path.Ext(name) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".pdf", ".zip", ".gz", ".tar", ".woff", ".woff2", ".ttf", ".mp4", ".wasm", ".bin":
		return false
	}
	return !builtIn().dependency.Match(name)
}

// text returns the content of a file, which may not be among those that were read.
func (c *comparison) text(ctx context.Context, e git.TreeEntry) string {
	if !e.IsFile() {
		return ""
	}
	if text, ok := c.texts[e.Hash]; ok {
		return text
	}
	texts, err := c.repo.Contents(ctx, e.Hash)
	if err != nil || len(texts) == 0 {
		return ""
	}
	c.texts[e.Hash] = texts[0]
	return texts[0]
}

// sorter finds the check files of both commits.
func (c *comparison) sorter(ctx context.Context, p *Prover) *sorter {
	s := newSorter(p.Settings.Tests, p.Settings.Locked)
	s.found, s.moduleRoots = map[string]bool{}, map[string]bool{}
	var commands []string
	for _, check := range p.Checks {
		commands = append(commands, check.Command)
	}
	for _, tree := range []map[string]git.TreeEntry{c.was, c.is} {
		f := &finder{
			found: map[string]bool{},
			has:   func(name string) bool { _, ok := tree[name]; return ok },
			read:  func(name string) string { return c.text(ctx, tree[name]) },
			all:   func() []string { return slices.Collect(maps.Keys(tree)) },
		}
		f.find(commands)
		maps.Copy(s.found, f.found)
		for _, t := range f.targets {
			if !c.wasThere(t) {
				s.targets = append(s.targets, t)
			}
		}
	}
	for name := range c.was {
		if strings.HasSuffix(name, "_test.go") {
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				if _, ok := c.was[path.Join(dir, "go.mod")]; ok {
					break
				}
				s.moduleRoots[dir] = true
			}
		}
	}
	return s
}

// wasThere reports whether a file or folder was at base.
func (c *comparison) wasThere(name string) bool {
	if _, ok := c.was[name]; ok {
		return true
	}
	for p := range c.was {
		if strings.HasPrefix(p, name+"/") {
			return true
		}
	}
	return false
}

// onlyRemarks reports whether nothing that runs has changed: documents, comments and
// blank lines.
func (c *comparison) onlyRemarks() bool {
	for kind, paths := range c.changed {
		if kind == Prose || kind == Foreign {
			continue
		}
		for _, name := range paths {
			was, is := c.was[name], c.is[name]
			if !was.IsFile() || was.Mode != is.Mode || !isText(name) ||
				withoutRemarks(name, c.texts[was.Hash]) != withoutRemarks(name, c.texts[is.Hash]) {
				return false
			}
		}
	}
	return true
}

// newTests lists the tests that are new or changed, not all of them.
func (c *comparison) newTests() []string {
	files := slices.DeleteFunc(slices.Clone(c.changed[Test]), func(name string) bool { return c.is[name].Mode == "" })
	files = append(files, c.rust()...)
	return files[:min(maxFiles, len(files))]
}

// rust lists the files of work in which modules of tests differ.
func (c *comparison) rust() []string {
	var list []string
	for _, name := range c.changed[Work] {
		if path.Ext(name) != ".rs" {
			continue
		}
		_, was := splitRust(c.texts[c.was[name].Hash])
		_, is := splitRust(c.texts[c.is[name].Hash])
		if strings.Join(was, "") != strings.Join(is, "") {
			list = append(list, name)
		}
	}
	return list
}

// putBack returns the changes to head that make its tests and check files those of
// base, by path.
func (c *comparison) putBack(ctx context.Context) (map[string]git.TreeEntry, error) {
	edits := map[string]git.TreeEntry{}
	for _, name := range c.changed[CheckFile] {
		edits[name] = c.was[name]
	}
	c.gone = nil
	for _, name := range c.changed[Test] {
		was, is := c.was[name], c.is[name]
		switch {
		case was.Mode == "" && isData(name): // the work may read it
		case is.Mode == "" && c.renamed[name] == "" && c.subjectGone(ctx, name):
			c.gone = append(c.gone, name)
		case was.IsFile() && len(c.renamed) > 0:
			if err := c.write(ctx, edits, name, was, c.withNewNames(c.text(ctx, was))); err != nil {
				return nil, err
			}
			if _, written := edits[name]; !written {
				edits[name] = was
			}
		default:
			edits[name] = was
		}
	}
	if !c.locksChanged() {
		for _, name := range c.changed[Dependency] {
			if e, was := c.was[name]; was && isVendored(name) {
				edits[name] = e
			}
		}
	}
	for _, name := range c.changed[Mixed] {
		was, is := c.was[name], c.is[name]
		switch {
		case !was.IsFile() && (!is.IsFile() || path.Base(name) == "Cargo.toml"):
		case !is.IsFile():
			edits[name] = was
		default:
			if err := c.write(ctx, edits, name, is, merge(name, c.texts[is.Hash], c.texts[was.Hash])); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range c.rust() {
		if was, is := c.was[name], c.is[name]; was.IsFile() && is.IsFile() {
			if err := c.write(ctx, edits, name, is, joinRust(c.texts[is.Hash], c.texts[was.Hash])); err != nil {
				return nil, err
			}
		}
	}
	return edits, nil
}

// subjectGone reports whether a test that was deleted names a file of the work that was
// deleted too, and is not elsewhere now.
func (c *comparison) subjectGone(ctx context.Context, test string) bool {
	text := path.Base(test) + "\n" + c.text(ctx, c.was[test])
	for _, name := range c.changed[Work] {
		if c.is[name].Mode == "" && c.renamed[name] == "" && mentions(text, name) {
			return true
		}
	}
	return false
}

// withNewNames returns the text of a test with the new names of files that were renamed.
func (c *comparison) withNewNames(text string) string {
	for _, old := range slices.Sorted(maps.Keys(c.renamed)) {
		now := c.renamed[old]
		if c.kinds[old] != Work {
			continue
		}
		text = strings.ReplaceAll(text, old, now)
		text = strings.ReplaceAll(text, path.Base(old), path.Base(now))
		was, is := strings.TrimSuffix(path.Base(old), path.Ext(old)), strings.TrimSuffix(path.Base(now), path.Ext(now))
		if len(was) > 3 && was != is {
			text = regexp.MustCompile(`\b`+regexp.QuoteMeta(was)+`\b`).ReplaceAllString(text, is)
		}
	}
	return text
}

// withoutWork returns the changes to base that make its tests and check files those of
// head. The dependencies come along: tests may need new ones.
func (c *comparison) withoutWork(ctx context.Context) (map[string]git.TreeEntry, error) {
	edits := map[string]git.TreeEntry{}
	for _, kind := range []FileKind{CheckFile, Test, Mixed, Dependency} {
		for _, name := range c.changed[kind] {
			edits[name] = c.is[name]
		}
	}
	for _, name := range c.rust() {
		if was, is := c.was[name], c.is[name]; was.IsFile() && is.IsFile() {
			if err := c.write(ctx, edits, name, was, joinRust(c.texts[was.Hash], c.texts[is.Hash])); err != nil {
				return nil, err
			}
		}
	}
	return edits, nil
}

// write notes a file with a new content, unless it is that of the entry.
func (c *comparison) write(
	ctx context.Context, edits map[string]git.TreeEntry, name string, e git.TreeEntry, text string,
) error {
	if text == c.texts[e.Hash] {
		return nil
	}
	hash, err := c.repo.WriteBlob(text)
	if err == nil {
		edits[name] = git.TreeEntry{Mode: e.Mode, Hash: hash}
	}
	return err
}

// locksChanged reports whether something says that other dependencies were asked for.
func (c *comparison) locksChanged() bool {
	for _, name := range c.changed[Dependency] {
		if !isVendored(name) || path.Base(name) == "modules.txt" {
			return true
		}
	}
	return false
}

// isVendored reports whether a file is foreign code in the repository.
func isVendored(name string) bool {
	for _, folder := range []string{"vendor", "third_party", "node_modules", ".venv", ".yarn"} {
		if strings.HasPrefix(name, folder+"/") || strings.Contains(name, "/"+folder+"/") {
			return true
		}
	}
	return false
}

// commit makes a commit of a tree with some files changed, on top of where it came from.
func (c *comparison) commit(
	ctx context.Context, from string, edits map[string]git.TreeEntry,
) (string, error) {
	tree, err := c.repo.Compose(ctx, from, edits)
	if err != nil {
		return "", err
	}
	return c.repo.CommitTree(tree, from)
}
