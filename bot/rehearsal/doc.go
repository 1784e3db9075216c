// Package rehearsal shows the effect of a settings change: it replays a channel's latest real questions with the
// change, compares the answers with the recorded ones, and reports the most different ones first.
//
// Invariants:
//
//   - A replay has no effect: tools answer from the record (maru/agent/tool/replay), and the person's memory is neither
//     read nor written. Documents, settings and rights are the current ones.
//   - Questions of direct conversations are never replayed. Each report reads the record again, so deleted questions are
//     not in it.
//   - The cost is the report's alone: no budget of a person or place is charged.
//
// The package must not know how agents are built or where a report is written: that is cmd/maru/rehearse.
package rehearsal

import (
	"time"

	"maru/agent"
	"maru/bot"
)

// Question is a recorded question with everything needed to ask it again.
type Question struct {
	Run     string
	Thread  bot.Thread
	Text    string
	Author  string // display name
	User    string // platform ID
	At      time.Time
	Files   bool // files came with it, which a replay does not have
	Earlier []agent.Turn
	Was     Answer

	trace     []agent.Event
	decisions []decision
	settings  []bot.Setting
}

// Answer is the answer to a question, or the reason why there is none.
type Answer struct {
	Text    string        `json:"text,omitempty"`
	Sources []bot.Source  `json:"sources,omitempty"`
	Agent   string        `json:"agent,omitempty"`
	Route   string        `json:"route,omitempty"`
	Usage   agent.Usage   `json:"usage"`
	Took    time.Duration `json:"took,omitempty"`
	End     End           `json:"end,omitempty"`
	Why     string        `json:"why,omitempty"` // for an End: the call without a record, the error's code or the question
}

// End is how a replay ended without an answer.
type End string

// The ends of a replay.
const (
	Answered   End = ""
	Unrecorded End = "unrecorded" // a call of a tool has no recorded result
	Asks       End = "asks"       // it asks its people something that nobody has answered
	Failed     End = "failed"
)

// Opinion is a grading model's view of one answer.
type Opinion struct {
	Right    bool   `json:"right"`
	Cited    bool   `json:"cited"`
	Complete bool   `json:"complete"`
	Declined bool   `json:"declined"`
	Because  string `json:"because,omitempty"`
}

// Points sums up an opinion, for comparisons.
func (o Opinion) Points() int {
	n := 0
	for _, yes := range []bool{o.Right, o.Right, o.Cited, o.Complete} { // what is wrong helps nobody, however complete
		if yes {
			n++
		}
	}
	return n
}

// Opinions are those of the answer before and after the change.
type Opinions struct {
	Before Opinion `json:"before"`
	After  Opinion `json:"after"`
}
