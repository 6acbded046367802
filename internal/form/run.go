package form

import (
	"context"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Ask shows the form until the user fills it in or leaves it. ok is false if the user left it.
// The error comes from the terminal, or is the cause of ctx.
func (f *Form) Ask(ctx context.Context, in, out *os.File, color bool) (ok bool, err error) {
	profile := colorprofile.ASCII
	if color {
		profile = colorprofile.ANSI
	}
	for f.at < len(f.Fields)-1 && f.Fields[f.at].Fixed {
		f.at++
	}
	// Without a profile bubbletea would start tmux to ask for one.
	p := tea.NewProgram(&program{form: f, color: color, width: 80}, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithoutSignalHandler(), tea.WithColorProfile(profile))
	_, err = p.Run()
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("the form cannot be shown: %w", err)
	}
	return f.done, nil
}

// program joins the form to bubbletea.
type program struct {
	form  *Form
	color bool
	width int
}

// Init implements tea.Model.
func (p *program) Init() tea.Cmd { return nil }

// View implements tea.Model.
func (p *program) View() tea.View { return tea.NewView(p.form.page(p.width, p.color)) }

// Update implements tea.Model.
func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width > 0 {
			p.width = msg.Width
		}
	case tea.PasteMsg:
		p.form.Fields[p.form.at].write(msg.Content)
	case tea.KeyPressMsg:
		p.form.key(msg.String(), msg.Text)
	}
	if p.form.done || p.form.aborted {
		return p, tea.Quit
	}
	return p, nil
}
