package local

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"maru/rag"
	"maru/rag/rank"
)

// entry is a document to be indexed.
type entry struct {
	doc    rag.Document
	chunks []rag.Chunk
}

// assembler writes the sections of a segment: documents with their chunks in order of scope and ID, then terms in
// order.
type assembler struct {
	docs, chunks, scopes   []byte
	norms                  []byte
	records                []byte
	termOff, terms         []byte
	postOff, postings      []byte
	nDocs, nScopes, nTerms int
	tokens                 uint64
	lastScope              string
	scratch                []byte
}

func (a *assembler) addDocument(scope, id string, meta []byte) {
	if a.nScopes == 0 || scope != a.lastScope {
		a.scopes = binary.AppendUvarint(appendString(a.scopes, scope), uint64(a.nDocs))
		a.lastScope = scope
		a.nScopes++
	}
	a.docs = le.AppendUint32(a.docs, uint32(len(a.norms)))
	a.docs = le.AppendUint64(a.docs, a.tokens)
	a.docs = le.AppendUint64(a.docs, uint64(len(a.records)))
	a.records = appendString(a.records, id)
	a.records = binary.AppendUvarint(a.records, uint64(len(meta)))
	a.records = append(a.records, meta...)
	a.nDocs++
}

func (a *assembler) addChunk(record []byte, norm uint8) {
	a.chunks = le.AppendUint64(a.chunks, uint64(len(a.records)))
	a.norms = append(a.norms, norm)
	a.records = binary.AppendUvarint(a.records, uint64(len(record)))
	a.records = append(a.records, record...)
}

func (a *assembler) addTerm(term []byte, posts []posting) {
	a.termOff = le.AppendUint32(a.termOff, uint32(len(a.terms)))
	a.terms = append(a.terms, term...)
	a.postOff = le.AppendUint64(a.postOff, uint64(len(a.postings)))
	a.postOff = le.AppendUint32(a.postOff, uint32(len(posts)))
	a.postings = appendPostings(a.postings, posts, a.norms)
	a.nTerms++
}

// finish returns the segment's bytes.
func (a *assembler) finish() []byte {
	a.termOff = le.AppendUint32(a.termOff, uint32(len(a.terms)))
	parts := [][]byte{a.docs, a.chunks, a.norms, a.scopes, a.termOff, a.terms, a.postOff, a.postings, a.records}
	size := headerSize + 4
	for _, p := range parts {
		size += len(p)
	}
	b := make([]byte, 0, size)
	b = append(b, segMagic...)
	for _, n := range []int{a.nDocs, len(a.norms), a.nTerms, a.nScopes} {
		b = le.AppendUint32(b, uint32(n))
	}
	b = le.AppendUint64(b, a.tokens)
	at := headerSize
	for _, p := range parts {
		b = le.AppendUint64(b, uint64(at))
		at += len(p)
	}
	b = le.AppendUint64(b, uint64(at))
	b = le.AppendUint32(b, rag.AnalyzerVersion)
	for _, p := range parts {
		b = append(b, p...)
	}
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// buildSegment analyses entries into a segment. The entries must have distinct document IDs.
func buildSegment(entries []entry) ([]byte, error) {
	slices.SortFunc(entries, func(x, y entry) int {
		return cmp.Or(strings.Compare(x.doc.Scope, y.doc.Scope), strings.Compare(x.doc.ID, y.doc.ID))
	})
	var (
		a     assembler
		an    rag.Analyzer
		ids   = map[string]int32{}
		names []string
		posts [][]posting
	)
	for _, e := range entries {
		e.doc.Chunks = len(e.chunks)
		meta, err := appendDocument(nil, e.doc)
		if err != nil {
			return nil, fmt.Errorf("encode document %s: %w", e.doc.ID, err)
		}
		a.addDocument(e.doc.Scope, e.doc.ID, meta)
		for _, c := range e.chunks {
			number := uint32(len(a.norms))
			length := rank.Analyse(&an, e.doc, c, func(term []byte) {
				id, ok := ids[string(term)]
				if !ok {
					id = int32(len(names))
					name := string(term)
					ids[name], names, posts = id, append(names, name), append(posts, nil)
				}
				if p := posts[id]; len(p) > 0 && p[len(p)-1].chunk == number {
					if p[len(p)-1].tf < maxTF {
						p[len(p)-1].tf++
					}
					return
				}
				posts[id] = append(posts[id], posting{number, 1})
			})
			a.scratch = appendChunk(a.scratch[:0], c)
			a.addChunk(a.scratch, normOf(length))
			a.tokens += uint64(length)
		}
	}
	order := make([]int32, len(names))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int { return strings.Compare(names[x], names[y]) })
	for _, id := range order {
		a.scratch = append(a.scratch[:0], names[id]...)
		a.addTerm(a.scratch, posts[id])
	}
	return a.finish(), nil
}
