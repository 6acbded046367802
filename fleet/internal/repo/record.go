package repo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ralph/fleet/internal/feature"
)

// Names in the tree of a record.
const (
	recordFile  = "state.json"
	journalFile = "journal.jsonl"
	workDir     = "work" // the worktree, with what no one has committed
)

// Record is what the remote knows of a feature besides its branch: state.json in the
// tree that its reference points to. The journal and the worktree are next to it.
type Record struct {
	Schema  int               `json:"schema"`
	Feature string            `json:"feature"`
	Ordinal feature.Ordinal   `json:"ordinal"` // of the turn that may push
	Host    string            `json:"host"`
	At      time.Time         `json:"at"`
	Unit    string            `json:"unit,omitempty"`  // once a run has started
	Head    string            `json:"head"`            // of the branch
	Spent   feature.Spent     `json:"spent"`           // of the submission
	Ended   *feature.Handback `json:"ended,omitempty"` // where the submission is done or has failed
}

const recordSchema = 1

// readRecord reads the record that a reference or commit points to.
func readRecord(ctx context.Context, dir, ref string) (Record, []byte, error) {
	var r Record
	text, err := call{dir: dir}.run(ctx, "cat-file", "blob", ref+":"+recordFile)
	if err != nil {
		return r, nil, err
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, nil, fmt.Errorf("%s of %s is no record of the fleet: %w", recordFile, ref, err)
	}
	if r.Schema > recordSchema {
		return r, nil, fmt.Errorf("%s was written by a newer ralph-fleet: update this one", ref)
	}
	names, err := call{dir: dir}.run(ctx, "ls-tree", "--name-only", ref, "--", journalFile)
	if err != nil || names == "" {
		return r, nil, err
	}
	journal, err := call{dir: dir}.run(ctx, "cat-file", "blob", ref+":"+journalFile)
	if journal != "" {
		journal += "\n"
	}
	return r, []byte(journal), err
}

// parts are the objects of a record's tree; empty ones are left out.
type parts struct{ record, journal, work string }

// readParts finds the objects of a record that is there already.
func readParts(ctx context.Context, dir, ref string) (parts, error) {
	var p parts
	for name, to := range map[string]*string{journalFile: &p.journal, workDir: &p.work} {
		out, err := call{dir: dir}.run(ctx, "ls-tree", "--object-only", ref, "--", name)
		if err != nil {
			return p, err
		}
		*to = out
	}
	return p, nil
}

// commit writes a record as a commit of its own; parents that are empty are left out.
func (p parts) commit(ctx context.Context, dir string, r Record, parents ...string) (string, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return "", err
	}
	if p.record, err = blob(ctx, dir, append(text, '\n')); err != nil {
		return "", err
	}
	tree := fmt.Sprintf("100644 blob %s\t%s\n", p.record, recordFile)
	if p.journal != "" {
		tree += fmt.Sprintf("100644 blob %s\t%s\n", p.journal, journalFile)
	}
	if p.work != "" {
		tree += fmt.Sprintf("040000 tree %s\t%s\n", p.work, workDir)
	}
	hash, err := call{dir: dir, in: []byte(tree)}.run(ctx, "mktree")
	if err != nil {
		return "", err
	}
	args := append(append([]string{}, ours...), "commit-tree", hash, "-m", fmt.Sprintf("ralph-fleet: turn %s on %s", r.Ordinal, r.Host))
	for _, parent := range parents {
		if parent != "" {
			args = append(args, "-p", parent)
		}
	}
	return call{dir: dir, env: identity}.run(ctx, args...)
}

func blob(ctx context.Context, dir string, content []byte) (string, error) {
	return call{dir: dir, in: content}.run(ctx, "hash-object", "-w", "--stdin")
}
