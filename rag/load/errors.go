package load

import (
	"errors"
	"fmt"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
)

// Code says why a file was not loaded.
type Code string

// The reasons a file is refused.
const (
	Empty       Code = "empty"
	TooLarge    Code = "too_large"
	Unsupported Code = "unsupported"
	Hangul      Code = "hwp"        // a document of Hangul, the word processor, in its old format
	OldOffice   Code = "old_office" // a file of Office before 2007
	Picture     Code = "picture"
	WrongType   Code = "wrong_type" // the content is not what the name says
	Encoding    Code = "encoding"
	Encrypted   Code = "encrypted"
	Broken      Code = "broken"
	TooComplex  Code = "too_complex" // over a limit on text, pages, nesting or unpacked size
	Timeout     Code = "timeout"
	Crashed     Code = "crashed" // the parser's process died
	NoText      Code = "no_text" // nothing but pictures
	Nested      Code = "nested"  // an archive within an archive
	BadLine     Code = "line"    // one line of a file is broken
)

// Error is why a file was not loaded. Callers find it with errors.As.
type Error struct {
	Code  Code
	Name  string // of the file
	Size  int64  // bytes that it has, with TooLarge
	Limit int64  // bytes that it may have, with TooLarge
	Err   error  // what lay beneath, for the log; may be nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("load %s: %s", e.Name, e.Code)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// known reports whether people can be told about c.
func (c Code) known() bool { return phrase.Has(c.key()) }

func (c Code) key() string { return "load." + string(c) }

// PeopleText is the sentence for a person in their language.
func (e *Error) PeopleText(language string) string {
	if e.Code == TooLarge {
		size, most := fit.Over(e.Size, e.Limit)
		return phrase.Say(language, e.Code.key(), e.Name, size, most)
	}
	return phrase.Say(language, e.Code.key(), e.Name)
}

var (
	errTextLimit  = errors.New("more text than the limit")
	errPageLimit  = errors.New("more pages than the limit")
	errDepthLimit = errors.New("nested deeper than the limit")
	errRatioLimit = errors.New("unpacks to more than the limit")
)

func fault(code Code, name string, err error) *Error { return &Error{Code: code, Name: name, Err: err} }

// Unread are the files and lines within a document that could not be read, as errors that
// tell people.
func Unread(doc rag.Document) []*Error {
	out := make([]*Error, len(doc.Unread))
	for i, u := range doc.Unread {
		out[i] = fault(Code(u.Why), u.In(doc.Source), nil)
	}
	return out
}

// LargerThan is the refusal of a file of more bytes than limit.
func LargerThan(name string, size, limit int64) *Error {
	return &Error{Code: TooLarge, Name: name, Size: size, Limit: limit}
}

// named gives an error of a parser the file's name; other errors mean a broken file.
func named(err error, name string) error {
	var e *Error
	if errors.As(err, &e) {
		e.Name = name
		return e
	}
	return fault(Broken, name, err)
}
