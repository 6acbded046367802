package journal_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

func openInbox(t *testing.T) (*journal.Inbox, string) {
	t.Helper()
	dir := t.TempDir()
	in, err := journal.OpenInbox(dir)
	if err != nil {
		t.Fatal(err)
	}
	return in, filepath.Join(dir, "inbox")
}

func post(t *testing.T, in *journal.Inbox, second int, r journal.Request) string {
	t.Helper()
	name, err := in.Post(at(second), r)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestInboxKeepsTheOrderUntilDone(t *testing.T) {
	in, dir := openInbox(t)
	stop := journal.Request{Kind: "stop", PID: 77, Message: "enough"}
	hint := journal.Request{Kind: "context", Text: "use the <b> tag"}
	second := post(t, in, 2, stop)
	first := post(t, in, 1, hint)
	want := []journal.Mail{{Name: first, Request: hint}, {Name: second, Request: stop}}
	for range 2 { // a crash between Take and Done loses nothing
		mail, aside, err := in.Take()
		if err != nil || len(aside) != 0 {
			t.Fatal(aside, err)
		}
		if diff := cmp.Diff(want, mail); diff != "" {
			t.Error(diff)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, first)); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for range 2 {
		if err := in.Done(first); err != nil {
			t.Fatal(err)
		}
	}
	if in.Pending(first) || !in.Pending(second) {
		t.Error("Done removed the wrong one")
	}
}

func TestBrokenRequestsAreSetAside(t *testing.T) {
	in, dir := openInbox(t)
	for name, content := range map[string]string{
		"0-half.json": `{"kind":"st`, "1-empty.json": "", "2-none.json": `{"text":"x"}`,
		"3-huge.json": `{"kind":"context","text":"` + strings.Repeat("x", 2<<20) + `"}`,
		".writing":    "half",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "4-link.json")); err != nil {
		t.Fatal(err)
	}
	good := post(t, in, 0, journal.Request{Kind: "pause"})
	mail, aside, err := in.Take()
	if err != nil || len(mail) != 1 || mail[0].Name != good || len(aside) != 5 {
		t.Errorf("%+v\n%q\n%v", mail, aside, err)
	}
	for _, path := range aside {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if _, aside, _ := in.Take(); len(aside) != 0 {
		t.Errorf("set aside twice: %q", aside)
	}
}

func TestInboxIsBounded(t *testing.T) {
	in, dir := openInbox(t)
	if _, err := in.Post(start, journal.Request{Kind: "context", Text: strings.Repeat("x", 2<<20)}); err == nil {
		t.Error("a request of 2 MiB was taken")
	}
	for i := range 1000 {
		if err := os.WriteFile(filepath.Join(dir, at(i).Format("20060102-150405")+".json"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := in.Post(start, journal.Request{Kind: "stop"}); err == nil || !strings.Contains(err.Error(), "1000 requests wait") {
		t.Errorf("got %v", err)
	}
}

func TestNotifyTellsOfOldAndNewRequests(t *testing.T) {
	in, _ := openInbox(t)
	old := post(t, in, 0, journal.Request{Kind: "pause"})
	ctx, cancel := context.WithCancel(t.Context())
	notes := in.Notify(ctx)
	<-notes
	if err := in.Done(old); err != nil {
		t.Fatal(err)
	}
	name := post(t, in, 1, journal.Request{Kind: "resume"})
	for range notes {
		mail, _, err := in.Take()
		if err != nil {
			t.Fatal(err)
		}
		if len(mail) == 1 && mail[0].Name == name {
			break
		}
	}
	cancel()
	for range notes { // is closed, at last
	}
}
