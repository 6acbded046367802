package host

import (
	"os"
	"strings"
)

// agentEnv is the worker's environment for what runs code that is not ours: without the
// variables that open Temporal's door.
func agentEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TEMPORAL_") {
			env = append(env, v)
		}
	}
	return env
}
