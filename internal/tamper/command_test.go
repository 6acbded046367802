package tamper

import "testing"

func TestCommand(t *testing.T) {
	for line, want := range map[string]bool{
		`git commit --no-verify -m "x"`:                               true,
		`cd src && git add -A && git commit -m "feat: x" --no-verify`: true,
		`git commit -nm "x"`:                                          true,
		`git commit -an -m x`:                                         true,
		`git push --no-verify`:                                        true,
		`/usr/bin/git -C src commit --no-verify`:                      true,
		`git -c core.hooksPath=/dev/null commit -m x`:                 true,
		`git config core.hooksPath /dev/null`:                         true,
		`git config --local core.hookspath ''`:                        true,
		`HUSKY=0 git commit -m x`:                                     true,
		`SKIP=lint git commit -m x`:                                   true,
		`git update-index --skip-worktree a_test.go`:                  true,
		"git add .\ngit commit \\\n  --no-verify -m x":                true,

		"bash <<'EOF'\ngit commit --no-verify -m x\nEOF":        true,
		"echo \"<<x\"\ngit commit --no-verify -m x":             true,
		"cat <<'EOF' | sh -e\ngit commit --no-verify -m x\nEOF": true,
		"sudo -u a bash <<EOF\ngit push --no-verify\nEOF":       true,
		"cat <<EOF >a\ntext\nEOF\ngit commit --no-verify -m x":  true,
		`git config --unset core.hooksPath`:                     true,

		"cat > a.md <<'EOF'\n    git commit --no-verify\nEOF\n":  false,
		"cat >a <<-EOF && ls\n\tgit push --no-verify\n\tEOF\nls": false,
		`git config --get core.hooksPath`:                        false,
		`git config core.hooksPath 2>/dev/null`:                  false,
		`git commit -m "never use --no-verify"`:                  false,
		`git commit -m 'no: git commit --no-verify'`:             false,
		`git commit -F - <<EOF`:                                  false,
		`git commit -mnothing`:                                   false,
		`git push -n`:                                            false,
		`git log -n 3`:                                           false,
		`git config core.hooksPath`:                              false,
		`grep -r -- --no-verify .`:                               false,
		`npm test -- --no-verify`:                                false,
		`echo "git commit"; ls -n`:                               false,
		`git commit -m "$(cat <<'EOF'` + "\nwith -n\nEOF\n)\"":   false,
		`HUSKY=1 git commit -m x`:                                false,
		``:                                                       false,
		`'`:                                                      false,
	} {
		if f, got := Command(line, true); got != want || got && (f.Message == "" || f.Rule == "") {
			t.Errorf("%q: %v, %+v", line, got, f)
		}
	}
	if f, got := Command("git config core.hooksPath .githooks", false); got {
		t.Errorf("hooks were turned off where there are none: %+v", f)
	}
}

// FuzzCommand: whatever an agent runs, it is read to its end.
func FuzzCommand(f *testing.F) {
	f.Add(`A=1 git -c x commit -n "a\"b" 'c'; (git push --no-verify) | x & y`)
	f.Fuzz(func(t *testing.T, line string) {
		if found, _ := Command(line, true); len(found.Text) > MaxText {
			t.Errorf("%d bytes of text", len(found.Text))
		}
	})
}
