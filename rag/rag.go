// Package rag holds the words for documents and retrieval: [Document], [Chunk],
// [Query], [Hit], the [Index] that stores implement, and the arithmetic that
// all of them share: analysis of Korean and English text, ranking, fusion and
// citations. It does no I/O: loaders live in rag/load, indexes in rag/local,
// rag/pgvector and rag/opensearch.
//
// # Articles of contracts and laws
//
// A document that was loaded keeps its structure in the headings of its
// passages, and [Lookup] reads it back from any [Index]:
//
//	look := rag.Lookup{Index: index}
//	in := rag.Within{Scopes: scopes, Documents: []string{contract.ID}}
//
//	found, err := look.ByNumber(ctx, in, "제10조의2 제1항")  // or "Article 5(2)", "별표 1", "Annex B", "5"
//	found.Articles  // those of that number, whole; more than one is an ambiguity to tell people
//	found.Piece     // the text of 항, 호 or 목 that was asked for, if there is one
//	found.Nearest   // without a match: the nearest articles
//
//	titled, err := look.ByTitle(ctx, in, "연차 유급휴가") // best first, each with a score
//	all, err := look.Outline(ctx, scopes, contract.ID)   // every article in order
//	hits, err := index.Search(ctx, rag.Query{Text: question, Scopes: scopes, Documents: in.Documents})
//
// [maru/rag/article] finds the articles named in a question without an index: article.Find("그럼 제5조 2항은?").
package rag

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNotFound reports a missing document or chunk.
var ErrNotFound = errors.New("rag: not found")

// Errors of an index on a server.
var (
	ErrTooLarge    = errors.New("rag: the document exceeds the index's size limit")
	ErrUnavailable = errors.New("rag: the index is unavailable")
)

// ScopeSample is the scope of the sample handbook. Everybody who may read public documents may read it; it is
// searched only while the team has no documents in the scopes.
const ScopeSample = "sample"

// Document is one indexed document.
type Document struct {
	ID     string // stable: derived from scope and source, so that re-ingest replaces
	Scope  string // readers; see [Query]
	Title  string
	Source string // file name or URL as people know it
	MIME   string
	Hash   string // SHA-256 of the bytes, hex: same hash, nothing to do
	Size   int64  // bytes
	Chunks int
	Tags   []string  // tags; compared as [Tags] writes them
	By     string    // who added it
	At     time.Time // time it was added
	URL    string    `json:",omitempty"` // address at which people open the original, "" if none
	Own    bool      `json:",omitempty"` // from a source whose contents count as the team's own words
	Origin string    `json:",omitempty"` // distinguishes originals of the same name; opaque, "" if unknown

	Reader int      `json:",omitempty"` // version of the loader, see [Versioned]; 0 if unknown
	Unread []Unread `json:",omitempty"` // files or lines within it that could not be read
}

// Unread is an unreadable file or line of a document. The name of a line is a colon and its number.
type Unread struct {
	Name string // within the document
	Why  string // a code of maru/rag/load with a message in the catalogues
}

// In returns the display name within the document's file: "rules.zip/old.doc", or for a line "list.jsonl:3".
func (u Unread) In(source string) string {
	if strings.HasPrefix(u.Name, ":") {
		return source + u.Name
	}
	return source + "/" + u.Name
}

// Chunk is a passage of a document, the unit of search.
type Chunk struct {
	ID       string // document id + "#" + ordinal
	Document string
	Ordinal  int      // 0-based position in the document
	Heading  []string // path of headings above it, outermost first
	Page     int      // 1-based, 0 if the format has none
	Start    int      // byte offset in the document's extracted text
	End      int
	Context  string // a short line that makes the passage stand alone: title > headings
	Text     string
}

