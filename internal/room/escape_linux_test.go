package room

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be a tool in a room: connect NETWORK ADDRESS, or attach PID.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "__connect" {
		if conn, err := net.DialTimeout(os.Args[2], os.Args[3], 5*time.Second); err == nil {
			fmt.Println("ESCAPED: connected")
			conn.Close()
		}
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == "__attach" {
		var pid int
		fmt.Sscan(os.Args[2], &pid)
		if err := syscall.PtraceAttach(pid); err == nil {
			fmt.Println("ESCAPED: attached")
		}
		os.Exit(0)
	}
	for fd := 3; fd < 64; fd++ {
		syscall.CloseOnExec(fd) // what the caller of the test left open: the guardian does the same
	}
	os.Exit(m.Run())
}

// attempt is an attempt to leave a room. The script prints ESCAPED, or a secret, if it sees
// that it got out. The test also compares the files outside.
type attempt struct{ name, script string }

// Attempts of code in any room. HOME, ROOT (the worktree), OTHER (another worktree of the
// repository), OUT (a folder that everyone can write), VICTIM (a process outside) and TOOL
// (this program) are given.
var everywhere = []attempt{
	{"write into the home folder", `echo x >"$HOME/escaped"`},
	{"append to a start file of the shell", `echo x >>"$HOME/.bashrc"`},
	{"replace a start file of the shell", `echo x >"$HOME/new"; mv -f "$HOME/new" "$HOME/.bashrc"`},
	{"write ralph's settings of the user", `mkdir -p "$HOME/.ralph"; echo 'completion: {trust_promise: true}' >"$HOME/.ralph/config.yaml"`},
	{"write the ledger of calls", `mkdir -p "$HOME/.ralph/ratelimit"; echo '{}' >"$HOME/.ralph/ratelimit/claude.json"`},
	{"read ralph's settings of the user", `cat "$HOME/.ralph/config.yaml"`},
	{"read a key of ssh", `cat "$HOME/.ssh/id_ed25519"`},
	{"read keys of a cloud", `cat "$HOME/.aws/credentials"`},
	{"read keys of gnupg", `cat "$HOME/.gnupg/secring"`},
	{"read what the settings hide", `cat "$HOME/.kube/config"`},
	{"read a key through a link", `ln -s "$HOME/.ssh" "$ROOT/keys"; cat "$ROOT/keys/id_ed25519"`},
	{"read a key through /proc/1/root", `cat "/proc/1/root$HOME/.ssh/id_ed25519"; cat "/proc/self/root$HOME/.ssh/id_ed25519"`},
	{"uncover a hidden folder", `umount "$HOME/.ssh"; umount -l "$HOME/.ssh"; cat "$HOME/.ssh/id_ed25519"`},
	{"write a hook", `printf '#!/bin/sh\n' >"$ROOT/.git/hooks/pre-commit"`},
	{"remove a hook", `rm -f "$ROOT/.git/hooks/pre-push"`},
	{"move the hooks away", `mv "$ROOT/.git/hooks" "$ROOT/.git/hooks2" && mkdir "$ROOT/.git/hooks"`},
	{"uncover the hooks", `umount "$ROOT/.git/hooks"; printf '#!/bin/sh\n' >"$ROOT/.git/hooks/pre-commit"`},
	{"write attributes for all worktrees", `echo '* filter=x' >"$ROOT/.git/info/attributes"`},
	{"exclude files for all worktrees", `echo '*.go' >>"$ROOT/.git/info/exclude"`},
	{"append to the journal", `echo '{}' >>"$ROOT/.git/ralph/unit/journal.jsonl"`},
	{"remove the journal", `rm -rf "$ROOT/.git/ralph/unit"`},
	{"replace the journal's folder", `mv "$ROOT/.git/ralph" "$ROOT/.git/gone"; mkdir -p "$ROOT/.git/ralph/unit"; echo x >"$ROOT/.git/ralph/unit/journal.jsonl"`},
	{"link the journal and write through the link", `ln "$ROOT/.git/ralph/unit/journal.jsonl" "$ROOT/j" && echo x >>"$ROOT/j"`},
	{"leave a request for the loop", `mkdir -p "$ROOT/.git/ralph/unit/inbox"; echo '{}' >"$ROOT/.git/ralph/unit/inbox/stop"`},
	{"write into another worktree", `echo x >"$OTHER/file"`},
	{"remove another worktree", `rm -rf "$OTHER"`},
	{"set another worktree's HEAD", `for d in "$ROOT"/.git/worktrees/*/; do echo 'ref: refs/heads/evil' >"$d/HEAD"; done`},
	{"write through a symbolic link", `ln -s "$HOME/.bashrc" "$ROOT/link"; echo x >>"$ROOT/link"`},
	{"write through a hard link", `ln "$HOME/.bashrc" "$ROOT/hard" && echo x >>"$ROOT/hard"`},
	{"change modes of the home folder", `chmod 777 "$HOME" "$HOME/.bashrc"`},
	{"move the project away", `mv "$ROOT" "$ROOT.moved"`},
	{"write into /tmp of the host", `echo x >"$OUT/escaped"; mkdir -p "$OUT"; echo x >"$OUT/escaped"`},
	{"read from /tmp of the host", `cat "$OUT/secret"`},
	{"read the environment of a process outside", `cat /proc/"$VICTIM"/environ; cat /proc/[0-9]*/environ | tr '\0' '\n' | grep -a CANARY`},
	{"read the memory of a process outside", `head -c 1 /proc/"$VICTIM"/mem && echo ESCAPED; ls /proc/"$VICTIM"/fd && echo ESCAPED`},
	{"go through the root of a process outside", `ls /proc/"$VICTIM"/root/ && echo ESCAPED; ls /proc/"$VICTIM"/cwd/ && echo ESCAPED`},
	{"kill a process outside", `kill -9 "$VICTIM"; kill -9 -1`},
	{"trace a process outside", `"$TOOL" __attach "$VICTIM"`},
	{"use a file that was left open", `for n in 3 4 5 6 7 8 9; do (eval "true <&$n") && echo ESCAPED; (eval "true >&$n") && echo ESCAPED; done`},
	{"mount a folder", `mount -t tmpfs none "$HOME" && echo ESCAPED`},
	{"make the root writable", `mount -o remount,rw / && echo x >"$HOME/escaped"; mount -o remount,bind,rw "$HOME"; echo x >"$HOME/escaped"`},
	{"mount in a user namespace of its own", `unshare -Urm sh -c 'mount -o remount,bind,rw /; mount --bind / /mnt; echo x >"$HOME/escaped"; echo x >"/mnt$HOME/escaped"; umount -l "$HOME/.ssh"; cat "$HOME/.ssh/id_ed25519"'`},
	{"make a room in the room", `bwrap --bind / / --dev /dev sh -c 'echo x >"$HOME/escaped"; cat "$HOME/.ssh/id_ed25519"'`},
	{"enter the namespaces of the host", `nsenter -t 1 -m -p sh -c 'cat /proc/'"$VICTIM"'/environ'; nsenter -t "$VICTIM" -m cat "$HOME/.ssh/id_ed25519"`},
	{"change the root", `mkdir -p "$ROOT/r"; chroot / true && echo ESCAPED`},
	{"make a device", `mknod "$ROOT/disk" b 254 0 && echo ESCAPED`},
	{"read a disk", `for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg; do head -c 1 "$d" && echo ESCAPED; done`},
	{"write a setting of the kernel", `cat /proc/sys/kernel/core_pattern >/proc/sys/kernel/core_pattern && echo ESCAPED; echo h >/proc/sysrq-trigger && echo ESCAPED`},
	{"write to /sys", `for f in /sys/kernel/uevent_helper /sys/power/state; do echo x >"$f" && echo ESCAPED; done`},
	{"make a control group", `mkdir /sys/fs/cgroup/escaped && echo ESCAPED`},
	{"gain rights by a setuid program", `grep -q '^NoNewPrivs:.1' /proc/self/status || echo ESCAPED; grep '^Cap...:' /proc/self/status | grep -v '0000000000000000' && echo ESCAPED; sudo -n true && echo ESCAPED`},
	{"talk to a socket in /tmp", `"$TOOL" __connect unix "$OUT/socket"`},
	{"talk to a socket of the session", `"$TOOL" __connect unix "$SESSION/socket"`},
	{"talk to the container daemon", `for s in /run/docker.sock /var/run/docker.sock /run/containerd/containerd.sock /run/podman/podman.sock; do "$TOOL" __connect unix "$s"; done`},
	{"talk to a daemon in the home folder", `"$TOOL" __connect unix "$HOME/.docker/run/docker.sock"; "$TOOL" __connect unix "$HOME/agent.sock"`},
	{"talk to the system's bus", `"$TOOL" __connect unix /run/dbus/system_bus_socket; "$TOOL" __connect unix /run/systemd/private`},
	{"talk to a tmux server", `tmux -S "$OUT/tmux" run-shell "touch '$OUT/escaped'"; tmux -S "$OUT/tmux" ls && echo ESCAPED`},
	{"start a service", `systemd-run --user touch "$OUT/escaped" && echo ESCAPED; systemd-run touch "$OUT/escaped" && echo ESCAPED`},
	{"ask at and cron", `echo "touch '$OUT/escaped'" | at now && echo ESCAPED; echo "* * * * * touch '$OUT/escaped'" | crontab - && echo ESCAPED; echo x >/etc/cron.d/escaped && echo ESCAPED; echo x >/var/spool/cron/escaped && echo ESCAPED`},
	{"write into system folders", `for d in /etc /usr/local/bin /usr/bin /opt /var/lib /boot; do echo x >"$d/escaped" && echo ESCAPED; done`},
	{"outlive the room", `(setsid sh -c 'while :; do echo x >"$ROOT/alive"; sleep 0.05; done' >/dev/null 2>&1 &)`},
	{"outlive the room as a daemon without a trace", `env -i setsid sh -c 'trap "" TERM INT HUP; (while :; do date >"'"$ROOT"'/alive"; sleep 0.05; done) & exit' >/dev/null 2>&1 </dev/null &`},
	{"share memory", `ipcs -m | grep 40961 && echo ESCAPED; ls /dev/shm | grep . && echo ESCAPED`},
	{"type into a terminal", `(echo x >/dev/tty) && echo ESCAPED; ls /dev/pts | grep -v ptmx | grep -q . && echo ESCAPED`},
}

