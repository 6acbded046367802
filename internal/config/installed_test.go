package config_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ralph/internal/config"
)

// install.sh writes the example with every setting as a comment, and says that
// removing one # is enough. It is, for each of them.
func TestEachLineOfTheInstalledSettingsWorksAlone(t *testing.T) {
	script, err := os.ReadFile("../../install.sh")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`sed '([^']*)' "\$work/config\.yaml\.example"`).FindSubmatch(script)
	if command == nil {
		t.Fatal("install.sh does not make the settings with sed")
	}
	text, err := exec.Command("sed", string(command[1]), "../../config.yaml.example").Output()
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../config.yaml.example")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	load := func(text string) (*config.Loaded, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return config.Load(config.Input{Example: example, UserFile: file})
	}
	lines := strings.Split(string(text), "\n")
	setting := regexp.MustCompile(`^# ? ? ?[a-z_]+:( |$)`) // comments of the example have a blank after the #
	tried := 0
	for i, line := range lines {
		if !setting.MatchString(line) || strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "#  ") {
			continue
		}
		changed := append([]string{}, lines...)
		changed[i] = line[1:]
		if _, err := load(strings.Join(changed, "\n")); err != nil {
			t.Errorf("line %d: %s: %v", i+1, line, err)
		}
		tried++
	}
	if _, err := load(string(text)); err != nil {
		t.Error(err)
	}
	if tried < 40 {
		t.Errorf("only %d settings were tried", tried)
	}
	key, _, _ := strings.Cut(string(text), "max_iterations:") // and it counts
	loaded, err := load(strings.TrimSuffix(key, "#  ") + "  max_iterations: 7\n")
	if err != nil || loaded.Settings.Defaults.MaxIterations != 7 {
		t.Errorf("max_iterations: 7: %v", err)
	}
}
