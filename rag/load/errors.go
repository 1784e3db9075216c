package load

import (
	"errors"
	"fmt"
	"strings"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/load/pack"
	"maru/rag/load/records"
)

// Code is the reason of a refused file.
type Code string

// The reasons a file is refused.
const (
	Empty       Code = "empty"
	TooLarge    Code = "too_large"
	Unsupported Code = "unsupported"
	Hangul      Code = "hwp"        // a Hangul word processor document in its old format
	OldOffice   Code = "old_office" // an Office file from before 2007
	Picture     Code = "picture"
	WrongType   Code = "wrong_type" // the content does not match the name
	Encoding    Code = "encoding"
	Encrypted   Code = "encrypted"
	Rights      Code = "rights"   // locked by a document security program
	Pointer     Code = "pointer"  // to a document that is kept elsewhere
	WebPage     Code = "web_page" // in place of the document
	Broken      Code = "broken"
	TooComplex  Code = "too_complex" // over a limit on text, pages, nesting or unpacked size
	Timeout     Code = "timeout"
	Crashed     Code = "crashed"    // the parser process crashed
	NoText      Code = "no_text"    // pictures only
	Blank       Code = "blank"      // a text file that has marks and headers only
	BlankPage   Code = "blank_page" // a website's page without text
	Illegible   Code = "illegible"
	Scans       Code = "scans"    // scanned pages from here on were not read
	Nested      Code = "nested"   // an archive within an archive
	BadLine     Code = "line"     // one line of a file is broken
	Passages    Code = "passages" // more passages than the limit
	Lines       Code = "lines"    // more lines than maxLines
)

// Error is a loading failure. Callers find it with errors.As.
type Error struct {
	Code  Code
	Name  string // of the file
	Size  int64  // its size, with TooLarge; its passages, with Passages
	Limit int64  // the limit, with TooLarge and Passages
	Err   error  // cause for the log; may be nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("load %s: %s", e.Name, e.Code)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// known reports whether a code has a message for people.
func (c Code) known() bool { return phrase.Has(c.key()) }

func (c Code) key() string { return "load." + string(c) }

// PeopleText returns the message for people in their language.
func (e *Error) PeopleText(language string) string {
	name := strings.TrimSuffix(e.Name, pageExtension)
	switch e.Code {
	case Passages:
		return phrase.Say(language, e.Code.key(), name, e.Size, e.Limit)
	case Lines:
		return phrase.Say(language, e.Code.key(), name, maxLines)
	case TooLarge:
		size, most := fit.Over(e.Size, e.Limit)
		return phrase.Say(language, e.Code.key(), name, size, most)
	case Unsupported:
		return phrase.Say(language, e.Code.key(), name) + " " + phrase.Say(language, "load.readable", Formats(language, false))
	}
	return phrase.Say(language, e.Code.key(), name)
}

var (
	errTextLimit  = errors.New("more text than the limit")
	errBlockLimit = fmt.Errorf("more than %d paragraphs, rows or headings", maxBlocks)
	errTagLimit   = fmt.Errorf("more than %d tags", maxTags)
	errPageLimit  = errors.New("more pages than the limit")
	errDepthLimit = errors.New("nested deeper than the limit")
)

func fault(code Code, name string, err error) *Error { return &Error{Code: code, Name: name, Err: err} }

// Unread returns the unreadable files and lines of a document as errors with messages for people.
func Unread(doc rag.Document) []*Error {
	out := make([]*Error, len(doc.Unread))
	for i, u := range doc.Unread {
		out[i] = fault(Code(u.Why), u.In(doc.Source), nil)
	}
	return out
}

// LargerThan returns the error of a file above limit bytes.
func LargerThan(name string, size, limit int64) *Error {
	return &Error{Code: TooLarge, Name: name, Size: size, Limit: limit}
}

// coded gives the errors of parsers outside this package their codes.
func coded(err error) error {
	if e := new(Error); err == nil || errors.As(err, &e) {
		return err
	}
	switch {
	case errors.Is(err, pack.ErrLimit), errors.Is(err, records.ErrLimit):
		return fault(TooComplex, "", err)
	case errors.Is(err, pack.ErrEncrypted):
		return fault(Encrypted, "", err)
	}
	return fault(Broken, "", err)
}

// named adds the file's name to a parser's error; other errors mean a broken file.
func named(err error, name string) error {
	var e *Error
	if errors.As(err, &e) {
		e.Name = name
		return e
	}
	return fault(Broken, name, err)
}
