package main

import (
	"os"
	"path/filepath"
	"time"
)

// comet is a step of an agent that starts a chain of shells, in which each one starts the next
// and exits. No pid lasts, and a list of processes mostly misses them all. So each link adds a
// line to a file with the run in its name. The chain ends by itself after a minute or two, or
// when its script is gone.
const comet = `spawn: {argv: [sh, ../comet.sh, "0"], setsid: true}`

const cometFile = "comet.sh"

// cometScript is played from the repository, next to which it lies.
const cometScript = `[ "$1" -lt 40000 ] || exit
echo >> "../comet-$RALPH_RUN_TOKEN"
sh ../comet.sh $(($1+1)) &
`

// comets are the files of the chains that there were until now.
func (s *scratch) comets() []string {
	files, _ := filepath.Glob(filepath.Join(s.dir, "comet-*"))
	return files
}

// auditComets wants the chains of these files to be at an end.
func (s *scratch) auditComets(files []string) {
	for _, f := range flying(files) {
		s.complain(survivor, "a chain of processes goes on: %s", filepath.Base(f))
	}
}

// flying returns the files of chains that still run.
func flying(files []string) (grown []string) {
	if len(files) == 0 {
		return nil
	}
	sizes := map[string]int64{}
	for _, f := range files {
		sizes[f] = sizeOf(f)
	}
	time.Sleep(200 * time.Millisecond) // many links, on a machine that has other work too
	for _, f := range files {
		if sizeOf(f) > sizes[f] {
			grown = append(grown, f)
		}
	}
	return grown
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
