package bot

import (
	"context"
)

// Events carries live events of threads between replicas, such as a run's
// progress to a console that is connected elsewhere. It is a convenience:
// events may be lost, and whoever needs them all reads the record.
//
// Publish hands data to whoever is subscribed to the thread now. Subscribe
// returns a channel that is closed when ctx ends; a reader that is slow loses
// events, never holds anybody up.
type Events interface {
	Publish(ctx context.Context, thread string, data []byte) error
	Subscribe(ctx context.Context, thread string) (<-chan []byte, error)
}
