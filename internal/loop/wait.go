package loop

import (
	"context"
)

// showStopping calls show once when the run is asked to end, unless the returned function was
// called before. show may be nil.
func showStopping(ctx context.Context, show func()) (hush func()) {
	said := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(said)
		if show != nil {
			show()
		}
	})
	return func() {
		if !stop() {
			<-said
		}
	}
}
