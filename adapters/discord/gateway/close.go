package gateway

import (
	"errors"
	"fmt"
)

// ErrStop says that no session can ever begin.
var ErrStop = errors.New("no session can begin")

// Why a connection ended, besides a [CloseError] and what the network says.
var (
	ErrReconnect = errors.New("discord asked for a reconnect")
	ErrInvalid   = errors.New("discord ended the session")
	ErrSilent    = errors.New("the gateway does not acknowledge heartbeats")
	ErrGap       = errors.New("events are missing") // they are asked for again
	ErrHandshake = errors.New("the gateway does not begin the session")
)

// CloseError is a code with which the gateway closed the connection.
type CloseError struct{ Code int }

func (e *CloseError) Error() string {
	return fmt.Sprintf("the gateway closed the connection with code %d", e.Code)
}

// The close codes after which trying again leads nowhere.
const (
	CloseToken          = 4004
	CloseInvalidShard   = 4010
	CloseNeedsShards    = 4011
	CloseVersion        = 4012
	CloseInvalidIntents = 4013
	CloseIntents        = 4014 // an intent that was not granted
)

// end is how a connection ended.
type end struct {
	cause  error
	resume bool // the session goes on in another connection
}

func (e *end) Error() string { return e.cause.Error() }
func (e *end) Unwrap() error { return e.cause }

// fatal reports whether a session must not be tried again as it was.
func fatal(err error) bool {
	var c *CloseError
	if errors.Is(err, ErrStop) {
		return true
	}
	if !errors.As(err, &c) {
		return false
	}
	switch c.Code {
	case CloseToken, CloseInvalidShard, CloseNeedsShards, CloseVersion, CloseInvalidIntents, CloseIntents:
		return true
	}
	return false
}

// resumable reports whether the session survives a close code: all do but those
// that the service ends itself (4003 not authenticated, 4007 bad sequence, 4009
// timed out) and the two that end it by definition (1000, 1001).
func resumable(code int) bool {
	switch code {
	case 1000, 1001, 4003, 4007, 4009:
		return false
	}
	return true
}
