package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"maru/adapters/lanes"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	readLimit  = 8 << 20               // of one Socket Mode frame
	ackGrace   = 50 * time.Millisecond // for the last acknowledgements to be sent
	laneDepth  = 64                    // queued envelopes of a channel
	maxQueued  = 1024                  // in all
	maxCommits = 32                    // channels that commit envelopes concurrently
)

// MaxAck bounds an acknowledgement: Slack drops those of 20 KB and more.
const MaxAck = 19 << 10

// runSocket receives events over Socket Mode until ctx ends. It reads the client's events
// itself and in order (the library's handler starts a goroutine per event), and acknowledges
// an envelope only after its commit: Slack redelivers unacknowledged ones.
func (d *Door) runSocket(ctx context.Context, in bot.Intake) error {
	wire := d.newWire()
	connCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ended := make(chan error, 1)
	d.work.Go(func() { ended <- wire.keep(connCtx) })

	acks := newAcks(connCtx, d, wire.smc)
	channels := lanes.New(lanes.Config[Envelope]{Depth: laneDepth, Total: maxQueued, AtOnce: maxCommits})
	d.work.Go(func() {
		channels.Run(connCtx, func(ctx context.Context, env Envelope) { d.handleSocket(ctx, in, acks, env) })
	})
	err := d.readSocket(ctx, wire, ended, func(env Envelope) { channels.Put(ctx, env.lane(), env) })
	d.connected.Store(false)
	channels.Drain()
	acks.close(connCtx)
	if err == nil {
		_ = d.cfg.Wait(connCtx, ackGrace)
	}
	return err // Run waits for the connection, which ends with connCtx
}

// readSocket passes envelopes to take until ctx ends or Slack refuses the connection.
func (d *Door) readSocket(ctx context.Context, w *wire, ended <-chan error, take func(Envelope)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			if ctx.Err() != nil {
				return nil
			}
			return socketRefused(err)
		case e := <-w.smc.Events:
			w.observe(e)
			if err := d.socketState(ctx, e); err != nil {
				return err
			}
			if env, ok := socketEnvelope(e); ok {
				w.dials.reset()
				take(env)
			}
		}
	}
}

func socketRefused(err error) error {
	return fmt.Errorf("slack: Socket Mode was refused, set SLACK_APP_TOKEN to an xapp-… token with connections:write and turn Socket Mode on: %w", err)
}

// socketState tracks the connection; it returns an error only for a permanent refusal.
func (d *Door) socketState(ctx context.Context, e socketmode.Event) error {
	switch e.Type {
	case socketmode.EventTypeHello:
		d.connected.Store(true)
		d.log.InfoContext(ctx, "slack connected")
	case socketmode.EventTypeConnecting:
		d.connected.Store(false)
	case socketmode.EventTypeConnectionError:
		ce, ok := e.Data.(*slack.ConnectionErrorEvent)
		if !ok {
			return nil
		}
		if web.TokenRefused(ce.ErrorObj) {
			return socketRefused(ce.ErrorObj)
		}
		why := "slack connection failed"
		if _, known := web.Classes[web.Code(ce.ErrorObj)]; !known && web.Code(ce.ErrorObj) != "" {
			why = "slack connection refused: see that Socket Mode is on in the app that SLACK_APP_TOKEN belongs to"
		}
		d.log.WarnContext(ctx, why, "code", cmp.Or(web.Code(ce.ErrorObj), "network"), "wait", ce.Backoff.String())
	case socketmode.EventTypeErrorWriteFailed:
		d.log.WarnContext(ctx, "slack acknowledgement was not written, slack will redeliver the event")
	}
	return nil
}

// socketEnvelope returns e's envelope, if it has one. A frame that the client library failed
// to parse is parsed here.
func socketEnvelope(e socketmode.Event) (Envelope, bool) {
	req := e.Request
	if bad, ok := e.Data.(*socketmode.ErrorBadMessage); ok {
		req = &socketmode.Request{}
		if json.Unmarshal(bad.Message, req) != nil {
			return Envelope{}, false
		}
	}
	if req == nil || req.EnvelopeID == "" {
		return Envelope{}, false
	}
	body, _ := payload.Parse(req.Payload)
	return Envelope{id: req.EnvelopeID, Kind: kindOf(req.Type), Body: body, retry: req.RetryAttempt}, true
}

func kindOf(socketType string) Kind {
	switch socketType {
	case socketmode.RequestTypeEventsAPI:
		return Event
	case socketmode.RequestTypeInteractive:
		return Interaction
	case socketmode.RequestTypeSlashCommands:
		return Command
	}
	return Other
}

// handleSocket commits an envelope, acknowledges it and only then does slower work.
func (d *Door) handleSocket(ctx context.Context, in bot.Intake, acks *acks, env Envelope) {
	res, err := d.deliver(ctx, in, env)
	if err != nil {
		d.log.ErrorContext(ctx, "slack event not committed, slack will redeliver it", "envelope", env.id, "kind", string(env.Kind), "err", err.Error())
		d.after(ctx, res)
		return
	}
	acks.put(ctx, env.id, res.Ack)
	d.after(ctx, res)
}
