package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"maru/adapters/slack/payload"
)

// Kind says what an envelope carries.
type Kind string

// Kinds of envelopes.
const (
	Event       Kind = "event"
	Interaction Kind = "interaction"
	Command     Kind = "command"
	Challenge   Kind = "challenge"
	Other       Kind = "other"
)

// Envelope is one delivery, whichever way it came.
type Envelope struct {
	id    string // for logs
	Kind  Kind
	Body  payload.Object
	retry int
}

// lane names what must stay in order: the channel.
func (e Envelope) lane() string {
	ev := e.Body.Obj("event")
	return cmp.Or(ev.Str("channel"), e.Body.Obj("channel").Str("id"), e.Body.Str("channel_id"), e.id)
}

// Result is what follows from an envelope: the body of its acknowledgement, and
// what is done once that has left.
type Result struct {
	Ack   json.RawMessage
	After func(context.Context)
}

// errForeignApp refuses a delivery that is signed but meant for another app.
var errForeignApp = errors.New("slack: the event is for another app")

const (
	commitTime  = 2500 * time.Millisecond // Slack waits three seconds
	commitFirst = 100 * time.Millisecond
	lateCommit  = 10 * time.Second // for what was not committed while Slack waited

	// FollowUp bounds what is done after an acknowledgement.
	FollowUp = 30 * time.Second
)