// Query selects passages.
type Query struct {
	Text      string
	Scopes    []string      // only documents of these scopes; none means nothing is found
	Documents []string      // only these documents, if not empty
	Titles    []string      // documents that the question names, Text being the rest; see [Named]
	Names     []string      // names parsed by [Narrow], for [Called]; indexes ignore them
	Tags      []string      // only documents that have all of these tags
	Since     time.Time     // only documents added then or later; zero: any
	Until     time.Time     // only documents added before; zero: any
	Limit     int           // passages wanted; 0 means 5
	Repeats   bool          // keep passages that repeat a better one; for evaluation
	Own       *Thesaurus    // the team's synonyms; apply also to words that the index contains
	Related   bool          // use general synonyms of rag/lexicon for such words as well
	Exam      bool          // do not learn from the question; for evaluations, which must not depend on the order of questions
	Wait      time.Duration // limit of the wait for the question's vector, if shorter than the index's own; then only keywords count
	Threshold float64       // calibrated score in [0,1] below which nothing is returned; 0 means the index's default, negative means none
}

// Waiting returns a context that ends with the wait for the question's vector; own is the index's own limit.
func (q Query) Waiting(ctx context.Context, own time.Duration) (context.Context, context.CancelFunc) {
	if q.Wait > 0 {
		own = min(q.Wait, own)
	}
	return context.WithTimeout(ctx, own)
}

// Hurried reports whether a question was not embedded because of its short wait, which says nothing about the
// model.
func (q Query) Hurried(err error) bool { return q.Wait > 0 && errors.Is(err, context.DeadlineExceeded) }

// Hit is a found passage.
type Hit struct {
	Chunk    Chunk
	Document Document
	Score    float64 // calibrated to [0,1]: confidence that the passage is about the query
	Rank     float64 // raw ranking score, comparable within one answer only
	Named    bool    // from an article that the question names, see [Named]
	Called   string  // the name by which the question selects its document among several of a kind; "" if none

	Words   [][]string // the team's synonyms for words of the question
	Dated   string     // the document's own date or year; "" if unknown or if no other document was found
	Edition string     // edition of its document if there are others: "2024", "v2"; "" otherwise
	Newer   string     // a newer edition that lacks this statement; "" if there is none
	Older   *Hit       // the corresponding passage of the previous edition if it differs; nil if none
}

// Index stores documents and finds passages.
//
// Put adds a document or replaces the one with the same ID; when it returns, the document is searchable and durable;
// when it fails the index is unchanged. It rejects documents that fail [Check]. Delete is idempotent and reports
// whether the document existed. Search applies scopes, documents, tags and days before ranking, never after it:
// excluded passages take no place of others, and document frequencies are counted in the scopes, so that a filter
// changes no passage's score. Documents lists the documents of these scopes, newest first. Chunk returns a passage
// with its document if it is in one of scopes, else ErrNotFound. Passages returns the passages of a document whose
// ordinals lie in [from, to), in order; to beyond the last means up to it. All methods are safe for concurrent use,
// and writers do not block readers.
type Index interface {
	Put(ctx context.Context, doc Document, chunks []Chunk) error
	Delete(ctx context.Context, scope, id string) (bool, error)
	Search(ctx context.Context, q Query) ([]Hit, error)
	Documents(ctx context.Context, scopes []string) ([]Document, error)
	Chunk(ctx context.Context, scopes []string, id string) (Chunk, Document, error)
	Passages(ctx context.Context, scopes []string, document string, from, to int) ([]Chunk, Document, error)
	Close() error
}

// Check returns the error of a document that no index accepts; nil if it is valid.
func Check(doc Document, chunks []Chunk) error {
	switch {
	case doc.ID == "":
		return errors.New("the document has no ID")
	case doc.Scope == "":
		return errors.New("the document has no scope")
	}
	for _, c := range chunks {
		if c.ID == "" || c.Document != doc.ID {
			return fmt.Errorf("passage %d has no ID or is of document %q", c.Ordinal, c.Document)
		}
	}
	return nil
}

// Scoper is an optional interface of an index: the scopes with documents, in order.
type Scoper interface {
	Scopes(ctx context.Context) ([]string, error)
}

// Sampler is an optional interface of an index: at most limit documents of scopes, and their total number, without
// reading all. The documents may be shared: nobody may change them.
type Sampler interface {
	Some(ctx context.Context, scopes []string, limit int) (docs []Document, total int, err error)
}
