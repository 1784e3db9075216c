package bot

import "context"

// Members is implemented by adapters that can look up memberships on the platform.
type Members interface {
	// Member reports whether a person is in a group or role of the thread's workspace, or, with group "", still reads its channel.
	Member(ctx context.Context, t Thread, user, group string) (bool, error)
}

// Linker is implemented by adapters that recognise pasted addresses of messages and files.
type Linker interface {
	// Links returns the addresses in a message's words that lead to messages and files of the platform.
	Links(text string) []string
	// Linked reads the current content behind a link in m, on behalf of its author. If the author or the bot may not see
	// it, or it is deleted, the error is ErrForbidden or ErrGone, so that the answer does not reveal its existence. A quote
	// of a file alone has no text. One without text, files and thread leads to nothing readable, such as a channel.
	Linked(ctx context.Context, m Message, link string) (Quote, error)
}

// Direct is implemented by adapters that can send direct messages.
type Direct interface {
	// Direct sends a card to a person of the thread's workspace, in private.
	Direct(ctx context.Context, t Thread, u User, c Card) error
	// OpenDirect opens the direct conversation with a user. threads reports whether a message
	// there starts a thread named by the message's ID.
	OpenDirect(ctx context.Context, t Thread, u User) (at Thread, threads bool, err error)
}
