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
	// Said finds messages for the author of m: those they may read and, unless m is in a direct conversation,
	// every reader of the answer may read. m is excluded. Errors are those of this package, or the platform's.
	Said(ctx context.Context, m bot.Message, q Query) (Found, error)
}

// Query is a search query.
type Query struct {
	Text          string    // a question or key words
	After, Before time.Time // zero: no limit
	Limit         int       // messages
}

// Found is a search result.
type Found struct {
	Messages []Message
	Unranked bool // they are all that was read, newest first, whether they fit or not
	Partial  bool // a limit ended the search early
}

// Message is a found message.
type Message struct {
	Link     string // its address on the platform
	Author   string // display name: data
	Channel  string // name: data
	At       time.Time
	Text     string
	Stranger bool // the author is a guest, from another workspace, or unknown
}

// Why nothing can be searched.
var (
	ErrGrant    = errors.New("said: the message's permission to search is missing or expired")
	ErrScope    = errors.New("said: the app has no permission to search")
	ErrPlan     = errors.New("said: the workspace's plan does not include search for apps")
	ErrAudience = errors.New("said: the answer's readers may not read the messages")
	ErrPlace    = errors.New("said: nothing can be searched from this place")
	ErrBusy     = errors.New("said: the platform's rate limit is reached")
)
