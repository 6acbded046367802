package agent

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"ralph/internal/stream"
)

// ReportsTokens reports whether ralph can learn how many tokens a call took, from the output or
// from the agent's session files.
func (h Harness) ReportsTokens() bool { return h.Output.ReportsTokens() || h.SessionFiles != "" }

// sessionID is what an id may be made of: it becomes part of a pattern.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z_-]{8,}$`)

// CountFromSession adds estimated tokens from the agent's session files, if the output reported
// none. SessionFiles is FOLDER//PATTERN below the home directory. {session} in it is the
// session's id, and {start} its first 8 characters.
func (h Harness) CountFromSession(env []string, sum *stream.Summary) {
	id := sum.Session
	if h.SessionFiles == "" || sum.Tokens != (stream.Tokens{}) || !sessionID.MatchString(id) {
		return
	}
	folder, pattern, _ := strings.Cut(h.SessionFiles, "//")
	pattern = strings.NewReplacer("{session}", id, "{start}", id[:8]).Replace(pattern)
	root := h.Place(env, Getenv(env, "HOME"), folder)
	paths, err := fs.Glob(os.DirFS(root), pattern)
	if root == "" || err != nil {
		return
	}
	for _, path := range paths {
		sum.Tokens = sum.Tokens.Add(sessionTokens(filepath.Join(root, path)))
	}
	sum.Estimated = sum.Tokens != stream.Tokens{}
}

// sessionTokens counts the tokens in one file. What cannot be read has none.
func sessionTokens(path string) stream.Tokens {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a FIFO
	if err != nil {
		return stream.Tokens{}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return stream.Tokens{}
	}
	tokens, _ := stream.SessionTokens(f)
	return tokens
}
