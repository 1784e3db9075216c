package bot

import (
	"time"

	"maru/agent"
)

// Request is another program's question for approval, in the name of a message's author; see maru/bot/desk.
type Request struct {
	ID       string    `json:"id"`
	By       string    `json:"by"`  // name of the program
	Ask      agent.Ask `json:"ask"` // the question, a plain yes or no
	Deciders []string  `json:"deciders"`
	Expires  time.Time `json:"expires,omitzero"` // zero: according to the channel's setting
	Told     bool      `json:"told,omitempty"`   // the outcome is reported to the program
}

// DeciderMembers names, among the deciders of a request, every member of the channel in which it is asked. Others are ids
// of people, roles and groups, and whole names of people.
const DeciderMembers = "members"
