package agent

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/stream"
)

const (
	docsFile = "../../docs/harnesses.md"
	mark     = "<!-- What follows is made from the table in internal/agent/harness.go: UPDATE_DOCS=1 go test ./internal/agent -->\n"
)

// TestHarnessDocs compares docs/harnesses.md with the table of harnesses.
func TestHarnessDocs(t *testing.T) {
	data, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	head, made, ok := strings.Cut(string(data), mark)
	if !ok {
		t.Fatalf("%s lacks the line %q", docsFile, mark)
	}
	var b strings.Builder
	for _, h := range Builtin("ralph") {
		document(&b, h)
	}
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(docsFile, []byte(head+mark+b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(b.String(), made); diff != "" {
		t.Errorf("%s is not what the table says; UPDATE_DOCS=1 makes it anew (-table +page)\n%s", docsFile, diff)
	}
}

// document writes what the table says of a harness.
func document(b *strings.Builder, h Harness) {
	fmt.Fprintf(b, "\n## %s\n\n| | |\n| --- | --- |\n", h.Name)
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "| %s | %s |\n", name, text)
		}
	}
	careful, free := h.Argv(Options{GitDirs: []string{"/path/to/.git"}}), h.Argv(Options{ApproveAll: true})
	row("call", code(careful...))
	row("with `--dangerously-skip-permissions`", code(free...))
	if h.ModelFlag != "" {
		row("model", code(h.ModelFlag, "ID"))
	}
	if h.AllowedTools != "" {
		row("tools that need no question", code(h.AllowedTools, "\"Write,Bash(git *),Read\"")+", from `claude.allowed_tools`")
	}
	row("prompt", map[PromptMode]string{PromptStdin: "on standard input", PromptArg: "the last argument", PromptFile: "in a file, the last argument"}[h.Prompt])
	row("`@path` in it", map[bool]string{true: "the agent itself puts the file in", false: "ralph puts the file behind the prompt"}[h.ExpandsRefs])
	row("output is read as", code(string(h.Output))+", "+terminal[h.Output])
	row("set for it", list(h.Env))
	row("taken away from it", list(h.DropEnv))
	row("signs of a login", strings.Trim(list(h.LoginEnv)+"; "+list(home(h)), "; "))
	row("two logins at once", h.LoginOrder)
	row("its own settings that ralph looks at", list(h.EnvFiles))
	row("root", map[bool]string{true: "refuses to approve everything, unless `IS_SANDBOX` is set"}[h.RootRefuses])
	row("when a tool was denied", h.Permission)
	row("tries its provider again", h.Retries)
	var signals []string
	for _, s := range h.Gentle {
		signals = append(signals, map[syscall.Signal]string{syscall.SIGINT: "INT", syscall.SIGTERM: "TERM"}[s])
	}
	row("asked to end by", strings.Join(signals, ", then ")+", then it is killed with all that it has started")
}

// terminal says how each format's stream ends.
var terminal = map[stream.Format]string{
	stream.FormatClaude:   "which ends with `result`; its `is_error` decides, not its `subtype`",
	stream.FormatCodex:    "which ends with `turn.completed` or `turn.failed`",
	stream.FormatOpenCode: "which ends with a `step_finish` of the reason `stop`, or with an `error`",
	stream.FormatGemini:   "which ends with `result`; its `status` decides",
	stream.FormatCopilot:  "which ends with `result`; a `session.error` before it, or an `abort`, is a failure whatever its exit code says",
}

func home(h Harness) (files []string) {
	for _, f := range h.LoginFiles {
		files = append(files, "~/"+f)
	}
	return files
}

func code(words ...string) string {
	if text := strings.Join(words, " "); text != "" {
		return "`" + text + "`"
	}
	return ""
}

func list(words []string) string {
	var all []string
	for _, w := range words {
		all = append(all, code(w))
	}
	return strings.Join(all, ", ")
}
