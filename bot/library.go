package bot

import (
	"context"
	"errors"
	"io"
	"strings"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
)

// Library is the bot's view of the team's documents.
//
// Add reads and indexes a document and returns it once it can be found. The same bytes change
// nothing; other bytes under the same name and scope replace the document. A failure leaves the
// library unchanged, and PeopleText explains it where implemented. Remove is idempotent.
type Library interface {
	Add(ctx context.Context, d NewDocument) (rag.Document, error)
	Remove(ctx context.Context, scopes []string, id string) (bool, error)
	Documents(ctx context.Context, scopes []string) ([]rag.Document, error)
	Passage(ctx context.Context, scopes []string, chunk string) (rag.Chunk, rag.Document, error)
}

// NewDocument is a document to be added.
type NewDocument struct {
	Scope string
	Name  string // file name or address; with Scope the identity
	MIME  string
	As    string   // file name that determines the format, "" for Name
	URL   string   // where people open it, "" if nowhere
	By    string   // the uploader
	Tags  []string // tags of the document; nil keeps the present ones
	Body  io.Reader
	// Progress receives how much has been read; it may be nil and must not block.
	Progress func(done, total int)
}

// TooBig returns the error of a file larger than limit bytes, in a language. Without a name it says "this file"; a
// size that is not above the limit counts as unknown.
func TooBig(language, name string, size, limit int64) *Error {
	if name == "" {
		name = phrase.Say(language, "bot.files.unnamed")
	}
	text := phrase.Say(language, "bot.files.over_limit", name, fit.Size(limit))
	if size > limit {
		has, most := fit.Over(size, limit)
		text = phrase.Say(language, "bot.files.size_over_limit", name, has, most)
	}
	return &Error{Code: CodeFileTooBig, Say: text}
}

// peopleTexter is implemented by errors with an explanation for people in a language.
type peopleTexter interface{ PeopleText(language string) string }

// FileError converts any failure to read or add a file of size bytes, 0 if unknown, to one with a message for people.
func FileError(err error, language, name string, size, limit int64) *Error {
	if errors.Is(err, ErrTooLarge) {
		return TooBig(language, name, size, limit)
	}
	var t peopleTexter
	if errors.As(err, &t) {
		return &Error{Code: CodeBadFile, Say: t.PeopleText(language), Err: err}
	}
	if e := AsError(err); e.Code != CodeInternal {
		return e
	}
	return (&Error{Code: CodeNotKept, Detail: "(" + name + ")", Err: err}).WithReference()
}

// CheckTags refuses tags that no document can have.
func CheckTags(tags []string, lang string) error {
	if err := rag.CheckTags(tags); err != nil {
		return &Error{Code: CodeBadFile, Say: phrase.Say(lang, "bot.files.bad_tags", rag.MaxTags, rag.MaxTagLen), Err: err}
	}
	return nil
}

const maxUnread = 20 // unreadable files of an archive that are listed

// Unread lists the unreadable files of an archive with the reasons.
func Unread(doc rag.Document, lang string) string {
	if len(doc.Unread) == 0 {
		return ""
	}
	lines := []string{phrase.Say(lang, "bot.files.unread_within", len(doc.Unread))}
	for _, u := range doc.Unread[:min(len(doc.Unread), maxUnread)] {
		lines = append(lines, "- "+fit.Visible(phrase.Say(lang, "load."+u.Why, u.In(doc.Source))))
	}
	return strings.Join(lines, "\n")
}
