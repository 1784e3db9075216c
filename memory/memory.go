// Package memory holds the data types of a thread's memory: the [Message]s of a conversation, split by [Split] into
// the recent ones, kept verbatim, and by [Slide] into [Summary]s of the older ones. It is arithmetic on values and
// does no I/O: agents decide when to summarise, stores (memory/sqlitestore, memory/pgstore, memory/redisstore)
// persist the result.
package memory

import "time"

// Message is one message of a thread's window, in the words of the model
// protocol.
type Message struct {
	ID     string `json:"id"`   // unique in its thread
	Role   string `json:"role"` // "user", "assistant" or "tool"
	Author string `json:"author,omitempty"`
	Text   string `json:"text"`
	Calls  []Call `json:"calls,omitempty"`   // of an assistant's message
	CallID string `json:"call_id,omitempty"` // which call a tool's message answers
	Name   string `json:"name,omitempty"`    // of the tool
	By     string `json:"by,omitempty"`      // id of the person who wrote it, "" if it is not known

	// Outsiders says that it holds words of outsiders, or was written by somebody who had read them;
	// see agent/flow.
	Outsiders bool `json:"outsiders,omitempty"`

	// Origin names the model and endpoint that wrote it, and Extra are members of theirs, as a
	// JSON object, which they want back; "" if there are none.
	Origin string `json:"origin,omitempty"`
	Extra  string `json:"extra,omitempty"`

	At time.Time `json:"at"` // a person's on their own clock, which decides what their "tomorrow" is
}

// Day returns the day on which it was said, as 2006-01-02; "" if that is unknown.
func (m Message) Day() string {
	if m.At.IsZero() {
		return ""
	}
	return m.At.Format(time.DateOnly)
}

// Call is a tool call within a message.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Extra     string `json:"extra,omitempty"` // as a [Message] has it
}

// Summary stands for messages that left the window.
type Summary struct {
	Text string    `json:"text"` // "" once it was unsaid, see [Unsay]
	At   time.Time `json:"at"`
	Of   []string  `json:"of"` // ids of the messages it stands for, so that its words can go when one of them must

	Outsiders bool `json:"outsiders,omitempty"` // as of a [Message]
}

// Limits are the bounds of a window. The zero value of a field means its
// default.
type Limits struct {
	MaxMessages  int // above it the window is summarised; default 10
	KeepRecent   int // messages that stay; default 5
	MaxSummaries int // summaries kept, the oldest is dropped; default 3
}
