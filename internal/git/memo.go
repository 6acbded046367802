package git

import "sync"

// memo keeps the last answer of git to a question, for as long as all that it depends on is the
// same.
type memo struct {
	mu    sync.Mutex
	key   string
	value []byte
}

// get returns the answer that belongs to key, and asks only where that is not the last one.
// Without a key it always asks.
func (m *memo) get(key string, ask func() ([]byte, error)) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if key != "" && key == m.key {
		return m.value, nil
	}
	value, err := ask()
	if err != nil {
		return nil, err
	}
	m.key, m.value = key, value
	return value, nil
}
