package rag

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Loader parses a file into a document and its passages. It fills Title, Source, MIME, Hash and Size of the document
// and everything of the chunks but their IDs; the caller sets the owner ([Own]). An error with a remedy has a message
// for people; see rag/load.
type Loader interface {
	Load(ctx context.Context, name string, data []byte) (Document, []Chunk, error)
}

// Versioned is an optional interface of a Loader that improves. A document recorded with a lower version than its
// MIME type's is read again when its bytes are added the next time, and served unchanged until then. Versions only
// grow: two program versions on one index never undo each other's newer reading.
type Versioned interface {
	Version(mime string) int
}

// DocumentID returns the stable ID of a source in a scope; loading it again replaces the document.
func DocumentID(scope, source string) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(len(scope)) + ":" + scope + source))
	return hex.EncodeToString(sum[:12])
}

// Own sets a loaded document's scope and the IDs of it and its chunks.
func Own(doc Document, chunks []Chunk, scope string) (Document, []Chunk) {
	doc.Scope, doc.ID, doc.Chunks = scope, DocumentID(scope, doc.Source), len(chunks)
	out := make([]Chunk, len(chunks))
	for i, c := range chunks {
		c.Document, c.Ordinal, c.ID = doc.ID, i, doc.ID+"#"+strconv.Itoa(i)
		out[i] = c
	}
	return doc, out
}
