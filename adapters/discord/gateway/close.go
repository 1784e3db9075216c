package gateway

import (
	"errors"
	"fmt"
)

// ErrStop means that no session can ever begin.
var ErrStop = errors.New("no session can begin")

// Causes of a connection's end, besides a [CloseError] and network errors.
var (
	errReconnect = errors.New("discord asked for a reconnect")
	errInvalid   = errors.New("discord ended the session")
	errSilent    = errors.New("the gateway does not acknowledge heartbeats")
	errGap       = errors.New("events are missing") // resuming requests them again
	errHandshake = errors.New("the gateway does not begin the session")
)

// CloseError is a gateway close code.
type CloseError struct{ Code int }

func (e *CloseError) Error() string {
	return fmt.Sprintf("the gateway closed the connection with code %d", e.Code)
}

// Permanent close codes.
const (
	CloseToken          = 4004
	CloseInvalidShard   = 4010
	CloseNeedsShards    = 4011
	CloseVersion        = 4012
	CloseInvalidIntents = 4013
	CloseIntents        = 4014 // an intent that was not granted
)

// end describes the end of a connection.
type end struct {
	cause  error
	resume bool // the session can be resumed
}

func (e *end) Error() string { return e.cause.Error() }
func (e *end) Unwrap() error { return e.cause }

// fatal reports whether the same session must not be retried.
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

// resumable reports whether the session survives a close code: all but those with which the
// service ends it (4003 not authenticated, 4007 bad sequence, 4009 timed out) and the two
// that end it by definition (1000, 1001).
func resumable(code int) bool {
	switch code {
	case 1000, 1001, 4003, 4007, 4009:
		return false
	}
	return true
}
