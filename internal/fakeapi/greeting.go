package fakeapi

import (
	"fmt"
	"path/filepath"
)

// Promise is what an agent says when all is done, unless the settings say otherwise.
const Promise = "<promise>COMPLETE</promise>"

// Greeting plays the model of docs/getting-started.md: two sessions that take its
// two stories to done in the repository at repo, an absolute path. They use no tool
// but those that the page allows.
func Greeting(repo string) *API {
	in := func(name string) string { return filepath.Join(repo, name) }
	prd := in(".ralph/feature-greeting/prd.json")
	read := func(path string) Reply { return Tool("Read", map[string]any{"file_path": path}) }
	edit := func(path, from, to string) Reply {
		return Tool("Edit", map[string]any{"file_path": path, "old_string": from, "new_string": to})
	}
	tick := func(priority int) Reply {
		place := fmt.Sprintf("\"priority\": %d,\n      \"passes\": ", priority)
		return edit(prd, place+"false", place+"true")
	}
	return Sessions(
		[]Reply{
			read(prd).And(read(in("check.sh"))).Saying("I look at the plan, and at how this project is checked."),
			Write(in("tests/name.sh"), "test \"$(sh greet.sh Ada)\" = 'Hello, Ada!'\n").Saying("The test first."),
			Write(in("greet.sh"), "#!/bin/sh\necho \"Hello, $1!\"\n"),
			Bash("sh check.sh"),
			Bash("git add greet.sh tests"), Bash("git commit -q -m 'feat: greet by name (STORY-001)'"),
			tick(1),
			Text("greet.sh greets a person by name, and tests/name.sh holds it to that. STORY-001 is done."),
		},
		[]Reply{
			read(prd).And(read(in("greet.sh"))).Saying("One story is left."),
			Write(in("tests/everybody.sh"), "test \"$(sh greet.sh)\" = 'Hello, everybody!'\n"),
			edit(in("greet.sh"), "$1", "${1:-everybody}"),
			Bash("sh check.sh"),
			Bash("git add greet.sh tests"), Bash("git commit -q -m 'feat: greet everybody (STORY-002)'"),
			tick(2),
			Text("Without a name everybody is greeted. All stories are done.\n\n" + Promise),
		},
	)
}
