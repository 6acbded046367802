// Command decode reads a prd.json with encoding/json and does nothing else: the
// least that a program which reads a plan costs.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type plan struct {
	Description string  `json:"description"`
	CreatedAt   string  `json:"createdAt"`
	UserStories []story `json:"userStories"`
}

type story struct {
	ID                 string   `json:"id"`
	Title              string   `json:"title"`
	Description        string   `json:"description"`
	AcceptanceCriteria []string `json:"acceptanceCriteria"`
	Priority           int      `json:"priority"`
	Passes             bool     `json:"passes"`
	Notes              string   `json:"notes"`
}

func main() {
	if err := decode(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func decode(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var p plan
	return json.Unmarshal(data, &p)
}