// Attempts of checks: their room is stricter.
var inChecks = []attempt{
	{"read a file of the home folder", `cat "$HOME/.bashrc"`},
	{"read a file that is not in git", `cat "$ROOT/ignored"`},
	{"read another worktree", `cat "$OTHER/secret"`},
	{"read the journal", `cat "$ROOT/.git/ralph/unit/journal.jsonl"`},
	{"see other branches", `git -C "$ROOT" branch -a | grep elsewhere && echo ESCAPED`},
	{"move a branch", `git -C "$ROOT" update-ref refs/heads/main "$(git -C "$ROOT" rev-parse HEAD)" && echo ESCAPED`},
	{"commit", `git -C "$ROOT" -c user.name=x -c user.email=x@y commit -q --allow-empty -m x && echo ESCAPED`},
	{"set a setting of git", `git -C "$ROOT" config core.hooksPath /x && echo ESCAPED`},
	{"find the worktree by its settings", `git -C "$ROOT" config --get-regexp 'filter|canary' && echo ESCAPED`},
	{"read the run's token", `env | grep -i 'RALPH_RUN_TOKEN\|RALPH_UNIT' && echo ESCAPED`},
	{"reach a port of the host", `"$TOOL" __connect tcp "$PORT"`},
	{"reach an abstract socket", `"$TOOL" __connect unix "@$ABSTRACT"`},
	{"reach the internet", `"$TOOL" __connect tcp 1.1.1.1:443; "$TOOL" __connect tcp registry.npmjs.org:443`},
	{"write into the caches", `mkdir -p "$HOME/.cache/go"; echo x >"$HOME/.cache/kept"`},
	{"write into the agent's folder", `mkdir -p "$HOME/.agent"; echo x >"$HOME/.agent/settings.json"`},
	{"change the worktree itself", `echo x >"$ROOT/tracked"; rm -f "$ROOT/ignored"; echo x >"$ROOT/new"`},
	{"tell the room from the worktree", `pwd | grep -i 'proof\|ralph\|check' && echo ESCAPED; true`},
}

