// Package source has the words of sources that are kept in sync, such as websites, Git repositories and the resources of
// MCP servers: what a [Source] lists and fetches, and the rows in which [Store] keeps how far each one has come.
//
// It fetches nothing itself. [maru/rag/source/sync] is the engine; the kinds of sources are packages beside it.
package source

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"maru/phrase"
)

// Errors of Fetch.
var (
	// ErrUnchanged says that the content is what it was when it was fetched last.
	ErrUnchanged = errors.New("source: unchanged")
	// ErrStale says that the item changed since it was listed: the next listing names what there is.
	ErrStale = errors.New("source: changed since it was listed")
	// ErrGone says that there is no such item any more.
	ErrGone = errors.New("source: gone")
)

// Source is a place outside that has documents.
//
// List names items, one page at a time. The cursor is "" at first and then that of the page before; after the last page
// the engine keeps its cursor and begins the next listing with it. Cursors are kept in the record, so that a listing goes
// on after a kill.
//
// Fetch returns an item's content. known are the validators that it returned for this item the last time, "" if it is
// fetched for the first time or must be read again. Errors are ErrUnchanged, ErrStale, ErrGone, a [*Wait], or a [*Fault]; what is
// none of these may pass and is tried again.
//
// A source is used by one goroutine. Calls with the same arguments may come again after a kill.
type Source interface {
	List(ctx context.Context, cursor string) (Page, error)
	Fetch(ctx context.Context, it Item, known string) (Content, error)
}

// Item is something that becomes a document.
type Item struct {
	ID       string    `json:"-"`                  // stable in its source: a page's address, a file's path
	URL      string    `json:"url,omitempty"`      // where a person opens it, "" if nowhere
	Version  string    `json:"version,omitempty"`  // differs when the content does; "" if only Fetch can tell
	Modified time.Time `json:"modified,omitzero"`  // when it was changed, as far as the source tells
	Depth    int       `json:"depth,omitempty"`    // links between the start and here
	Trusted  bool      `json:"trusted,omitempty"`  // Version changes for sure; other items are asked for once a day all the same
	Root     bool      `json:"root,omitempty"`     // without it the source cannot be read at all
	Title    string    `json:"title,omitempty"`    // for contents that have none
	Mime     string    `json:"mimeType,omitempty"` // as the source tells
}

// Page is a part of a listing.
type Page struct {
	Items    []Item
	Gone     []string // IDs of items that there are no more
	Cursor   string   // continues the listing, or begins the next one
	More     bool     // the listing goes on at Cursor
	Complete bool     // with the last page: what this listing has not named is gone
	Recheck  bool     // the listing does not tell what changed: every known item is fetched
}

// Content is what an item holds.
type Content struct {
	Name       string // with the extension that tells the format
	Data       []byte
	Validators string    // opaque, for the next Fetch
	Modified   time.Time // zero if unknown
	Links      []Item    // items that this one leads to
	Skip       bool      // it leads on but is no document
}

// Wait says that the source wants to be left alone for a while.
type Wait struct {
	For time.Duration
	Err error
}

// Error implements error.
func (w *Wait) Error() string { return w.Err.Error() }

// Unwrap returns the cause.
func (w *Wait) Unwrap() error { return w.Err }

// Fault is an error with a sentence for people.
type Fault struct {
	Key       string // of the catalogue
	Args      []any
	Err       error // for the log; may be nil
	Permanent bool  // the same item would fail alike until it changes
}

// Error implements error.
func (f *Fault) Error() string {
	text := f.PeopleText(phrase.Fallback)
	if f.Err != nil {
		text += ": " + f.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// PeopleText tells a person in a language.
func (f *Fault) PeopleText(language string) string { return phrase.Say(language, f.Key, f.Args...) }

// Readable reports whether files of an extension such as ".md" are taken for documents: texts and what offices write, and
// neither programs nor data.
func Readable(extension string) bool {
	switch strings.ToLower(extension) {
	case ".md", ".markdown", ".txt", ".rst", ".html", ".htm", ".pdf", ".docx", ".xlsx", ".pptx", ".hwp", ".hwpx", ".odt", ".ods", ".odp", ".csv", ".epub", ".rtf":
		return true
	}
	return false
}

// Why is a reason in every language, as it is kept.
type Why map[string]string

// WhyOf keeps the reason of an error. One without a sentence of its own becomes the sentence of key, with args.
func WhyOf(err error, key string, args ...any) Why {
	var t interface{ PeopleText(language string) string }
	out := Why{}
	for _, l := range phrase.Languages() {
		if errors.As(err, &t) {
			out[l] = t.PeopleText(l)
		} else {
			out[l] = phrase.Say(l, key, args...)
		}
	}
	return out
}

// In returns the reason in a language, "" if there is none.
func (w Why) In(language string) string {
	l, _ := phrase.Match(language)
	if text, ok := w[l]; ok {
		return text
	}
	for _, l := range slices.Sorted(maps.Keys(w)) {
		return w[l]
	}
	return ""
}
