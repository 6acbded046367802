package main

import (
	"os/exec"
	"strconv"
	"strings"
)

// processes lists the living processes with the mark in their arguments or environment, from ps;
// the working directory would be too slow to get.
func processes(mark string) []process {
	out, err := exec.Command("ps", "-axEww", "-o", "pid=,ppid=,stat=,lstart=,command=").Output()
	if err != nil {
		return nil
	}
	var list []process
	for line := range strings.Lines(string(out)) {
		// lstart is five words, such as "Sat Nov 21 07:00:00 2026".
		f := strings.Fields(line)
		if len(f) < 9 || !strings.Contains(line, mark) || strings.HasPrefix(f[2], "Z") {
			continue
		}
		pid, _ := strconv.Atoi(f[0])
		ppid, _ := strconv.Atoi(f[1])
		list = append(list, process{pid: pid, ppid: ppid, start: strings.Join(f[3:8], " "), command: strings.Join(f[8:], " ")})
	}
	return list
}