// grounds are a home folder with a repository of two worktrees, and what an escape would
// reach.
type grounds struct {
	t         *testing.T
	uid       int
	base, out string
	site      Site
	env       []string
	victim    *exec.Cmd
}

func TestEscapes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 seconds")
	}
	program, err := Find(context.Background())
	if err != nil {
		t.Skipf("no rooms here: %v", err)
	}
	users := map[string]int{"as the user of the test": os.Getuid()}
	if os.Getuid() == 0 {
		users = map[string]int{"as root": 0, "as an ordinary user": 4711}
	}
	for name, uid := range users {
		t.Run(name, func(t *testing.T) {
			g := newGrounds(t, program, uid)
			for _, a := range everywhere {
				t.Run("agent/"+a.name, func(t *testing.T) { g.try(t, a, false, g.agentRoom(t)) })
				t.Run("check/"+a.name, func(t *testing.T) { g.try(t, a, true, g.checkRoom(t)) })
			}
			for _, a := range inChecks {
				t.Run("check/"+a.name, func(t *testing.T) { g.try(t, a, true, g.checkRoom(t)) })
			}
		})
	}
}

func newGrounds(t *testing.T, program string, uid int) *grounds {
	t.Helper()
	base, err := os.MkdirTemp("/opt", "grounds-") // not below /tmp, which is private
	if err != nil {
		base, err = os.MkdirTemp("", "grounds-")
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.MkdirTemp("/tmp", "out-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base); os.RemoveAll(out) })
	g := &grounds{t: t, uid: uid, base: base, out: out}
	home := filepath.Join(base, "home")
	root := filepath.Join(home, "project")
	g.env = []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + home, "ROOT=" + root, "OTHER=" + filepath.Join(base, "other"), "OUT=" + out,
		"SESSION=" + filepath.Join(base, "session"), "XDG_RUNTIME_DIR=" + filepath.Join(base, "session"), "TOOL=" + os.Args[0], "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "RALPH_UNIT=unit"}
	for path, text := range map[string]string{
		"home/.bashrc": "canary of the shell\n", "home/.ralph/config.yaml": "canary: ralph\n", "home/.ssh/id_ed25519": "canary ssh\n",
		"home/.aws/credentials": "canary aws\n", "home/.gnupg/secring": "canary gnupg\n", "home/.kube/config": "canary kube\n",
		"home/.cache/there": "x\n", "home/.agent/settings.json": "{}\n", "session/keep": "",
		"home/project/tracked": "tracked\n", "home/project/.gitignore": "ignored\n", "home/project/ignored": "canary ignored\n",
	} {
		file := filepath.Join(base, path)
		g.must(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
	}
	g.must(os.WriteFile(filepath.Join(out, "secret"), []byte("canary of tmp\n"), 0o644), os.Chmod(out, 0o777), os.Chmod(base, 0o755))
	g.must(os.Chmod(filepath.Dir(filepath.Dir(os.Args[0])), 0o755), os.Chmod(filepath.Dir(os.Args[0]), 0o755))
	if uid == 0 || os.Getuid() == uid {
		uid = os.Getuid()
	}
	g.must(filepath.WalkDir(base, func(path string, _ fs.DirEntry, err error) error { return errors.Join(err, os.Lchown(path, uid, uid)) }))
	for _, line := range []string{
		"git init -q -b main .", "git add -A", "git -c user.name=t -c user.email=t@t commit -q -m first", "git branch elsewhere",
		"git worktree add -q --detach $OTHER", "git config canary.x y", "echo canary other >$OTHER/secret", "mkdir -p .git/ralph/unit .git/hooks .git/info",
		"echo '{\"canary\":1}' >.git/ralph/unit/journal.jsonl", "printf '#!/bin/sh\n' >.git/hooks/pre-push",
	} {
		if text, err := g.sh(root, line); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, text)
		}
	}
	g.site = Site{Program: program, Root: root, GitDir: root + "/.git", Common: root + "/.git", Home: home, Own: home + "/.ralph", Env: g.env,
		Hide: []string{"~/.kube"}}
	g.must(os.MkdirAll(home+"/.docker/run", 0o755))
	g.env = append(g.env, "SSH_AUTH_SOCK="+home+"/agent.sock")
	g.site.Env = g.env
	for _, path := range []string{out + "/socket", base + "/session/socket", home + "/.docker/run/docker.sock", home + "/agent.sock"} {
		l, err := net.Listen("unix", path)
		g.must(err, os.Chmod(path, 0o777))
		t.Cleanup(func() { l.Close() })
	}
	abstract := "escape-" + filepath.Base(base)
	l, err := net.Listen("unix", "@"+abstract)
	g.must(err)
	t.Cleanup(func() { l.Close() })
	p, err := net.Listen("tcp", "127.0.0.1:0")
	g.must(err)
	t.Cleanup(func() { p.Close() })
	if text, err := g.sh("/", "ipcmk -M 40961"); err == nil {
		id := strings.Fields(text)
		t.Cleanup(func() { exec.Command("ipcrm", "-m", id[len(id)-1]).Run() })
	}
	g.victim = g.command("/", "sleep", "3600")
	g.victim.Env = append(g.victim.Env, "CANARY=canary of a process")
	g.must(g.victim.Start())
	t.Cleanup(func() { g.victim.Process.Kill(); g.victim.Wait() })
	g.env = append(g.env, "ABSTRACT="+abstract, "PORT="+p.Addr().String(), fmt.Sprintf("VICTIM=%d", g.victim.Process.Pid), "RALPH_RUN_TOKEN=x")
	return g
}

func (g *grounds) must(errs ...error) {
	g.t.Helper()
	if err := errors.Join(errs...); err != nil {
		g.t.Fatal(err)
	}
}

// command is one of the grounds' user.
func (g *grounds) command(dir string, argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, g.env
	if g.uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(g.uid), Gid: uint32(g.uid)}}
	}
	return cmd
}

