package command

import (
	"maru/rag"
)

// Follower is implemented by libraries that follow a folder of their machine.
//
// Refused says in a language what of the folder was not read at the last look, one sentence
// a file with its name, the reason and what to do.
type Follower interface {
	Refused(language string) []string
}

// Rereader is implemented by libraries that come to read files better with newer programs.
//
// Outdated reports whether a document would be read better if people added its file again,
// which the library itself does not have any more.
type Rereader interface {
	Outdated(d rag.Document) bool
}
