package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// Diff returns, as text without context lines, what differs between a commit and the
// worktree, committed or not. It recognises renames and leaves out untracked files. If the
// diff is larger than limit bytes, it returns the beginning, and cut is true. It leaves out
// paths that equal one of exclude or are below it, and those that match a pathspec in it, see
// [Anywhere].
//
// It calls git once. It runs no program that the repository configures to show differences.
func (r *Repo) Diff(ctx context.Context, from string, limit int, exclude ...string) (diff string, cut bool, err error) {
	return r.diff(ctx, 0, []string{from}, limit, exclude)
}

// DiffCommits returns the difference between two commits, in the form of Diff.
func (r *Repo) DiffCommits(ctx context.Context, from, to string, limit int, exclude ...string) (diff string, cut bool, err error) {
	return r.diff(ctx, 0, []string{from, to}, limit, exclude)
}

// DiffToRead returns the difference between two commits with context lines around each
// change.
func (r *Repo) DiffToRead(ctx context.Context, from, to string, limit int, exclude ...string) (
	diff string, cut bool, err error,
) {
	const around = 8
	return r.diff(ctx, around, []string{from, to}, limit, exclude)
}

func (r *Repo) diff(
	ctx context.Context, around int, revisions []string, limit int, exclude []string,
) (diff string, cut bool, err error) {
	if err := checkRevision(revisions...); err != nil {
		return "", false, err
	}
	args := []string{"-c", "core.quotePath=false", "diff", "--no-ext-diff", "--no-textconv",
		"--no-color", fmt.Sprintf("--unified=%d", around), "--inter-hunk-context=0",
		"--find-renames", "--diff-algorithm=histogram", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=dirty"}
	args = append(append(args, revisions...), "--", ":/")
	for _, path := range exclude {
		if !strings.HasPrefix(path, ":(") {
			path = ":(exclude,top)" + path
		}
		args = append(args, path)
	}
	return r.bounded(ctx, limit, args)
}

// Anywhere turns patterns into pathspecs that exclude files in any folder. A pattern without
// a slash matches a file name. One that ends with a slash matches a folder name.
func Anywhere(patterns []string) []string {
	var specs []string
	for _, p := range patterns {
		if folder, ok := strings.CutSuffix(p, "/"); ok {
			p = folder + "/**"
		}
		specs = append(specs, ":(exclude,top,glob)**/"+p)
	}
	return specs
}

// Untracked lists the untracked files that git does not ignore. It leaves out paths that
// equal one of exclude, or are below it.
func (r *Repo) Untracked(ctx context.Context, exclude ...string) ([]string, error) {
	out, err := r.git(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	files := strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
	return slices.DeleteFunc(files, func(path string) bool { return under(path, exclude) }), err
}

// Ignored lists the files that git ignores in the worktree. A folder with only ignored files
// is one path that ends in a slash.
func (r *Repo) Ignored(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 }), err
}

// bounded runs git and reads at most limit bytes of its output. git is stopped there.
func (r *Repo) bounded(ctx context.Context, limit int, args []string) (string, bool, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(settings[:len(settings):len(settings)], args...)...)
	var stderr strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = r.Root, append(environ(os.Environ()), r.quiet()...), &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return "", false, err
	}
	if err := cmd.Start(); err != nil {
		return "", false, err
	}
	var text strings.Builder
	n, readErr := io.CopyN(&text, pipe, int64(limit)+1)
	if n > int64(limit) {
		cancel()
		_ = cmd.Wait() // it was ended before its end
		return text.String()[:limit], true, nil
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", false, fmt.Errorf("git diff: %w", context.Cause(ctx))
	case errors.As(err, &exit):
		return "", false, &Error{Args: args, ExitCode: exit.ExitCode(), Stderr: reason(stderr.String())}
	case err == nil && readErr != nil && !errors.Is(readErr, io.EOF):
		err = readErr
	}
	return text.String(), false, err
}