func (g *grounds) sh(dir, script string) (string, error) {
	out, err := g.command(dir, "/bin/sh", "-c", script).CombinedOutput()
	return string(out), err
}

func (g *grounds) scratch(t *testing.T) string {
	dir, err := os.MkdirTemp(g.base, "scratch-")
	g.must(err, os.Chown(dir, g.uid, g.uid))
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (g *grounds) agentRoom(t *testing.T) *Room {
	return g.site.Agent(AgentRoom{Own: []string{g.site.Home + "/.agent"}, Reveal: []string{os.Args[0]}, Scratch: g.scratch(t)})
}

// checkRoom is a room with a copy of what is committed.
func (g *grounds) checkRoom(t *testing.T) *Room {
	copied := g.scratch(t)
	if text, err := g.sh(g.site.Root, "git clone -q -s --no-local . '"+copied+"/c' && cd '"+copied+"/c' && git checkout -q --detach && git branch -q -D main && git remote remove origin"); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	site := g.site
	site.Env = append(slices.Clone(site.Env), "GOBIN="+filepath.Dir(os.Args[0]))
	return site.Checks(CheckRoom{Copy: copied + "/c", Scratch: g.scratch(t)})
}

// try makes the attempt and checks the result.
func (g *grounds) try(t *testing.T, a attempt, check bool, r *Room) {
	before := g.outside(check)
	argv, err := r.Wrap(g.site.Root)
	if err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(r.scratch, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, g.uid, g.uid))
	}); err != nil {
		t.Fatal(err)
	}
	cmd := g.command("/", append(argv, "/bin/sh", "-c", a.script+"\necho ran")...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, 10*time.Second
	err = cmd.Run()
	text := out.String()
	if !strings.Contains(text, "ran\n") && !strings.Contains(a.script, "kill -9 -1") {
		t.Errorf("the attempt did not run to its end (%v):\n%s", err, text)
	}
	if strings.Contains(text, "ESCAPED") || strings.Contains(strings.ReplaceAll(text, "CANARY", ""), "canary") {
		t.Errorf("escaped:\n%s", text)
	}
	if g.victim.Process.Signal(syscall.Signal(0)) != nil {
		t.Fatal("the process outside is dead")
	}
	if after := g.outside(check); after != before {
		t.Errorf("something outside has changed; the attempt said:\n%s\nbefore:\n%s\nafter:\n%s", text, before, after)
	}
	if alive := filepath.Join(g.site.Root, "alive"); !check && strings.Contains(a.name, "outlive") {
		os.Remove(alive)
		time.Sleep(200 * time.Millisecond) // a survivor would write every 50
		if _, err := os.Stat(alive); err == nil {
			t.Error("a process has outlived the room")
		}
	}
}

