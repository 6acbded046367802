package setup

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ralph/internal/agent"
)

// The slash commands that a user can call inside of an agent. Each is a text in
// templates/commands, in the form that Claude Code reads. The forms of the other agents are
// made from it.
const (
	planCommand = "ralph-plan"
	prdCommand  = "ralph-prd"
)

// command is one of the texts, taken apart.
type command struct {
	name        string
	frontMatter string // the lines between the two rules
	description string
	body        string // with $ARGUMENTS for what the user adds
}

// Agent describes how to install slash commands for a coding agent, and how to start it with a
// first message. agent.Harness describes its unattended calls.
type Agent struct {
	Name   string
	folder string // from the project's root; empty where a project can have none
	file   string // in the folder, with * for the command's name
	render func(c command) (head, body string)
	batch  string   // the argument that makes the harness's command unattended
	open   []string // the arguments before the first message
	byName bool     // the first message may be the command's own name
	prefix string   // what the user types before a command's name
}

// Agents returns what is known of each agent:
//
//   - Claude Code: https://code.claude.com/docs/en/slash-commands
//   - Codex has dropped its custom prompts for skills, which a project can have:
//     https://developers.openai.com/codex/skills
//   - OpenCode: https://opencode.ai/docs/commands
//   - Gemini CLI: https://geminicli.com/docs/cli/custom-commands
//   - Copilot CLI has no such commands; it takes the text as a message.
func Agents() []Agent {
	return []Agent{
		{Name: "claude", folder: ".claude/commands", file: "*.md", render: renderClaude, byName: true, prefix: "/"},
		{Name: "codex", folder: ".agents/skills", file: "*/SKILL.md", render: renderSkill, batch: "exec", prefix: "$"},
		{Name: "opencode", folder: ".opencode/commands", file: "*.md", render: renderOpenCode,
			batch: "run", open: []string{"--prompt"}, prefix: "/"},
		{Name: "gemini", folder: ".gemini/commands", file: "*.toml", render: renderGemini,
			open: []string{"--prompt-interactive"}, prefix: "/"},
		{Name: "copilot", open: []string{"-i"}},
	}
}

// Find returns the agent of that name, and false if the name is unknown.
func Find(name string) (Agent, bool) {
	all := Agents()
	i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return all[i], true
}

// path returns the path of the command's file, from the project's root.
func (a Agent) path(name string) string {
	return a.folder + "/" + strings.ReplaceAll(a.file, "*", name)
}

// Plan returns the command that starts the agent in this terminal with a planning prompt.
// description is the user's text.
func (a Agent) Plan(texts fs.FS, h agent.Harness, model, description string) ([]string, error) {
	c, err := load(texts, planCommand)
	if err != nil {
		return nil, err
	}
	argv := slices.Clone(h.Command)
	if n := len(argv) - 1; n > 0 && argv[n] == a.batch {
		argv = argv[:n]
	}
	if model != "" && h.ModelFlag != "" {
		argv = append(argv, h.ModelFlag, model)
	}
	return append(append(argv, a.open...), a.message(c, description)), nil
}

// message returns the first message of a session that does what the command says.
func (a Agent) message(c command, arguments string) string {
	if a.byName {
		return strings.TrimSpace("/" + c.name + " " + arguments)
	}
	if arguments == "" {
		arguments = "(nothing)"
	}
	return strings.ReplaceAll(c.body, "$ARGUMENTS", arguments)
}

// load reads one of the built-in texts.
func load(texts fs.FS, name string) (command, error) {
	data, err := fs.ReadFile(texts, "templates/commands/"+name+".md")
	if err != nil {
		return command{}, fmt.Errorf("this build of ralph lacks the command %s", name)
	}
	parts := strings.SplitN(string(data), "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		return command{}, fmt.Errorf("the command %s of this build of ralph has no front matter", name)
	}
	_, description, _ := strings.Cut(parts[1], "description: ")
	description, _, _ = strings.Cut(description, "\n")
	return command{name: name, frontMatter: parts[1], description: strings.TrimSpace(description),
		body: strings.TrimLeft(parts[2], "\n")}, nil
}

// content returns the command's file for the agent: a head, the seal as a comment, the rest.
func (a Agent) content(c command) string {
	head, rest := a.render(c)
	return head + sealLine(head+rest) + rest
}

func renderClaude(c command) (head, rest string) {
	return "---\n", c.frontMatter + "---\n\n" + c.body
}

// renderOpenCode names the agent that may write files. The user may be in another one.
func renderOpenCode(c command) (head, rest string) {
	return "---\n", "description: " + c.description + "\nagent: build\n---\n\n" + c.body
}

// renderSkill describes in words where the arguments are. A skill has no placeholder.
func renderSkill(c command) (head, rest string) {
	body := strings.ReplaceAll(c.body, "$ARGUMENTS", "the text after $"+c.name+" in their message.")
	body = strings.ReplaceAll(body, "`/ralph-", "`$ralph-")
	return "---\n", "name: " + c.name + "\ndescription: " + c.description + ". Only when the user asks for $" + c.name + ".\n---\n\n" + body
}

// renderGemini uses a literal string of TOML, which has no escapes.
func renderGemini(c command) (head, rest string) {
	body := strings.ReplaceAll(c.body, "$ARGUMENTS", "{{args}}")
	return "", "description = '" + c.description + "'\nprompt = '''\n" + body + "'''\n"
}
