package bot

import (
	"context"
)

// ThreadWith is a thread in which a person took part.
type ThreadWith struct {
	Thread Thread
	Alone  bool // apart from the bot and forgotten people, nobody else wrote
}

// Withdrawal is the data of a person removed from one thread.
type Withdrawal struct {
	Messages  []string // ids of their entries
	Answers   int      // the bot's, to them
	Runs      int
	Approvals int
	Ratings   int
	Newest    bool // the thread's last turn was theirs
}

// Persons deletes people's data. user is the platform's id.
//
// TeamsWith lists the workspaces of a platform with data about a user id, apart from the opt-out of memory. ThreadsWith lists
// the threads of a workspace in which a person wrote, asked or rated. Withdraw removes a person's data from a thread: entries
// stay, empty and without a name, so that a late redelivery does not restore them; answers to them are emptied; waiting items
// end; their runs are removed with replies, approvals and ratings; a title made from their words is removed. A worker on the
// thread loses its lease, and other people's work is started again. A second call finds nothing.
//
// Unname removes a person from aggregates: usage becomes anonymous, and notes about them (keys
// ending in "/team/user") and their schedules are deleted. It returns the number of rows changed.
// Scrub overwrites deleted data in the store's files, where the program controls them.
type Persons interface {
	TeamsWith(ctx context.Context, platform, user string) ([]string, error)
	ThreadsWith(ctx context.Context, platform, team, user string) ([]ThreadWith, error)
	Withdraw(ctx context.Context, thread, user string) (Withdrawal, error)
	Unname(ctx context.Context, platform, team, user string) (int, error)
	Scrub(ctx context.Context) error
}

// Beginnings of the names of notes.
const (
	// NoteUnsaid, followed by a message id, marks a message that is no longer quoted because the memory learned
	// from it was forgotten or replaced. The transcript keeps it.
	NoteUnsaid = "unsaid/"
	// NoteAside, followed by a run's id, stores the log name of an aside: a run that started while another run of
	// its thread waited for people.
	NoteAside = "aside/"
	// NoteWorded, followed by a message id, stores the last wording of an edited question that a run was begun with,
	// and the item of that run. It goes with the message's text.
	NoteWorded = "worded/"
	// NoteHalt, followed by a run's id, stores a stop of the run with its partial answer.
	NoteHalt  = "halt/"
	NoteHeard = "heard/" // followed by a thread's key: the questions that a message in it was found to answer
	NoteWhole = "whole/" // followed by an approval's ID: the file with its question
)
