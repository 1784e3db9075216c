package load

import (
	"errors"
	"fmt"

	"maru/phrase"
)

// Code says why a file was not loaded.
type Code string

// The reasons a file is refused.
const (
	Empty       Code = "empty"
	TooLarge    Code = "too_large"
	Unsupported Code = "unsupported"
	WrongType   Code = "wrong_type" // the content is not what the name says
	Encoding    Code = "encoding"
	Encrypted   Code = "encrypted"
	Broken      Code = "broken"
	TooComplex  Code = "too_complex" // over a limit on text, pages, nesting or unpacked size
	Timeout     Code = "timeout"
	Crashed     Code = "crashed" // the parser's process died
	NoText      Code = "no_text" // nothing but pictures
)

// Error is why a file was not loaded. Callers find it with errors.As.
type Error struct {
	Code Code
	Name string // of the file
	Size string // in people's units, with TooLarge
	Err  error  // what lay beneath, for the log; may be nil
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
		return phrase.Say(language, e.Code.key(), e.Name, e.Size)
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

func tooLarge(name string, size, limit int) *Error {
	return &Error{Code: TooLarge, Name: name, Size: fmt.Sprintf("%.1f MB > %d MB", float64(size)/(1<<20), limit>>20)}
}

// LargerThan is the refusal of a file of more bytes than limit, for those who can tell
// before they read it.
func LargerThan(name string, size, limit int64) *Error { return tooLarge(name, int(size), int(limit)) }

// named gives an error of a parser the file's name; other errors mean a broken file.
func named(err error, name string) error {
	var e *Error
	if errors.As(err, &e) {
		e.Name = name
		return e
	}
	return fault(Broken, name, err)
}
