// Package journal keeps the append-only record of everything that happens in a unit's
// runs, and the words in which it is kept.
//
// The journal is a file of JSON lines with one writer at a time: the process that holds the
// unit's [Lock], which is the loop while there is one. Everyone else reads it ([Read], [Follow]) or asks the loop for something
// through the [Inbox]. What the events mean together is for package run to say; no
// derived file is ever read to decide anything. docs/journal.md describes every event.
package journal

import "path/filepath"

// FileName is the journal's name in a unit's state directory and in an archive.
const FileName = "journal.jsonl"

// Path returns the journal of the unit with the state directory dir.
func Path(dir string) string { return filepath.Join(dir, FileName) }