// outside is everything that no room of the kind may change.
func (g *grounds) outside(check bool) string {
	var b strings.Builder
	for _, dir := range []string{g.base, g.out} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				fmt.Fprintln(&b, path, err)
				return nil
			}
			name, _ := filepath.Rel(dir, path)
			switch {
			case strings.HasPrefix(name, "scratch-"):
				return fs.SkipDir
			case !check && (name == "home/.cache" || name == "home/.agent"):
				return fs.SkipDir
			case !check && strings.HasPrefix(name, "home/project/") && !strings.HasPrefix(name, "home/project/.git"):
				return nil // the worktree is the agent's
			case !check && (name == "home/project/.git/config" || strings.HasPrefix(name, "home/project/.git/refs") || strings.HasPrefix(name, "home/project/.git/objects")):
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s %v", path, info.Mode())
			if info.Mode().IsRegular() {
				data, _ := os.ReadFile(path)
				fmt.Fprintf(&b, " %x", sha256.Sum256(data))
			}
			b.WriteString("\n")
			return nil
		})
	}
	for _, dir := range []string{"/etc/cron.d", "/etc/escaped", "/usr/bin/escaped", "/opt/escaped"} {
		_, err := os.Stat(filepath.Join(dir, "escaped"))
		fmt.Fprintln(&b, dir, err == nil)
	}
	return b.String()
}

