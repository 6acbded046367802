package ratelimit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 21, 12, 34, 56, 0, time.UTC)

// TestMain lets the test binary be one of several loops: with RALPH_TEST_TAKER
// set it takes calls until it is refused, and prints each count that it got.
func TestMain(m *testing.M) {
	dir := os.Getenv("RALPH_TEST_TAKER")
	if dir == "" {
		os.Exit(m.Run())
	}
	limit, _ := strconv.Atoi(os.Getenv("RALPH_TEST_LIMIT"))
	for {
		grant, err := Open(dir, "claude", limit).Take(context.Background(), noon)
		if err != nil || grant.Damaged != nil {
			fmt.Fprintln(os.Stderr, err, grant.Damaged)
			os.Exit(1)
		}
		if !grant.OK {
			return
		}
		fmt.Println(grant.Used)
	}
}

func taker(t *testing.T, dir string, limit int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RALPH_TEST_TAKER="+dir, "RALPH_TEST_LIMIT="+strconv.Itoa(limit))
	cmd.Stderr = os.Stderr
	return cmd
}

func take(t *testing.T, l *Ledger, now time.Time) Grant {
	t.Helper()
	grant, err := l.Take(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	return grant
}

func TestTakeUntilTheHourTurns(t *testing.T) {
	l := Open(filepath.Join(t.TempDir(), "new", "dir"), "claude", 2)
	reset := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	tests := []struct {
		at   time.Time
		want Grant
	}{
		{noon, Grant{OK: true, Used: 1, Limit: 2, ResetsAt: reset}},
		{noon.In(time.FixedZone("", 5*3600+1800)), Grant{OK: true, Used: 2, Limit: 2, ResetsAt: reset}},
		{reset.Add(-1), Grant{OK: false, Used: 2, Limit: 2, ResetsAt: reset}},
		{reset, Grant{OK: true, Used: 1, Limit: 2, ResetsAt: reset.Add(time.Hour)}},
	}
	for i, test := range tests {
		if diff := cmp.Diff(test.want, take(t, l, test.at)); diff != "" {
			t.Errorf("call %d: %s", i, diff)
		}
	}
}

func TestClockSetBackFindsItsHour(t *testing.T) {
	l := Open(t.TempDir(), "claude", 1)
	for _, jump := range []time.Duration{0, time.Hour, -time.Hour, 24 * 365 * time.Hour} {
		if !take(t, l, noon.Add(jump)).OK {
			t.Errorf("first call at %+v was refused", jump)
		}
	}
	for _, jump := range []time.Duration{0, time.Hour, -time.Hour, time.Minute} {
		if take(t, l, noon.Add(jump)).OK {
			t.Errorf("second call at %+v was granted", jump)
		}
	}
}

func TestEachLoopHasItsOwnLimit(t *testing.T) {
	dir := t.TempDir()
	small, large, off := Open(dir, "claude", 1), Open(dir, "claude", 3), Open(dir, "claude", 0)
	steps := []struct {
		ledger *Ledger
		ok     bool
		used   int
	}{{small, true, 1}, {small, false, 1}, {large, true, 2}, {off, true, 3}, {large, false, 3}, {off, true, 4}}
	for i, step := range steps {
		if got := take(t, step.ledger, noon); got.OK != step.ok || got.Used != step.used {
			t.Errorf("step %d: %+v, want ok %v, used %d", i, got, step.ok, step.used)
		}
	}
	if got := take(t, Open(dir, "a/../b", 1), noon); !got.OK {
		t.Error("another harness shares the count")
	}
}

func TestPeekWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	got, err := Open(dir, "claude", 5).Peek(noon)
	want := Grant{OK: true, Limit: 5, ResetsAt: time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a look made the directory")
	}
}

func TestEightProcessesCountExactly(t *testing.T) {
	const processes, limit = 8, 400
	dir := t.TempDir()
	outputs := make([]bytes.Buffer, processes)
	var commands []*exec.Cmd
	for i := range processes {
		cmd := taker(t, dir, limit)
		cmd.Stdout = &outputs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		commands = append(commands, cmd)
	}
	seen := map[string]bool{}
	total := 0
	for i, cmd := range commands {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		for _, count := range strings.Fields(outputs[i].String()) {
			seen[count] = true
			total++
		}
	}
	if total != limit || len(seen) != limit {
		t.Errorf("%d calls were granted, %d of them different, want %d", total, len(seen), limit)
	}
}

