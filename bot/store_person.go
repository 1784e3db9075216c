package bot

import (
	"context"
)

// ThreadWith is a thread in which somebody took part.
type ThreadWith struct {
	Thread Thread
	Alone  bool // nobody else did, but for the bot and people who were forgotten
}

// Withdrawal is what is gone of a person from one thread.
type Withdrawal struct {
	Messages  []string // ids of their entries
	Answers   int      // the bot's, to them
	Runs      int
	Approvals int
	Ratings   int
	Newest    bool // the thread's last turn was theirs
}

// Persons lets people be forgotten. user is the platform's id.
//
// TeamsWith lists the workspaces of a platform in which anything is kept of a
// user's id, but for the wish that nothing be remembered. ThreadsWith lists the threads of a workspace in which a person
// wrote, asked or rated. Withdraw removes what is theirs from a thread as if they had never
// been there: entries stay, empty and without a name, so that a late copy does
// not bring them back; the answers to them are emptied; their waiting items end;
// their runs go with replies, approvals and ratings; the title goes if it was
// made of their words. Whoever works on the thread loses the lease, and what
// others wait for is worked on anew. A second call finds nothing.
//
// Unname takes a person's name from what is kept of them as sums: usage counts
// to nobody, and notes about them (keys that end with "/team/user") and their schedules go. It
// returns how many rows changed. Scrub leaves nothing of what was removed in
// the store's files, where that is up to the program.
type Persons interface {
	TeamsWith(ctx context.Context, platform, user string) ([]string, error)
	ThreadsWith(ctx context.Context, platform, team, user string) ([]ThreadWith, error)
	Withdraw(ctx context.Context, thread, user string) (Withdrawal, error)
	Unname(ctx context.Context, platform, team, user string) (int, error)
	Scrub(ctx context.Context) error
}

// Beginnings of the names of notes.
const (
	// NoteUnsaid, and a message's id: the message is not quoted any more; what it taught was
	// forgotten or replaced, and the transcript keeps what was said.
	NoteUnsaid = "unsaid/"
	// NoteAside, and a run's id: the log in which agents keep a run that was asked for while
	// another run of its thread waited for people.
	NoteAside = "aside/"
)
