package bot

import "context"

// Events distributes live events of threads to other replicas, such as a run's progress for a console connected
// elsewhere. Delivery is best effort; a reader that needs every event reads the record.
//
// Publish sends data to the thread's current subscribers. Subscribe returns a channel that is
// closed when ctx ends; a slow reader loses events and blocks nobody.
type Events interface {
	Publish(ctx context.Context, thread string, data []byte) error
	Subscribe(ctx context.Context, thread string) (<-chan []byte, error)
}
