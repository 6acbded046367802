package agent

import (
	"os"
	"path/filepath"
	"strings"

	"ralph/internal/proc"
	"ralph/internal/room"
)

// RoomSettings are the settings for running agents in sealed rooms.
type RoomSettings struct {
	Site    room.Site
	Protect []string // files and folders of the worktree that no agent may change
	Scratch string   // folder for the rooms' own files

	ReadOnly bool // the agents may only write their own folders
}

// of returns the room of a harness that is called in dir. It makes the folders that the agent
// keeps its state in, because nothing can be mounted where nothing is.
func (rs *RoomSettings) of(h Harness, argv []string, dir string) *room.Room {
	if rs == nil {
		return nil
	}
	var own []string
	for _, name := range h.State {
		path, folder := stateOf(h, rs.Site.Home, rs.Site.Env, name)
		switch _, err := os.Lstat(path); {
		case path == "":
			continue
		case err == nil:
		case folder:
			_ = os.MkdirAll(path, 0o700) // else the agent says itself what it misses
		default:
			_ = os.WriteFile(path, []byte("{}\n"), 0o600)
		}
		own = append(own, path)
	}
	program, _ := proc.LookPath(argv[0], dir, rs.Site.Env) // one that is missing fails at the start
	reveal := []string{Getenv(rs.Site.Env, "RALPH_REPLAY_SCRIPT")}
	for _, word := range argv[1:] {
		if filepath.IsAbs(word) {
			reveal = append(reveal, word)
		}
	}
	return rs.Site.Agent(room.AgentRoom{
		Own: own, Protect: rs.Protect, Program: program, Reveal: reveal, Scratch: rs.Scratch,
		ReadOnly: rs.ReadOnly,
	})
}

// stateOf returns the path of a file or folder that an agent keeps its state in, empty
// without a home folder. A name that ends in a slash is a folder.
func stateOf(h Harness, home string, env []string, name string) (path string, folder bool) {
	name, folder = strings.CutSuffix(name, "/")
	for _, m := range h.Moved {
		if dir := Getenv(env, m.Variable); filepath.IsAbs(dir) {
			if name == m.Folder {
				return dir, true
			}
			if strings.HasPrefix(name, m.Folder) { // the file next to the folder moves into it
				return "", false
			}
		}
	}
	if home == "" {
		return "", folder
	}
	return filepath.Join(home, name), folder
}
