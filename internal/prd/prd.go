// Package prd reads and writes prd.json, the derived state of a plan: its
// stories, their acceptance criteria, and which of them pass.
//
// A file is read strictly: a violation names its line, its column and its path
// in the document. It is written in one stable form that keeps the order of
// the keys and all keys that this package does not know.
package prd

import "slices"

// PRD holds the content of a prd.json.
type PRD struct {
	Description string
	CreatedAt   string // ISO-8601, as in the file
	Stories     []Story

	members []member // the object's keys in the order of the file; nil for the usual ones
}

// Story describes one element of userStories.
type Story struct {
	ID                 string
	Title              string
	Description        string // empty if missing or null
	AcceptanceCriteria []string
	Priority           float64 // the lowest number comes first
	Passes             bool
	Notes              string   // empty if missing or null
	DependsOn          []string // ids of the stories that must pass first
	Model              string   // that works on the story; empty for the run's
	Line               int      // of the story's first character in the file; 0 for one that was not read from a file

	members []member
}

// member is one key of an object as it was in the file. A nil slice of members means the
// usual keys in the usual order. Slices of members are never changed: stories share them.
type member struct {
	key string
	raw string // JSON text to be kept as it is; empty for a key that a field of the struct holds
}

// Story returns the story with the id, or nil.
func (p *PRD) Story(id string) *Story {
	for i := range p.Stories {
		if p.Stories[i].ID == id {
			return &p.Stories[i]
		}
	}
	return nil
}

// Counts returns the number of stories that pass, and of all stories.
func (p *PRD) Counts() (complete, total int) {
	for i := range p.Stories {
		if p.Stories[i].Passes {
			complete++
		}
	}
	return complete, len(p.Stories)
}

// clone returns a copy with stories of its own. The criteria are shared.
func (p *PRD) clone() *PRD {
	c := *p
	c.Stories = slices.Clone(p.Stories)
	return &c
}
