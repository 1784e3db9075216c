package llm

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Class says what kind of failure a call met, so that callers decide by it and
// never by text.
type Class string

// The classes. The first five may pass when the call is made again.
const (
	RateLimited   Class = "rate_limited"   // too many calls at the moment
	Overloaded    Class = "overloaded"     // the service has trouble: 500, 502, 503, 529
	Timeout       Class = "timeout"        // no piece, or no end, within the deadline
	Network       Class = "network"        // the connection failed
	Cut           Class = "cut"            // the reply broke off before its end
	Garbage       Class = "garbage"        // the reply cannot be understood
	Auth          Class = "auth"           // the key is missing, wrong or may not do this
	Quota         Class = "quota"          // the account is used up
	BadRequest    Class = "bad_request"    // the request itself is refused
	NotFound      Class = "not_found"      // no such model or path
	WebPage       Class = "web_page"       // a page for people came: the address is not that of an API
	ContextLength Class = "context_length" // the prompt is too long for the model
	Length        Class = "length"         // the token limit ended the reply before it was usable
	ContentFilter Class = "content_filter" // the service's filter stopped it
	Refused       Class = "refused"        // the model declined to answer
	Invalid       Class = "invalid"        // structured output stayed wrong after all repairs
	OverBudget    Class = "over_budget"    // the run has spent what it may spend
	Busy          Class = "busy"           // it never was the call's turn at the endpoint; nothing was sent
)

// ErrOnlyThoughts is the cause of an [Error] of class [Garbage] for a reply that has thoughts and no answer.
var ErrOnlyThoughts = errors.New("no answer behind the thoughts")

// Error is a failed call. Its text never holds a key, a prompt or a reply.
type Error struct {
	Class  Class
	Model  string        // which model, "" if it does not matter
	Status int           // HTTP status, 0 if there was none
	After  time.Duration // how long the service asks to wait, 0 if it did not say
	Detail string        // what happened, one short line without secrets
	Err    error         // the cause, may be nil
}

// Error implements error.
func (e *Error) Error() string {
	parts := []string{"llm: " + string(e.Class)}
	if e.Model != "" {
		parts[0] += " (" + e.Model + ")"
	}
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Passing reports whether the same call may succeed a little later.
func (e *Error) Passing() bool {
	switch e.Class {
	case RateLimited, Overloaded, Timeout, Network, Cut, Garbage, WebPage:
		return true
	default:
		return false
	}
}

// Elsewhere reports whether another model may do what err says that one could not. What a
// model declines and what a run may spend is the same everywhere.
func Elsewhere(err error) bool {
	switch ClassOf(err) {
	case "", Refused, Invalid, OverBudget:
		return false
	}
	return true
}

// ClassOf returns the class of err, "" when it has none or is nil. A deadline
// that is not otherwise classed counts as [Timeout].
func ClassOf(err error) Class {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Class
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	default:
		return ""
	}
}

// Refuses reports whether the endpoint takes no request like this one, so that the same will not pass later.
func (e *Error) Refuses() bool { return e.Class == BadRequest }
