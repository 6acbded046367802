package run

import (
	"slices"
	"time"

	"ralph/internal/journal"
)

// Plan holds the plan of a run as the journal records it.
type Plan struct {
	Items   []Item
	Current *journal.Story // the open story with the highest priority
	Points  []Point        // the counts at each time when one of them changed

	index  map[string]int // of Items, by id
	parked bool           // some are
}

// Item describes a story or task of the plan, and what a run did about it.
type Item struct {
	journal.Story
	Earlier   bool                 // it was done before the run
	Iteration int                  // the iteration that accepted it; 0 if none did
	Proof     *journal.StoryProved // the newest
	Refused   int                  // number of claims about it that were not accepted
	Reason    string               // why the last of them was not accepted
	Parked    *journal.StoryParked // set if it is parked, or waits for a parked story
	About     int                  // number of iterations about it
	CostUSD   *float64             // of their calls; nil where no call reported its cost
}

// Point records how many items were done at a time.
type Point struct {
	At       journal.Time `json:"at"`
	Complete int          `json:"complete"`
	Total    int          `json:"total"`
}

// Counts returns how many items are done, and how many there are.
func (p *Plan) Counts() (complete, total int) {
	if n := len(p.Points); n > 0 {
		return p.Points[n-1].Complete, p.Points[n-1].Total
	}
	return 0, 0
}

// open returns the items that are not done. Of their dependencies the journal has only those
// on parked items.
func (p *Plan) open() []Todo {
	var open []Todo
	for _, it := range p.Items {
		if it.Done {
			continue
		}
		todo := Todo{ID: it.ID, Title: it.Title}
		if it.Parked != nil && it.Parked.Story != it.ID {
			todo.DependsOn = []string{it.Parked.Story}
		}
		open = append(open, todo)
	}
	return open
}

// Item returns the item with that id, or nil if the plan does not have it.
func (p *Plan) Item(id string) *Item {
	if i, ok := p.index[id]; ok {
		return &p.Items[i]
	}
	return nil
}

// set replaces the items by those of a plan; what is known of an item stays.
func (p *Plan) set(at time.Time, stories []journal.Story, first bool) {
	old := *p
	p.Items, p.index = make([]Item, 0, len(stories)), make(map[string]int, len(stories))
	done := 0
	for _, s := range stories {
		item := Item{}
		if known := old.Item(s.ID); known != nil {
			item = *known
		}
		item.Story = s
		if first {
			item.Earlier = s.Done
		}
		if s.Done {
			done++
		}
		p.index[s.ID] = len(p.Items)
		p.Items = append(p.Items, item)
	}
	p.point(at, done, len(p.Items))
}

func (p *Plan) point(at time.Time, complete, total int) {
	if c, t := p.Counts(); len(p.Points) > 0 && c == complete && t == total {
		return
	}
	p.Points = append(p.Points, Point{journal.Time{Time: at}, complete, total})
}

// park notes which items are parked, and which wait for those.
func (p *Plan) park(list []journal.StoryParked) {
	if len(list) == 0 && !p.parked {
		return
	}
	p.parked = len(list) > 0
	for i := range p.Items {
		p.Items[i].Parked = nil
	}
	for i := range list {
		for _, id := range append([]string{list[i].Story}, list[i].With...) {
			if item := p.Item(id); item != nil && !item.Done && (item.Parked == nil || id == list[i].Story) {
				item.Parked = &list[i]
			}
		}
	}
}

// accept marks the items as accepted in iteration n.
func (p *Plan) accept(ids []string, n int) {
	for _, id := range ids {
		if item := p.Item(id); item != nil {
			item.Done, item.Iteration = true, n
		}
	}
}

// NewlyAccepted reports whether at least one of the items was not yet accepted in an iteration of
// this run.
func (p *Plan) NewlyAccepted(ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		item := p.Item(id)
		return item == nil || item.Iteration == 0
	})
}

// refuse revokes the marks of the items.
func (p *Plan) refuse(ids []string, reason string) {
	for _, id := range ids {
		if item := p.Item(id); item != nil {
			item.Done, item.Reason = false, reason
			item.Refused++
		}
	}
}

// goBack leaves only some items done.
func (p *Plan) goBack(at time.Time, accepted []string) {
	left := make(map[string]bool, len(accepted))
	for _, id := range accepted {
		left[id] = true
	}
	complete := 0
	for i := range p.Items {
		item := &p.Items[i]
		if item.Done = left[item.ID]; item.Done {
			complete++
		} else {
			item.Iteration, item.Proof = 0, nil
		}
	}
	p.point(at, complete, len(p.Items))
}