// A process that is killed at any moment has counted each call that it was
// granted, and leaves a ledger that the next one can use.
func TestKilledProcessLosesNoCall(t *testing.T) {
	dir := t.TempDir()
	granted := 0
	for round := range 10 {
		cmd := taker(t, dir, 0)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		buffer := make([]byte, 16)
		for text.Len() < 50+round*7 {
			n, err := out.Read(buffer)
			text.Write(buffer[:n])
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest := new(strings.Builder)
		_, _ = io.Copy(rest, out)
		_ = cmd.Wait()
		granted += strings.Count(text.String()+rest.String(), "\n")
	}
	got, err := Open(dir, "claude", 0).Peek(noon)
	if err != nil || got.Damaged != nil {
		t.Fatal(err, got.Damaged)
	}
	// The last call of each round may have been counted without being reported.
	if got.Used < granted || got.Used > granted+10 {
		t.Errorf("%d calls are counted, %d were granted", got.Used, granted)
	}
}

func TestDamagedLedgerIsReplaced(t *testing.T) {
	for name, content := range map[string]string{
		"torn": `{"hours":{"2026-11-21T1`, "zeros": "\x00\x00\x00\x00", "null": "null",
		"negative": `{"hours":{"2026-11-21T12Z":-1000}}`, "other": `[]`, "huge": strings.Repeat(" ", 1<<20) + "{}",
		"wrong type": `{"hours":{"2026-11-21T12Z":"x"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "claude.json")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			l := Open(dir, "claude", 2)
			first := take(t, l, noon)
			if !first.OK || first.Used != 1 || first.Damaged == nil || !strings.Contains(first.Damaged.Error(), file) {
				t.Errorf("first call: %+v", first)
			}
			if second := take(t, l, noon); second.Damaged != nil || second.Used != 2 {
				t.Errorf("second call: %+v", second)
			}
		})
	}
}

func TestLedgerIsPlainJSON(t *testing.T) {
	l := Open(t.TempDir(), "claude", 0)
	take(t, l, noon)
	content, err := os.ReadFile(l.file)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"sequence": 1.0, "hours": map[string]any{"2026-11-21T12Z": 1.0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzReadBook(f *testing.F) {
	f.Add([]byte(`{"sequence":3,"hours":{"2026-11-21T12Z":7}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, content []byte) {
		file := filepath.Join(t.TempDir(), "h.json")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := readBook(file)
		if err != nil || b.Hours == nil || b.Hours[hourOf(noon)] < 0 {
			t.Errorf("%q gives %+v, %v", content, b, err)
		}
	})
}

func TestLedgerThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if grant, err := Open(file, "claude", 2).Take(t.Context(), noon); err == nil || grant.OK {
		t.Errorf("Take = %+v, %v", grant, err)
	}
}

func TestWaitForTheLockEndsWithTheContext(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir, "claude", 2)
	take(t, l, noon)
	held := flock.New(filepath.Join(dir, "claude.json.lock"))
	if err := held.Lock(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Take(ctx, noon); !errors.Is(err, context.Canceled) {
		t.Errorf("Take = %v, want context.Canceled", err)
	}
	if err := held.Unlock(); err != nil {
		t.Fatal(err)
	}
	if got := take(t, l, noon); got.Used != 2 {
		t.Errorf("after the lock was free: %+v", got)
	}
}

func TestUsageLimitIsShared(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	mine, other := Open(dir, "claude", 2), Open(dir, "claude", 9)
	until := noon.Add(3 * time.Hour)
	check := func(at, want time.Time, wantNote string) {
		t.Helper()
		got, note, err := other.LimitedUntil(at)
		if err != nil || !got.Equal(want) || note != wantNote {
			t.Errorf("LimitedUntil = %v, %q, %v; want %v, %q", got, note, err, want, wantNote)
		}
	}
	check(noon, time.Time{}, "")
	if err := mine.SetLimited(ctx, until, "session limit"); err != nil {
		t.Fatal(err)
	}
	take(t, mine, noon)
	check(noon, until, "session limit")
	check(until, time.Time{}, "")
	if err := other.SetLimited(ctx, time.Time{}, ""); err != nil {
		t.Fatal(err)
	}
	check(noon, time.Time{}, "")
	if got := take(t, mine, noon); got.Used != 2 {
		t.Errorf("the count was lost: %+v", got)
	}
}

func TestBookStaysSmall(t *testing.T) {
	l := Open(t.TempDir(), "claude", 1)
	if err := l.SetLimited(t.Context(), noon.Add(time.Hour), strings.Repeat("\x00", 10*maxNote)); err != nil {
		t.Fatal(err)
	}
	for hour := range 100 {
		take(t, l.For(rand.Text()), noon.Add(time.Duration(hour)*time.Hour))
	}
	info, err := os.Stat(l.file)
	if err != nil || info.Size() > 8<<10 || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %d bytes and mode %v: %v", info.Size(), info.Mode(), err)
	}
	if take(t, l, noon.Add(98*time.Hour)).OK {
		t.Error("the hour before is forgotten")
	}
}

func BenchmarkTake(b *testing.B) {
	l := Open(b.TempDir(), "claude", 0)
	for b.Loop() {
		if _, err := l.Take(b.Context(), noon); err != nil {
			b.Fatal(err)
		}
	}
}

// A run took three calls and died with two of them on record.
func TestSettleGivesBackWhatIsNotOnRecord(t *testing.T) {
	dir := t.TempDir()
	dead, other := Open(dir, "h", 0).For("the run that died"), Open(dir, "h", 0).For("another")
	for range 3 {
		take(t, dead, noon)
	}
	take(t, other, noon)
	for range 2 { // once is enough
		if err := other.settle(t.Context(), "the run that died", 2); err != nil {
			t.Fatal(err)
		}
		if g, err := other.Peek(noon); err != nil || g.Used != 3 {
			t.Errorf("%d calls, %v, want 3", g.Used, err)
		}
	}
	for _, calls := range []int{1, 2} {
		if err := other.settle(t.Context(), "another", calls); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.settle(t.Context(), "", 0); err != nil {
		t.Fatal(err)
	}
	if g := take(t, other, noon); g.Used != 4 {
		t.Errorf("%d calls, want 4", g.Used)
	}
}
