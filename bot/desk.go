package bot

import (
	"io"
	"time"

	"maru/agent"
)

// Data types for surfaces with pages of their own, such as the web console, which need more than
// [Intake]: transcripts, documents, traces. The methods are declared where they are used
// (adapters/web, Desk).

// PostedCard is a card as shown in a thread.
type PostedCard struct {
	Ref  Ref
	Card Card
	At   time.Time // when it was first posted
}

// Upload is a document that a person adds in a thread's channel.
type Upload struct {
	Thread Thread
	User   User
	Name   string   // file name: data, never a path to open
	MIME   string   // according to the sender; "" if unknown
	Size   int64    // bytes, 0 if unknown
	Tags   []string // tags of the document; nil keeps the present ones
	Body   io.Reader
	// Progress receives how much of the document has been read; total is 0 while unknown. It may
	// be nil and must not block.
	Progress func(done, total int)
}

// DocumentInfo is a document in a list.
type DocumentInfo struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Name      string    `json:"name,omitempty"` // file name of the original
	MIME      string    `json:"mime,omitempty"`
	Size      int64     `json:"size,omitempty"` // bytes
	Passages  int       `json:"passages"`
	Pages     int       `json:"pages,omitempty"`
	Added     time.Time `json:"added"`
	Tags      []string  `json:"tags,omitempty"`
	Public    bool      `json:"public,omitempty"`    // readable by everybody
	Sample    bool      `json:"sample,omitempty"`    // of the sample handbook
	Removable bool      `json:"removable,omitempty"` // by the person who asked
	Unread    string    `json:"unread,omitempty"`    // files of an archive that could not be read, for people
}

// RunEvent is one line of a run's trace.
type RunEvent = agent.Event

// RunExchange is the prompt and the reply of a run's model call; RunSpoken is one of its messages.
type (
	RunExchange = agent.Exchange
	RunSpoken   = agent.Spoken
)

// RunUsage is the cost of a run's model calls.
type RunUsage = agent.Usage

// RunView is the trace of a run, for explaining an answer.
type RunView struct {
	ID       string     `json:"id"`
	Thread   Thread     `json:"thread"`
	Agent    string     `json:"agent"`
	User     string     `json:"user"`
	Status   string     `json:"status"` // as Run.Status
	Question string     `json:"question,omitempty"`
	Started  time.Time  `json:"started"`
	Ended    time.Time  `json:"ended,omitzero"` // zero while it runs
	Usage    RunUsage   `json:"usage"`
	Events   []RunEvent `json:"events"`
	Waits    []RunWait  `json:"waits,omitempty"` // the questions on which it waits
}
