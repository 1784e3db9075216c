package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"maru/adapters/slack/payload"
)

// Kind is the type of an envelope's payload.
type Kind string

// Kinds of envelopes.
const (
	Event       Kind = "event"
	Interaction Kind = "interaction"
	Command     Kind = "command"
	Challenge   Kind = "challenge"
	Other       Kind = "other"
)

// Envelope is one delivery over either transport.
type Envelope struct {
	id    string // for logs
	Kind  Kind
	Body  payload.Object
	retry int
}

// lane returns the ordering key: the channel.
func (e Envelope) lane() string {
	ev := e.Body.Obj("event")
	return cmp.Or(ev.Str("channel"), e.Body.Obj("channel").Str("id"), e.Body.Str("channel_id"), e.id)
}

// Result is the body of an acknowledgement, and the work to do once it was sent.
type Result struct {
	Ack   json.RawMessage
	After func(context.Context)
}

// errForeignApp rejects a signed delivery that is meant for another app.
var errForeignApp = errors.New("slack: the event is for another app")

const (
	commitTime  = 2500 * time.Millisecond // Slack waits three seconds
	commitFirst = 100 * time.Millisecond
	lateCommit  = 10 * time.Second // for an event that missed Slack's time limit

	// FollowUp bounds the work after an acknowledgement.
	FollowUp = 30 * time.Second
)
