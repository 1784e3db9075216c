// Package said searches what people wrote on their platform, to answer one message: the tool
// search_messages, and the port that adapters implement for it.
//
// Message bodies are held in memory only, while the run that found them works. The record, the
// window and the trace keep author, time and link. A run that resumes after a crash searches
// again.
//
// The package knows no platform. The adapter decides who may read what.
package said

import (
	"context"
	"errors"
	"time"

	"maru/bot"
)

// Searcher is implemented by adapters whose platform can be searched for messages.
type Searcher interface {
	// Said finds messages for the person who wrote m: what they may read and, unless m stands in a direct
	// conversation, what everybody may read who reads the answer. m is not among them. The errors are this
	// package's, or the platform's.
	Said(ctx context.Context, m bot.Message, q Query) (Found, error)
}

// Query is what is looked for.
type Query struct {
	Text          string    // a question or key words
	After, Before time.Time // zero: no bound
	Limit         int       // messages
}

// Found is what a search came to.
type Found struct {
	Messages []Message
	Unranked bool // they are all that was read, newest first, whether they fit or not
	Partial  bool // a bound ended the search before everything was read
}

// Message is what somebody wrote.
type Message struct {
	Link     string // its address on the platform
	Author   string // display name: data
	Channel  string // name: data
	At       time.Time
	Text     string
	Stranger bool // a guest, somebody of another workspace or somebody unknown wrote it
}

// Why nothing can be searched.
var (
	ErrGrant    = errors.New("said: the message brought no permission to search, or it has lapsed")
	ErrScope    = errors.New("said: the app lacks the permission to search")
	ErrPlan     = errors.New("said: the workspace's plan has no search for apps")
	ErrAudience = errors.New("said: people read the answer who may not read the messages")
	ErrPlace    = errors.New("said: there is nothing to search from here")
	ErrBusy     = errors.New("said: the platform's rate limit is reached")
)
