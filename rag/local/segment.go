package local

import (
	"encoding/binary"
	"hash/crc32"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"maru/rag"
)

// A segment is an immutable part of the index, in the same format in a
// log record, in memory and in a mapped file:
//
//	header    magic, counts, section offsets, version of the analyser that made the terms
//	docs      per document: first chunk, terms before it, offset of its record
//	chunks    per chunk: offset of its record
//	norms     per chunk: its length in one byte
//	scopes    name, first document, first chunk, terms before; documents are in order of scope, then ID
//	terms     offsets, then the sorted terms; per term: postings offset and count
//	postings  blocks of 128 (chunk delta, occurrences), with a skip table where there are several
//	records   documents in the form of appendDocument, chunks in that of appendChunk
//	checksum  CRC-32C of all before it
//
// Because documents of a scope are neighbours, a scope is a range of chunks:
// a search reads only the ranges it may read, and counts only in them.
type segment struct {
	data     []byte
	docs     int
	chunks   int
	terms    int
	tokens   uint64
	analyser uint32 // 0: from before versions were stored
	sec      [sections]int
	scopes   []scopeRange
	keep     any // keeps data valid: a mapped file
	fileName string
	vecs     slots                 // by chunk, filled as they are embedded; nil without an embedder
	oldVecs  atomic.Pointer[slots] // of the previous model, while its vectors serve
	filing   sync.Once             // fills files
	files    *filing

	directing sync.Once // fills directory
	directory directory
}

type scopeRange struct {
	name             string
	doc0, doc1       int
	chunk0, chunk1   int
	tokens0, tokens1 uint64
}

const (
	secDocs = iota
	secChunks
	secNorms
	secScopes
	secTermOff
	secTerms
	secPostOff
	secPostings
	secRecords
	secEnd
	sections
)