// What the settings open is open, and nothing else: a key, a socket, a folder to write, a
// file of the worktree that git does not know.
func TestSettingsOpenRooms(t *testing.T) {
	program, err := Find(context.Background())
	if err != nil {
		t.Skipf("no rooms here: %v", err)
	}
	g := newGrounds(t, program, os.Getuid())
	g.site.Read = []string{"~/.ssh/id_ed25519", g.out + "/socket", g.site.Root + "/ignored"}
	g.site.Write = []string{g.base + "/session"}
	for name, r := range map[string]*Room{"agent": g.agentRoom(t), "check": g.checkRoom(t)} {
		argv, err := r.Wrap(g.site.Root)
		if err != nil {
			t.Fatal(err)
		}
		script := `cat ~/.ssh/id_ed25519 "$ROOT/ignored"; "$TOOL" __connect unix "$OUT/socket"; echo written by ` + name + ` >"$SESSION/written"; ls -a ~/.aws`
		out, err := g.command("/", append(argv, "/bin/sh", "-c", script)...).CombinedOutput()
		if err != nil && name == "agent" {
			t.Errorf("%s: %v", name, err)
		}
		text := string(out)
		for _, want := range []string{"canary ssh", "canary ignored", "connected"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if strings.Contains(text, "credentials") {
			t.Errorf("%s sees more than the settings open:\n%s", name, text)
		}
		written, _ := os.ReadFile(filepath.Join(g.base, "session", "written"))
		if string(written) != "written by "+name+"\n" {
			t.Errorf("%s cannot write: %q", name, written)
		}
	}
}
