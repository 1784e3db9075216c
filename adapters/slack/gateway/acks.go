package gateway

import (
	"context"
	"encoding/json"
	"time"

	"github.com/slack-go/slack/socketmode"
)

const (
	maxAcks   = 4096        // that wait for a connection
	flushAcks = time.Second // for what waits when the program stops
)

// ack is an envelope's acknowledgement.
type ack struct {
	id      string
	payload json.RawMessage
}

// acks take acknowledgements off the hands of those who handle events. While
// there is no connection the client library keeps a few and then waits; if its
// events were not read meanwhile, it would never connect again.
type acks struct {
	d    *Door
	out  chan ack
	left chan struct{} // closed when all have been sent
}

// newAcks sends what is put until ctx ends.
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
				d.log.WarnContext(ctx, "slack acknowledgement failed, the event will come again", "envelope", k.id, "err", err.Error())
			}
		}
	})
	return a
}

// put acknowledges an envelope as soon as there is a connection. What finds no
// room is left out: its event will come again.
func (a *acks) put(ctx context.Context, id string, payload json.RawMessage) {
	select {
	case a.out <- ack{id: id, payload: payload}:
	default:
		a.d.log.WarnContext(ctx, "slack takes no acknowledgements, the event will come again", "envelope", id)
	}
}

// close gives what was put a moment to leave. Nothing is put any more.
func (a *acks) close(ctx context.Context) {
	close(a.out)
	ctx, cancel := context.WithTimeout(ctx, flushAcks)
	defer cancel()
	select {
	case <-a.left:
	case <-ctx.Done():
	}
}
