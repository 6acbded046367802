package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ralph"
	"ralph/internal/agent"
)

// slashCommands are the commands that a person can call inside of an agent.
// Each is one text below templates/commands, in the form that Claude Code
// reads; the forms of the other agents are made from it.
var slashCommands = [...]string{"ralph-plan", "ralph-prd"}

// slashCommand is one of the texts, taken apart.
type slashCommand struct {
	name        string
	frontMatter string // the lines between the two rules
	description string
	body        string // with $ARGUMENTS for what the user adds
}

// dialect is what one agent wants of such a command: where its file is, what is
// in it, and how the agent is opened with a first message. Beside agent.Harness,
// which is about unattended calls, it is all that differs between them.
type dialect struct {
	agent    string
	folder   string // from the root of the worktree, empty where it has none for a project
	file     func(name string) string
	render   func(c slashCommand) (head, body string)
	batch    string   // the word of the harness's command that makes it unattended
	open     []string // stands before the first message
	byName   bool     // its first message may be the command's own name
	commands string   // how the user calls one: what stands before its name
}

// dialects returns what is known of each agent:
//
//   - Claude Code: https://code.claude.com/docs/en/slash-commands
//   - Codex has dropped its custom prompts for skills, which a project can have:
//     https://developers.openai.com/codex/skills
//   - OpenCode: https://opencode.ai/docs/commands
//   - Gemini CLI: https://geminicli.com/docs/cli/custom-commands
//   - Copilot CLI has no such commands; it takes the text as a message.
func dialects() []dialect {
	markdown := func(name string) string { return name + ".md" }
	return []dialect{
		{agent: "claude", folder: ".claude/commands", file: markdown, render: renderClaude, byName: true, commands: "/"},
		{agent: "codex", folder: ".agents/skills", file: func(name string) string { return name + "/SKILL.md" },
			render: renderSkill, batch: "exec", commands: "$"},
		{agent: "opencode", folder: ".opencode/commands", file: markdown, render: renderOpenCode,
			batch: "run", open: []string{"--prompt"}, commands: "/"},
		{agent: "gemini", folder: ".gemini/commands", file: func(name string) string { return name + ".toml" },
			render: renderGemini, open: []string{"--prompt-interactive"}, commands: "/"},
		{agent: "copilot", open: []string{"-i"}},
	}
}

func dialectOf(name string) (dialect, bool) {
	all := dialects()
	i := slices.IndexFunc(all, func(d dialect) bool { return d.agent == name })
	if i < 0 {
		return dialect{}, false
	}
	return all[i], true
}

// path is where the command's file is, from the root of the worktree.
func (d dialect) path(name string) string { return path.Join(d.folder, d.file(name)) }

// argv is the call that opens the agent in this terminal and has it begin.
func (d dialect) argv(h agent.Harness, model, message string) []string {
	argv := slices.Clone(h.Command)
	if n := len(argv) - 1; n > 0 && argv[n] == d.batch {
		argv = argv[:n]
	}
	if model != "" && h.ModelFlag != "" {
		argv = append(argv, h.ModelFlag, model)
	}
	return append(append(argv, d.open...), message)
}

// message is what opens a session that carries the command out.
func (d dialect) message(c slashCommand, arguments string) string {
	if d.byName {
		return strings.TrimSpace("/" + c.name + " " + arguments)
	}
	if arguments == "" {
		arguments = "(nothing)"
	}
	return strings.ReplaceAll(c.body, "$ARGUMENTS", arguments)
}

var slashText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\A---\n(.*?\n)---\n+(.*)\z`)
})

// loadSlashCommand reads one of the built-in texts.
func loadSlashCommand(name string) (slashCommand, error) {
	data, err := ralph.Templates.ReadFile("templates/commands/" + name + ".md")
	if err != nil {
		return slashCommand{}, fmt.Errorf("this build of ralph lacks the command %s", name)
	}
	m := slashText().FindStringSubmatch(string(data))
	if m == nil {
		return slashCommand{}, fmt.Errorf("the command %s of this build of ralph has no front matter", name)
	}
	c := slashCommand{name: name, frontMatter: m[1], body: m[2]}
	for line := range strings.Lines(c.frontMatter) {
		if text, ok := strings.CutPrefix(line, "description: "); ok {
			c.description = strings.TrimSpace(text)
		}
	}
	return c, nil
}

// content is the whole file for the command: a head that may hold comments, in
// which the seal stands, and the rest.
func (d dialect) content(c slashCommand) string {
	head, rest := d.render(c)
	return head + sealLine(head+rest) + rest
}

func renderClaude(c slashCommand) (head, rest string) {
	return "---\n", c.frontMatter + "---\n\n" + c.body
}

// renderOpenCode names the agent that may write files: the user may be in
// another when they call the command.
func renderOpenCode(c slashCommand) (head, rest string) {
	return "---\n", "description: " + c.description + "\nagent: build\n---\n\n" + c.body
}

// renderSkill says in words where the arguments are: a skill has no placeholder.
func renderSkill(c slashCommand) (head, rest string) {
	body := strings.ReplaceAll(c.body, "$ARGUMENTS", "what stands behind $"+c.name+" in their message.")
	body = strings.ReplaceAll(body, "`/ralph-", "`$ralph-")
	return "---\n", "name: " + c.name + "\ndescription: " + c.description + ". Only when the user asks for $" + c.name + ".\n---\n\n" + body
}

// renderGemini uses a literal string of TOML, in which nothing is escaped.
func renderGemini(c slashCommand) (head, rest string) {
	body := strings.ReplaceAll(c.body, "$ARGUMENTS", "{{args}}")
	return "", "description = '" + c.description + "'\nprompt = '''\n" + body + "'''\n"
}

// The seal is a comment with a checksum of all other lines of the file. Where it
// is right, nobody but ralph has written the file, and a newer ralph may replace
// it without asking.
const sealPrefix = "# Written by 'ralph setup', which asks before it replaces this file once it was edited: "

func sealLine(text string) string { return sealPrefix + checksum(text) + "\n" }

// checksum does not see the ends of lines: git may change them at a checkout.
func checksum(text string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
	return hex.EncodeToString(sum[:8])
}

// sealed reports whether the text is as some version of ralph wrote it.
func sealed(text string) bool {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	at := strings.Index(text, sealPrefix)
	if at < 0 || at > 0 && text[at-1] != '\n' {
		return false
	}
	line, after, _ := strings.Cut(text[at:], "\n")
	return strings.TrimPrefix(line, sealPrefix) == checksum(text[:at]+after)
}
