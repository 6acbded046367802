package plan_test

import (
	"testing"

	"ralph/internal/plan"
)

func TestPromised(t *testing.T) {
	const promise = "<promise>COMPLETE</promise>"
	for _, c := range []struct {
		name, final string
		want        bool
	}{
		{"alone", promise, true},
		{"alone on a line", "All stories pass.\n\n" + promise + "\n\nGood night.", true},
		{"with white space inside", "Done.\n<promise> COMPLETE\t</promise>", true},
		{"over lines at the end", "Done.\n<promise>\nCOMPLETE\n</promise>\n", true},
		{"at the very end of a sentence", "Everything is finished: " + promise, true},
		{"emphasised alone on a line", "Done.\n**" + promise + "**\nBye.", true},
		{"CRLF", "Done.\r\n" + promise + "\r\nBye.", true},
		{"mentioned in passing", "I will print " + promise + " when all stories pass.", false},
		{"quoted in backticks in a sentence", "The marker is `" + promise + "`, not printed yet.", false},
		{"alone in a code block at the end", "All stories pass.\n\n```\n" + promise + "\n```\n", true},
		{"behind a code block", "```sh\nmake\n```\n" + promise + "\nBye.", true},
		{"behind a code block that is not ended", "```sh\nmake\n" + promise, true},
		{"emphasised with three marks", "Done.\n```" + promise + "```\nBye.", true},
		{"shown in a code block", "When all is done I say\n\n```\n" + promise + "\n```\n\nTwo tests fail.", false},
		{"shown in a longer block", "~~~~md\n~~~\n" + promise + "\n~~~\n~~~~\nNot yet.", false},
		{"quoted as a block", "You asked for\n\n> " + promise + "\n\nbut two tests fail.", false},
		{"another word", "<promise>COMPLETED</promise>", false},
		{"half of it", "<promise>COMPLETE", false},
		{"nothing", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := plan.Promised(c.final, promise); got != c.want {
				t.Errorf("Promised(%q) = %v, want %v", c.final, got, c.want)
			}
		})
	}
	if plan.Promised("anything", "") {
		t.Error("an empty promise was found")
	}
}
