package command

import (
	"maru/rag"
)

// Follower is implemented by libraries that follow a folder.
//
// Refused returns, in a language, one sentence per unreadable file of the last scan, with name, reason and remedy.
type Follower interface {
	Refused(language string) []string
}

// Rereader is implemented by libraries whose newer versions read files better.
//
// Outdated reports whether a document would improve if people added its file again, which the library no longer
// has.
type Rereader interface {
	Outdated(d rag.Document) bool
}
