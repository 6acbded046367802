// Package e2e proves the fleet against a real server: workers are processes that can
// be killed, remotes are real repositories, and hosts can be cut off from both.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programs is where TestMain puts ralph and ralph-fleet.
var programs string

func TestMain(m *testing.M) {
	os.Exit(build(m))
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ralph-fleet-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = dir
	for program, module := range map[string]string{"ralph": "../../..", "ralph-fleet": "../.."} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, program), "./cmd/"+program)
		cmd.Dir = module
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n%s", program, err, out)
			return 1
		}
	}
	return m.Run()
}