const (
	segMagic   = "MARUSEG2"
	oldMagic   = "MARUSEG1" // its header has no analyser version
	oldHeader  = 8 + 4*4 + 8 + sections*8
	headerSize = oldHeader + 4
	docSize    = 4 + 8 + 8
	postSize   = 8 + 4 // offset, count
	blockLen   = 128
	skipSize   = 4 + 4 + 4 // last chunk, offset, maxTF<<8|minNorm
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var le = binary.LittleEndian

// openSegment verifies all of data and returns its view.
func openSegment(data []byte, keep any) (*segment, error) {
	if len(data) < headerSize+4 || string(data[:8]) != segMagic && string(data[:8]) != oldMagic {
		return nil, errCorrupt
	}
	body := data[:len(data)-4]
	if crc32.Checksum(body, castagnoli) != le.Uint32(data[len(data)-4:]) {
		return nil, errCorrupt
	}
	s := &segment{data: body, keep: keep}
	s.docs, s.chunks, s.terms = int(le.Uint32(data[8:])), int(le.Uint32(data[12:])), int(le.Uint32(data[16:]))
	nScopes := int(le.Uint32(data[20:]))
	s.tokens = le.Uint64(data[24:])
	if string(data[:8]) == segMagic {
		s.analyser = le.Uint32(data[oldHeader:])
	}
	for i := range s.sec {
		s.sec[i] = int(le.Uint64(data[32+8*i:]))
		if s.sec[i] > len(body) || (i > 0 && s.sec[i] < s.sec[i-1]) {
			return nil, errCorrupt
		}
	}
	r := reader{b: body[s.sec[secScopes]:s.sec[secTermOff]]}
	for i := range nScopes {
		name, first := r.str(), r.uvarint()
		sr := scopeRange{name: name, doc0: first, doc1: s.docs, chunk0: s.chunkStart(first), chunk1: s.chunks, tokens0: s.tokensBefore(first), tokens1: s.tokens}
		if i > 0 {
			p := &s.scopes[i-1]
			p.doc1, p.chunk1, p.tokens1 = sr.doc0, sr.chunk0, sr.tokens0
		}
		s.scopes = append(s.scopes, sr)
	}
	if r.bad {
		return nil, errCorrupt
	}
	return s, nil
}

func (s *segment) docEntry(d int) []byte { return s.data[s.sec[secDocs]+d*docSize:] }

// chunkStart returns the first chunk of document d; d may be one past the last.
func (s *segment) chunkStart(d int) int {
	if d >= s.docs {
		return s.chunks
	}
	return int(le.Uint32(s.docEntry(d)))
}

func (s *segment) tokensBefore(d int) uint64 {
	if d >= s.docs {
		return s.tokens
	}
	return le.Uint64(s.docEntry(d)[4:])
}

// docID returns the ID of document d without decoding the rest.
func (s *segment) docID(d int) string {
	r := reader{b: s.data[s.sec[secRecords]+int(le.Uint64(s.docEntry(d)[12:])):]}
	return r.str()
}

// docRecord returns the record of document d, behind its ID.
func (s *segment) docRecord(d int) []byte {
	r := reader{b: s.data[s.sec[secRecords]+int(le.Uint64(s.docEntry(d)[12:])):]}
	r.str()
	n := r.uvarint()
	return r.b[:min(n, len(r.b))]
}

func (s *segment) document(d int) (rag.Document, error) { return decodeDocument(s.docRecord(d)) }

// chunkRecord returns the record of chunk c, without its length.
func (s *segment) chunkRecord(c int) []byte {
	off := le.Uint64(s.data[s.sec[secChunks]+8*c:])
	r := reader{b: s.data[s.sec[secRecords]+int(off):]}
	n := r.uvarint()
	return r.b[:min(n, len(r.b))]
}

func (s *segment) chunk(c int, document string) (rag.Chunk, error) {
	return decodeChunk(s.chunkRecord(c), document)
}

func (s *segment) norms() []byte {
	return s.data[s.sec[secNorms] : s.sec[secNorms]+s.chunks]
}

// docOf returns the document that holds chunk c.
func (s *segment) docOf(c int) int {
	return sort.Search(s.docs, func(d int) bool { return s.chunkStart(d) > c }) - 1
}

// scope returns the range of a scope's documents.
func (s *segment) scope(name string) (scopeRange, bool) {
	i := sort.Search(len(s.scopes), func(i int) bool { return s.scopes[i].name >= name })
	if i < len(s.scopes) && s.scopes[i].name == name {
		return s.scopes[i], true
	}
	return scopeRange{}, false
}

// find returns the document with this ID in a scope's range.
func (s *segment) find(r scopeRange, id string) (int, bool) {
	d := r.doc0 + sort.Search(r.doc1-r.doc0, func(i int) bool { return s.docID(r.doc0+i) >= id })
	return d, d < r.doc1 && s.docID(d) == id
}

func (s *segment) termBytes(t int) []byte {
	off := s.data[s.sec[secTermOff]+4*t:]
	base := s.sec[secTerms]
	return s.data[base+int(le.Uint32(off)) : base+int(le.Uint32(off[4:]))]
}

// lookup returns the number of a term.
func (s *segment) lookup(term string) (int, bool) {
	d := s.directoryOf()
	if strings.HasPrefix(term, rag.KeyMark) && !d.mayName(term) {
		return 0, false
	}
	lo, hi := d.around(term, s.terms)
	m := s.firstWithin(term, lo, hi)
	if m < s.terms && string(s.termBytes(m)) == term {
		return m, true
	}
	return 0, false
}

// firstTerm returns the number of the first term that is not below this one.
func (s *segment) firstTerm(term string) int { return s.firstWithin(term, 0, s.terms) }

// firstWithin is firstTerm for a term that is not below number lo and not above hi.
func (s *segment) firstWithin(term string, lo, hi int) int {
	for lo < hi {
		m := (lo + hi) / 2
		if string(s.termBytes(m)) < term { // a comparison copies nothing
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// hasNames reports whether a passage of the segment has a name key, see [rag.IsKey].
func (s *segment) hasNames() bool {
	t := s.firstTerm(rag.KeyMark)
	return t < s.terms && rag.IsKey(s.termBytes(t))
}
