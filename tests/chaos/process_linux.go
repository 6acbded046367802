package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processes lists the living processes with the mark in their working directory, arguments or
// environment.
func processes(mark string) []process {
	var list []process
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !holds(e.Name(), mark) {
			continue
		}
		if p, ok := stat(pid); ok {
			list = append(list, p)
		}
	}
	return list
}

func holds(pid, mark string) bool {
	if dir, err := os.Readlink("/proc/" + pid + "/cwd"); err == nil && strings.Contains(dir+"/", mark) {
		return true
	}
	for _, file := range []string{"cmdline", "environ"} {
		if b, err := os.ReadFile("/proc/" + pid + "/" + file); err == nil && bytes.Contains(b, []byte(mark)) {
			return true
		}
	}
	return false
}

// stat reads /proc/PID/stat; false where the process is gone or a zombie.
func stat(pid int) (process, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	end := bytes.LastIndexByte(b, ')')
	if err != nil || end < 0 {
		return process{}, false
	}
	f := strings.Fields(string(b[end+1:]))
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return process{}, false
	}
	ppid, _ := strconv.Atoi(f[1])
	args, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return process{pid: pid, ppid: ppid, start: f[19],
		command: strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))}, true
}
