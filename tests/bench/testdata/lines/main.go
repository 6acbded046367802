// Command lines reads a journal with encoding/json and does nothing else: the least
// that a program which reads a run's past costs.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

type event struct {
	Time   time.Time        `json:"time"`
	Type   string           `json:"type"`
	Run    string           `json:"run"`
	N      int              `json:"n"`
	Tokens map[string]int64 `json:"tokens"`
}

func main() {
	if err := read(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		var e event
		if err == nil {
			err = json.Unmarshal(line, &e)
		}
		if err != nil {
			return err
		}
	}
}
