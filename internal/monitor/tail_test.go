package monitor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/stream"
)

// read takes everything that is new in the log.
func (t *tail) readAll() (all news) {
	for t.read() {
		n := t.take()
		n.lines = append(all.lines, n.lines...)
		all = n
	}
	return all
}

func texts(lines []line) (out []string) {
	for _, l := range lines {
		out = append(out, l.text)
	}
	return out
}

func tailOf(t testing.TB, path string) *tail {
	tl := newTail("log", []string{path}, stream.FormatClaude, stream.PrinterOptions{ASCII: true})
	t.Cleanup(tl.close)
	return tl
}

func TestTailReadsWhatIsAdded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "iteration-1.log")
	tl := tailOf(t, path)
	if got := tl.readAll(); got.lines != nil {
		t.Errorf("there is no log yet, and it says %v", got.lines)
	}
	writeFile(t, path, said("one")+said("two\n\n  three")+`{"type":"assist`)
	got := tl.readAll()
	if diff := cmp.Diff([]string{"one", "two", "  three"}, texts(got.lines)); diff != "" {
		t.Error(diff)
	}
	info, _ := os.Stat(path)
	if !got.lines[0].at.Equal(info.ModTime()) {
		t.Errorf("the line is of %v, the log of %v", got.lines[0].at, info.ModTime())
	}
	appendFile(t, path, "ant\"}\n"+called("make test"))
	got = tl.readAll()
	if got.tool == nil || got.tool.name != "Bash" || got.tool.detail != "make test" {
		t.Errorf("the tool at work is %+v", got.tool)
	}
	appendFile(t, path, answered)
	if got = tl.readAll(); got.tool != nil {
		t.Errorf("the tool has answered: %+v", got.tool)
	}
	writeFile(t, path, said("anew")) // shorter than it was
	if diff := cmp.Diff([]string{"anew"}, texts(tl.readAll().lines)); diff != "" {
		t.Error(diff)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	appendFile(t, path+".old", said("late"))
	if diff := cmp.Diff([]string{"late"}, texts(tl.readAll().lines)); diff != "" {
		t.Errorf("what is added after the log was put away: %s", diff)
	}
	writeFile(t, path, said("of the next run"))
	if diff := cmp.Diff([]string{"of the next run"}, texts(tl.readAll().lines)); diff != "" {
		t.Error(diff)
	}
}

func TestTailLeavesOutWhatIsLongAgo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "iteration-1.log")
	writeFile(t, path, said("the first")+strings.Repeat(said("again"), 20_000)+said("the last"))
	got := tailOf(t, path).readAll()
	if n := len(got.lines); n < 10 || n > 10_000 || got.lines[0].text != "again" || got.lines[n-1].text != "the last" {
		t.Errorf("%d lines from %q to %q", n, got.lines[0].text, got.lines[n-1].text)
	}
}

func TestTailOfAVeryLongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "iteration-1.log")
	tl := tailOf(t, path)
	writeFile(t, path, said("begin"))
	tl.readAll()
	appendFile(t, path, said(strings.Repeat("x", 10<<20)))
	got := tl.readAll()
	if len(got.lines) != 1 || len(got.lines[0].text) > maxLine {
		t.Errorf("%d lines, or one that is too long", len(got.lines))
	}
	appendFile(t, path, said("end"))
	if diff := cmp.Diff([]string{"end"}, texts(tl.readAll().lines)); diff != "" {
		t.Error(diff)
	}
}

func TestTailFollows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "iteration-1.log")
	writeFile(t, path, said("one"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := make(chan string, 10)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tailOf(t, path).follow(ctx, func(n news) {
			for _, l := range n.lines {
				got <- l.text
			}
		})
	}()
	for _, want := range []string{"one", "two", "three"} {
		select {
		case text := <-got:
			if text != want {
				t.Fatalf("%q, want %q", text, want)
			}
		case <-ctx.Done():
			t.Fatalf("%q did not come", want)
		}
		appendFile(t, path, said(map[string]string{"one": "two", "two": "three", "three": "four"}[want]))
	}
	cancel()
	<-ended
}

func TestLinesAreFewAndInOrder(t *testing.T) {
	var l lines
	for i := range 5 * maxLines {
		l.add(line{at(i), "journal"})
	}
	l.add(line{at(5*maxLines - 10), "log"})
	if len(l) > 2*maxLines || l[len(l)-10].text != "log" {
		t.Errorf("%d lines; the log's line is not in its place", len(l))
	}
}

// FuzzTail holds that nothing an agent prints can steer the terminal.
func FuzzTail(f *testing.F) {
	f.Add([]byte(said("\x1b[2J\x1b]0;x\a\u009b31m\r\x00")), string(stream.FormatClaude))
	f.Add([]byte(called("rm \x1b[31m -rf\t\n/")+answered), string(stream.FormatClaude))
	f.Add([]byte("plain \xff\xfe \x1b[999C text\r\n\x07"), string(stream.FormatText))
	f.Fuzz(func(t *testing.T, data []byte, format string) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		tl := newTail("log", []string{path}, stream.Format(format), stream.PrinterOptions{})
		defer tl.close()
		m := newModel(options(t))
		for _, e := range working() {
			m.event(e)
		}
		m.catchUp()
		for tl.read() {
			n := tl.take()
			n.log = m.logName()
			m.addNews(n)
		}
		for _, row := range m.frame(at(200), 60, 20) {
			if i := strings.IndexFunc(row, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }); i >= 0 {
				t.Fatalf("a control character in %q", row)
			}
		}
		checkFrame(t, m.frame(at(200), 60, 20), 60, 20)
	})
}
