package repo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	for said, want := range map[string]string{
		"unable to access 'https://ada:hunter2@example.com/shop.git/'": "unable to access 'https://***@example.com/shop.git/'",
		"unable to access 'https://ghp_token@example.com/shop.git/'":   "unable to access 'https://***@example.com/shop.git/'",
		"ssh://git:hunter2@example.com/shop.git":                       "ssh://git:***@example.com/shop.git",
		"ssh://git@example.com:22/shop.git":                            "ssh://git@example.com:22/shop.git",
		"git@example.com:shop.git: no such host":                       "git@example.com:shop.git: no such host",
	} {
		if got := redact(said); got != want {
			t.Errorf("%q becomes %q, want %q", said, got, want)
		}
	}
}

func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"": "exit status 128",
		"warning: redirecting\nfatal: repository 'https://example.com/x.git/' not found\n":        "repository 'https://example.com/x.git/' not found",
		"remote: Invalid token.\nfatal: Authentication failed for 'https://example.com/x.git/'\n": "Authentication failed for 'https://example.com/x.git/': Invalid token.",
		"Warning: Permanently added 'example.com' to the list of known hosts.\ngit@example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\n" +
			"Please make sure you have the correct access rights\nand the repository exists.\n": "Could not read from remote repository: git@example.com: Permission denied (publickey).",
		"error: RPC failed; HTTP 413\nfatal: the remote end hung up unexpectedly\n":                     "RPC failed; HTTP 413",
		"error: unable to create temporary file: No space left on device\nfatal: failed\n":              "the disk is full (no space left on device)",
		"remote: fatal: write error: No space left on device\nerror: failed to push some refs to 'x'\n": "the disk of the remote is full (no space left on device)",
		"remote: no \x1b[31mpushes\x1b[0m\n":                                                            "no [31mpushes [0m",
	} {
		if got := said(text, errors.New("exit status 128")); got != want {
			t.Errorf("%q says %q, want %q", text, got, want)
		}
	}
	if got := said("remote: "+strings.Repeat("x", 5000), nil); len(got) > longestSaid+len("…") {
		t.Errorf("it says %d bytes", len(got))
	}
}

// A hook of the remote gives the reason of a refusal, and ssh that of a broken connection; git
// itself gives no reason.
func TestReasonsOfOthers(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	hook(t, bare, "pre-receive", "echo 'nothing is pushed on Sundays' >&2; exit 1")
	commitIn(t, a.Dir, "done.txt")
	var trouble *TroubleError
	if err := a.Push(t.Context(), take(t, a)); !errors.As(err, &trouble) || !strings.Contains(err.Error(), "pre-receive hook declined: nothing is pushed on Sundays") {
		t.Errorf("Push = %v", err)
	}
	ssh := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(ssh, []byte("#!/bin/sh\necho 'ssh: connect to host example.com port 22: Connection refused' >&2\nexit 255\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_SSH_COMMAND", ssh)
	if _, err := Branches(t.Context(), "git@example.com:shop.git", []string{"x"}, true); err == nil || !strings.Contains(err.Error(), "port 22: Connection refused") {
		t.Errorf("Branches = %v", err)
	}
}
