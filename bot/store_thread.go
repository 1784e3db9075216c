package bot

import (
	"context"
	"encoding/json"
	"time"
)

// Entry is one message of a thread's transcript, whose full text stays after the message left the window.
type Entry struct {
	ID      string          `json:"id"` // message key, or run id for a reply
	Thread  string          `json:"thread"`
	Own     bool            `json:"own"`    // written by the bot
	Author  string          `json:"author"` // display name
	User    string          `json:"user"`   // platform id
	Text    string          `json:"text"`
	Run     string          `json:"run,omitempty"`
	Sources json.RawMessage `json:"sources,omitempty"` // []Source
	At      time.Time       `json:"at"`
	Deleted bool            `json:"deleted,omitempty"` // Text is then empty
}

// ThreadInfo is a row of the list of threads.
type ThreadInfo struct {
	Thread  Thread
	Title   string
	Created time.Time
	Updated time.Time
}

// Transcripts reads and amends transcripts.
//
// Known reports whether the bot takes part in a thread. Threads lists the threads of a channel
// (platform, team, channel), newest first. Transcript returns the last limit entries, oldest
// first; Entry returns the present state of one. Amend changes an entry's text or empties it, as the change
// says; in the same transaction it puts an item of the thread, unless that is nil. If an item
// with that ID exists, nothing changes and fresh is false. An edit of an entry that was deleted, or that has the text of an edit with
// a later time, is [ErrNotFound]. Forget removes a thread with its entries, items, replies, runs and approvals.
type Transcripts interface {
	Known(ctx context.Context, thread string) (bool, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]ThreadInfo, error)
	Transcript(ctx context.Context, thread string, limit int) ([]Entry, error)
	Entry(ctx context.Context, thread, id string) (Entry, error)
	Amend(ctx context.Context, thread, id string, c Change, with *Item) (fresh bool, err error)
	Forget(ctx context.Context, thread string) error
}
