package main

import (
	"flag"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// binary is the ralph that TestMain built, empty for short tests.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "ralph-chaos-")
	if err != nil {
		log.Fatal(err)
	}
	binary = filepath.Join(dir, "ralph")
	cmd := exec.Command("go", "build", "-trimpath", "-o", binary, "ralph/cmd/ralph")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	code := 1
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Printf("%v\n%s", err, out)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// ralph returns the built program.
func ralph(t *testing.T) string {
	t.Helper()
	if binary == "" {
		t.Skip("plays runs of the whole program")
	}
	return binary
}

// scratchFor makes a repository with the feature of a plot.
func scratchFor(t *testing.T, bin string, p plot) *scratch {
	t.Helper()
	dir := t.TempDir()
	template, err := newTemplate(t.Context(), bin, filepath.Join(dir, "template"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newScratch(bin, template, filepath.Join(dir, "scratch"), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.clean)
	return s
}

// report turns complaints into failures.
func (s *scratch) report(t *testing.T) {
	t.Helper()
	for _, k := range s.complaints {
		t.Errorf("%s: %s", k.kind, k.text)
	}
}

// TestCampaign is the shortest form of 'make chaos': RALPH_CHAOS_SEED plays the
// attacks of an earlier one again.
func TestCampaign(t *testing.T) {
	seed := rand.Uint64N(1<<32) + 1
	if s, err := strconv.ParseUint(os.Getenv("RALPH_CHAOS_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("seed %d", seed)
	c := &campaign{ralph: ralph(t), dir: t.TempDir(), seed: seed, rounds: 30, workers: 2, plots: stories, dead: time.Minute, progress: t.Output(), faults: canInject()}
	all, err := c.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all.print(t.Output())
	if !all.ok() {
		t.Error("ralph broke its promises")
	}
}

// TestAuditSeesWhatIsWrong audits records with one fault each: a campaign that cannot fail proves
// nothing.
func TestAuditSeesWhatIsWrong(t *testing.T) {
	const (
		started  = `{"type":"run_started","run":"r","token":"T","stories":[]}` + "\n"
		opened   = `{"type":"iteration_started","run":"r","iteration":1}` + "\n"
		called   = `{"type":"attempt_started","run":"r","iteration":1,"attempt":1}` + "\n"
		answered = `{"type":"attempt_ended","run":"r","iteration":1,"attempt":1,"outcome":"ok","tokens":{"input":1000,"output":10},"costUsd":0.01}` + "\n"
		closed   = `{"type":"iteration_ended","run":"r","iteration":1,"outcome":"ok","tokens":{"input":1000,"output":10},"costUsd":0.01,"commits":[],"storiesPassed":["STORY-001"]}` + "\n"
		ended    = `{"type":"run_ended","run":"r","reason":"stories_complete","tokens":{"input":1000,"output":10},"costUsd":0.01}` + "\n"
		result   = `{"type":"result","usage":{"input_tokens":1000}}` + "\n"
		ledger   = `{"sequence":1,"hours":{"2026-11-21T07Z":1}}` + "\n"
	)
	for _, c := range []struct {
		name, journal, log, calls, ledger string
		want                              kind
	}{
		{"all is well", started + opened + called + answered + closed + ended, result, "T 1 1\n", ledger, ""},
		{"no end", started + opened + called + answered + closed, result, "T 1 1\n", ledger, miscount},
		{"two ends", started + opened + called + answered + closed + ended + ended, result, "T 1 1\n", ledger, miscount},
		{"recorded twice", started + opened + called + answered + closed + closed + ended, result, "T 1 1\n", ledger, miscount},
		{"not recorded", started + opened + called + answered + ended, result, "T 1 1\n", ledger, miscount},
		{"a call without an end", started + opened + called + closed + ended, "", "T 1 1\n", ledger, miscount},
		{"tokens lost", started + opened + called + answered + closed + ended, result + result, "T 1 1\n", ledger, miscount},
		{"called twice", started + opened + called + answered + closed + ended, result, "T 1 1\nT 1 1\n", ledger, miscount},
		{"called without a record", started + opened + called + answered + closed + ended, result, "T 1 1\nT 2 1\n", ledger, miscount},
		{"not called", started + opened + called + answered + closed + ended, result, "", ledger, miscount},
		{"ledger lost a call", started + opened + called + answered + closed + ended, result, "T 1 1\n", "", miscount},
		{"a broken line", started + "{\n" + opened + called + answered + closed + ended, result, "T 1 1\n", ledger, corrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := &scratch{dir: dir, repo: filepath.Join(dir, "repo"), home: filepath.Join(dir, "home")}
			s.env = s.environ()
			for path, text := range map[string]string{
				filepath.Join(s.stateDir(), "journal.jsonl"):         c.journal,
				filepath.Join(s.folder(), "logs", "iteration-1.log"): c.log,
				filepath.Join(s.home, "ratelimit", "replay.json"):    c.ledger,
				filepath.Join(dir, "calls"):                          c.calls,
			} {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := s.command(t.Context(), "git", "init", "-q").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if out, err := s.command(t.Context(), "git", "-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "-q", "--allow-empty", "-m", "x").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			s.auditCounts(true)
			switch {
			case c.want == "" && len(s.complaints) > 0:
				t.Errorf("complaints: %+v", s.complaints)
			case c.want != "" && (len(s.complaints) == 0 || s.complaints[0].kind != c.want):
				t.Errorf("complaints: %+v, want a %s", s.complaints, c.want)
			}
		})
	}
}

// TestEightLoops lets eight loops share one ledger: no call is lost, none doubled.
func TestEightLoops(t *testing.T) {
	bin := ralph(t)
	const loops = 8
	var all []*scratch
	for range loops {
		s := scratchFor(t, bin, stories[0])
		if len(all) > 0 {
			s.home = all[0].home
			s.env = s.environ()
		}
		all = append(all, s)
	}
	done := make(chan ending, loops)
	for _, s := range all {
		go func() {
			e, _ := s.play(t.Context(), s.argv(), attack{})
			done <- e
		}()
	}
	for range loops {
		if e := <-done; e.code != 0 {
			t.Errorf("a loop ended with %d: %s", e.code, tail(e.output))
		}
	}
	if used := all[0].ledger(); used != loops*storyCount {
		t.Errorf("the ledger has %d calls, want %d", used, loops*storyCount)
	}
	for _, s := range all {
		s.report(t)
	}
}

// TestTearLeavesAnArchiveAlone: what is about to be put away has no next run that
// would repair its journal, so that the audit would blame ralph for the cut.
func TestTearLeavesAnArchiveAlone(t *testing.T) {
	for name, pending := range map[string]bool{"a feature at work": false, "a feature that is being put away": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := &scratch{dir: dir, repo: filepath.Join(dir, "repo")}
			if err := os.MkdirAll(s.stateDir(), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.journal(), make([]byte, 100), 0o600); err != nil {
				t.Fatal(err)
			}
			if pending {
				if err := os.WriteFile(filepath.Join(s.stateDir(), "archiving.json"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.tear(40)
			info, err := os.Stat(s.journal())
			if err != nil {
				t.Fatal(err)
			}
			if cut := info.Size() < 100; cut == pending || s.torn == pending {
				t.Errorf("%d of 100 bytes are left, torn %v", info.Size(), s.torn)
			}
		})
	}
}
