// Package source defines sources that are kept in sync, such as websites, Git repositories and
// resources of MCP servers: the [Source] interface, and the rows in which [Store] keeps their
// progress.
//
// It fetches nothing itself. [maru/rag/source/sync] is the engine; each kind of source is a
// sub-package.
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
	// ErrUnchanged means that the content has not changed since the last fetch.
	ErrUnchanged = errors.New("source: unchanged")
	// ErrStale means that the item changed after it was listed; the next listing has its new
	// state.
	ErrStale = errors.New("source: changed since it was listed")
	// ErrGone means that the item no longer exists.
	ErrGone = errors.New("source: gone")
	// ErrRestricted means that only some of the source's readers may read the item: it may be no document.
	ErrRestricted = errors.New("source: restricted to some readers")
)

// Source is an external collection of documents.
//
// List returns the items page by page. The cursor is "" at first, then that of the previous page;
// after the last page the engine keeps the cursor and starts the next listing with it. Cursors are
// stored in the record, so a listing continues after a kill.
//
// Fetch returns an item's content. known are the validators of the previous fetch, or "" to fetch
// unconditionally. Errors are ErrUnchanged, ErrStale, ErrGone, ErrRestricted, a [*Wait] or a [*Fault];
// any other error is temporary and retried.
//
// A source is used by one goroutine. A kill may repeat calls with the same arguments.
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
	Gone     []string // IDs of deleted items
	Cursor   string   // continues the listing, or begins the next one
	More     bool     // more pages follow at Cursor
	Complete bool     // with the last page: items that this listing has not named are gone
	Confirm  bool     // with Complete: such an item is gone only if Fetch says so; the listing may leave items out
	Recheck  bool     // the listing does not tell what changed: every known item is fetched
}

// Content is the content of an item.
type Content struct {
	Name       string // with the extension that tells the format
	Data       []byte
	Validators string    // opaque, for the next Fetch
	Modified   time.Time // zero if unknown
	Links      []Item    // items that this one leads to
	Skip       bool      // it leads on but is no document
}

// Wait asks the engine to pause, as Retry-After does.
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

// Unanswered returns the fault of a request to a host that failed without an answer. An error that is Private comes from a
// client that refuses addresses inside the network.
func Unanswered(host string, err error) *Fault {
	if refused, ok := errors.AsType[interface {
		error
		Private() bool
	}](err); ok && refused.Private() {
		return &Fault{Key: "source.inside", Args: []any{host}, Err: err}
	}
	return &Fault{Key: "source.no_answer", Args: []any{host}, Err: err}
}

// Readable reports whether files with this extension, such as ".md", are documents: texts and
// office files, not programs or data.
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
