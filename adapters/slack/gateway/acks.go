package gateway

import (
	"context"
	"encoding/json"
	"time"

	"github.com/slack-go/slack/socketmode"
)

const (
	maxAcks   = 4096        // acknowledgements that may wait for a connection
	flushAcks = time.Second // time to flush acknowledgements at shutdown
)

// ack is an envelope's acknowledgement.
type ack struct {
	id      string
	payload json.RawMessage
}

// acks sends acknowledgements off the event loop. Without a connection the client library
// buffers a few and then blocks; if nobody read its events meanwhile, it would never
// reconnect.
type acks struct {
	d    *Door
	out  chan ack
	left chan struct{} // closed when the queue is drained
}

// newAcks starts sending queued acknowledgements until ctx ends.
func newAcks(ctx context.Context, d *Door, smc *socketmode.Client) *acks {
	a := &acks{d: d, out: make(chan ack, maxAcks), left: make(chan struct{})}
	d.work.Go(func() {
		defer close(a.left)
		for k := range a.out {
			var payload any
			if k.payload != nil {
				payload = k.payload
			}
			if err := smc.AckCtx(ctx, k.id, payload); err != nil && ctx.Err() == nil {
				d.log.WarnContext(ctx, "slack acknowledgement failed, slack will redeliver the event", "envelope", k.id, "err", err.Error())
			}
		}
	})
	return a
}

// put queues an acknowledgement until there is a connection. When the queue is full it is
// dropped: Slack redelivers the event.
func (a *acks) put(ctx context.Context, id string, payload json.RawMessage) {
	select {
	case a.out <- ack{id: id, payload: payload}:
	default:
		a.d.log.WarnContext(ctx, "slack acknowledgement dropped, the queue is full; slack will redeliver the event", "envelope", id)
	}
}

// close flushes the queue within flushAcks. put must not be called any more.
func (a *acks) close(ctx context.Context) {
	close(a.out)
	ctx, cancel := context.WithTimeout(ctx, flushAcks)
	defer cancel()
	select {
	case <-a.left:
	case <-ctx.Done():
	}
}
