package ratelimit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// The file holds two slots, written by turns, each a line of a checksum, a space
// and a book in JSON, filled up with spaces. Whoever is killed while it writes
// one leaves the other whole. Replacing the file by rename would need a disk's
// flush on common file systems, a hundred times the cost of these few bytes. A
// power cut may lose both slots; then the book begins anew.
const (
	slotSize = 4096
	fileSize = 2 * slotSize
)

var errNoBook = errors.New("no checksum fits")

// readBook returns the newest book of file: an empty one where there is none,
// and an empty one with mended set where the content makes no sense.
func readBook(file string) (*book, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &book{Hours: map[string]int{}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ledger of calls: %w", err)
	}
	defer f.Close()
	return newestBook(f)
}

func newestBook(f *os.File) (*book, error) {
	content := make([]byte, fileSize)
	n, err := f.ReadAt(content, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the ledger of calls: %w", err)
	}
	newest := &book{Hours: map[string]int{}}
	if n == 0 {
		return newest, nil
	}
	content = content[:n]
	found := false
	for start := 0; start < n; start += slotSize {
		b, err := decodeSlot(content[start:min(start+slotSize, n)])
		if err == nil && b.Sequence >= newest.Sequence {
			newest, found = b, true
		}
	}
	if !found {
		newest.mended = fmt.Errorf("the ledger of calls %s is damaged (%w) and begins anew", f.Name(), errNoBook)
	}
	return newest, nil
}

func decodeSlot(slot []byte) (*book, error) {
	sum, text, _ := bytes.Cut(bytes.TrimRight(slot, " \n"), []byte(" "))
	if string(sum) != checksum(text) {
		return nil, errNoBook
	}
	b := &book{}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, err
	}
	if b.Hours == nil {
		b.Hours = map[string]int{}
	}
	return b, nil
}

// writeBook puts b into the slot that does not hold the newest book.
func writeBook(f *os.File, b *book) error {
	b.Sequence++
	text, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("write the ledger of calls: %w", err)
	}
	slot := bytes.Repeat([]byte{' '}, slotSize)
	slot[slotSize-1] = '\n'
	line := append([]byte(checksum(text)+" "), text...)
	if len(line) >= slotSize {
		return fmt.Errorf("write the ledger of calls: %d bytes do not fit its slot", len(line))
	}
	copy(slot, line)
	if _, err := f.WriteAt(slot, int64(b.Sequence%2)*slotSize); err != nil {
		return fmt.Errorf("write the ledger of calls: %w", err)
	}
	return nil
}

func checksum(text []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)) }
