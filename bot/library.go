package bot

import (
	"context"
	"io"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
)

// Library is the team's documents, as the bot uses them.
//
// Add reads a document's bytes, indexes it and returns it when it can be found;
// the same bytes again change nothing, other bytes under the same name and
// scope replace what was there. A failure leaves the library as it was and says
// why in its PeopleText, if it has one. Remove is idempotent.
type Library interface {
	Add(ctx context.Context, d NewDocument) (rag.Document, error)
	Remove(ctx context.Context, scopes []string, id string) (bool, error)
	Documents(ctx context.Context, scopes []string) ([]rag.Document, error)
	Passage(ctx context.Context, scopes []string, chunk string) (rag.Chunk, rag.Document, error)
}

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

// NewDocument is a document to be added.
type NewDocument struct {
	Scope string
	Name  string // file name, by which its format is known
	MIME  string
	By    string   // who adds it
	Tags  []string // what it is filed under; nil leaves the tags that it has
	Body  io.Reader
	// Progress is told how much has been read in; nil, or returns at once.
	Progress func(done, total int)
}

// TooBig tells a person of language that a file is larger than limit bytes. Without a
// name it is "this file"; a size that is not above the limit is not known.
func TooBig(language, name string, size, limit int64) *Error {
	if name == "" {
		name = phrase.Say(language, "bot.this_file")
	}
	text := phrase.Say(language, "bot.file_over_limit", name, fit.Size(limit))
	if size > limit {
		has, most := fit.Over(size, limit)
		text = phrase.Say(language, "bot.file_of_size_over_limit", name, has, most)
	}
	return &Error{Code: CodeFileTooBig, Say: text}
}
