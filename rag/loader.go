package rag

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Loader turns the bytes of a file into a document and its passages. It fills
// Title, Source, MIME, Hash and Size of the document and everything of the chunks but
// their IDs; who owns the document is the caller's word ([Own]). An error that
// people can act on says so in their language; see rag/load.
type Loader interface {
	Load(ctx context.Context, name string, data []byte) (Document, []Chunk, error)
}

// Versioned is what a Loader has that comes to read better. A document of which the record
// names a lower version than the one for its MIME type is read again when its bytes are
// added the next time, and served as it is until then. A version only grows: of two
// programs at work on one index none undoes what the other has read better.
type Versioned interface {
	Version(mime string) int
}

// DocumentID is the stable ID of a source in a scope: loading it again replaces it.
func DocumentID(scope, source string) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(len(scope)) + ":" + scope + source))
	return hex.EncodeToString(sum[:12])
}

// Own places a loaded document into a scope and gives it and its chunks their IDs.
func Own(doc Document, chunks []Chunk, scope string) (Document, []Chunk) {
	doc.Scope, doc.ID, doc.Chunks = scope, DocumentID(scope, doc.Source), len(chunks)
	out := make([]Chunk, len(chunks))
	for i, c := range chunks {
		c.Document, c.Ordinal, c.ID = doc.ID, i, doc.ID+"#"+strconv.Itoa(i)
		out[i] = c
	}
	return doc, out
}
