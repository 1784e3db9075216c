package bot

import (
	"context"
)

// Members is implemented by adapters that know who belongs to what, as the
// platform says at this moment.
type Members interface {
	// Member reports whether a person is in a group or role of the thread's
	// workspace, or, with group "", still reads the thread's channel.
	Member(ctx context.Context, t Thread, user, group string) (bool, error)
}

// Linker is implemented by adapters whose messages and files have addresses that people paste.
type Linker interface {
	// Links returns the addresses in a message's words that lead to messages and files of the platform.
	Links(text string) []string
	// Linked reads what one of them leads to, as it is now, for the person who wrote m. What that
	// person may not see, what the bot does not see and what is gone is ErrForbidden or ErrGone, so
	// that nobody learns from the answer that there is something to hide. A quote of a file alone
	// has no text; one without text, files and thread says that the address leads to nothing that is
	// opened, such as a channel.
	Linked(ctx context.Context, m Message, link string) (Quote, error)
}

// Direct is implemented by adapters that can write to a person directly.
type Direct interface {
	// Direct sends a card to a person of the thread's workspace, in private.
	Direct(ctx context.Context, t Thread, u User, c Card) error
	// OpenDirect returns the direct conversation with such a person. threads says that a message
	// there begins a thread of its own, named by the message's ID.
	OpenDirect(ctx context.Context, t Thread, u User) (at Thread, threads bool, err error)
}
