package stream

import "time"

// fromEpoch is the time of a Unix time in seconds, or in milliseconds where
// it would be too far away to be seconds. It is zero where no calendar of four
// digits knows it.
func fromEpoch(n int64) time.Time {
	const year5000 = 95_617_584_000
	switch {
	case n <= 0 || n > year5000*1000:
		return time.Time{}
	case n > year5000:
		return time.UnixMilli(n).UTC()
	}
	return time.Unix(n, 0).UTC()
}
