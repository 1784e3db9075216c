package local

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"maru/rag"
)

var errCorrupt = errors.New("rag/local: the file is damaged")

// A passage's length is one byte on a logarithmic scale: steps of about 2 % up to 60,000 terms, without a measurable
// effect on rankings.
var normBase = math.Log(1.044)

func normOf(length int) uint8 {
	if length < 1 {
		return 0
	}
	return uint8(min(255, math.Round(math.Log(float64(length))/normBase)))
}

func lengthOf(norm uint8) float64 { return math.Exp(float64(norm) * normBase) }

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// reader decodes values from a record; after an error it returns zeroes and keeps bad set.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > math.MaxInt32 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) str() string {
	n := r.uvarint()
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func appendChunk(b []byte, c rag.Chunk) []byte {
	b = appendString(b, c.ID)
	b = binary.AppendUvarint(b, uint64(max(c.Ordinal, 0)))
	b = binary.AppendUvarint(b, uint64(max(c.Page, 0)))
	b = binary.AppendUvarint(b, uint64(max(c.Start, 0)))
	b = binary.AppendUvarint(b, uint64(max(c.End, 0)))
	b = binary.AppendUvarint(b, uint64(len(c.Heading)))
	for _, h := range c.Heading {
		b = appendString(b, h)
	}
	b = appendString(b, c.Context)
	return appendString(b, c.Text)
}

func decodeChunk(b []byte, document string) (rag.Chunk, error) {
	r := reader{b: b}
	c := rag.Chunk{Document: document, ID: r.str(), Ordinal: r.uvarint(), Page: r.uvarint(), Start: r.uvarint(), End: r.uvarint()}
	n := r.uvarint()
	if n > len(r.b) {
		return rag.Chunk{}, errCorrupt
	}
	for range n {
		c.Heading = append(c.Heading, r.str())
	}
	c.Context, c.Text = r.str(), r.str()
	if r.bad {
		return rag.Chunk{}, errCorrupt
	}
	return c, nil
}

// packed is the first byte of a document's record. Older records are JSON, which starts with a brace and takes ten
// times as long to read.
const packed = 1

func appendDocument(b []byte, d rag.Document) ([]byte, error) {
	b = append(b, packed)
	for _, s := range []string{d.ID, d.Scope, d.Title, d.Source, d.MIME, d.Hash, d.By} {
		b = appendString(b, s)
	}
	b = binary.AppendVarint(b, d.Size)
	b = binary.AppendVarint(b, int64(d.Chunks))
	at, err := d.At.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("time of document %s: %w", d.ID, err)
	}
	b = appendString(b, string(at))
	b = binary.AppendUvarint(b, uint64(len(d.Tags)))
	for _, t := range d.Tags {
		b = appendString(b, t)
	}
	// Empty trailing fields are omitted: older programs wrote and read records without them.
	remote := d.URL != "" || d.Own
	if d.Origin == "" && len(d.Unread) == 0 && d.Reader == 0 && !remote {
		return b, nil
	}
	b = appendString(b, d.Origin)
	if len(d.Unread) == 0 && d.Reader == 0 && !remote {
		return b, nil
	}
	b = binary.AppendUvarint(b, uint64(len(d.Unread)))
	for _, u := range d.Unread {
		b = appendString(appendString(b, u.Name), u.Why)
	}
	if d.Reader == 0 && !remote {
		return b, nil
	}
	b = binary.AppendUvarint(b, uint64(max(0, d.Reader)))
	if !remote {
		return b, nil
	}
	b = appendString(b, d.URL)
	if d.Own {
		b = binary.AppendUvarint(b, 1)
	}
	return b, nil
}

func (r *reader) unread() []rag.Unread {
	n := r.uvarint()
	if n > len(r.b) {
		r.bad = true
		return nil
	}
	if n == 0 {
		return nil
	}
	out := make([]rag.Unread, n)
	for i := range out {
		out[i].Name, out[i].Why = r.str(), r.str()
	}
	return out
}

func decodeDocument(b []byte) (rag.Document, error) {
	var d rag.Document
	if len(b) == 0 || b[0] != packed {
		if err := json.Unmarshal(b, &d); err != nil {
			return d, fmt.Errorf("%w: document record: %w", errCorrupt, err)
		}
		return d, nil
	}
	r := reader{b: b[1:]}
	for _, s := range []*string{&d.ID, &d.Scope, &d.Title, &d.Source, &d.MIME, &d.Hash, &d.By} {
		*s = r.str()
	}
	d.Size, d.Chunks = r.varint(), int(r.varint())
	if err := d.At.UnmarshalBinary([]byte(r.str())); err != nil {
		r.bad = true
	}
	n := r.uvarint()
	if r.bad || n > len(r.b) {
		return rag.Document{}, fmt.Errorf("%w: document record", errCorrupt)
	}
	for range n {
		d.Tags = append(d.Tags, r.str())
	}
	if len(r.b) > 0 {
		d.Origin = r.str()
	}
	if len(r.b) > 0 {
		d.Unread = r.unread()
	}
	if len(r.b) > 0 {
		d.Reader = r.uvarint()
	}
	if len(r.b) > 0 {
		d.URL = r.str()
	}
	if len(r.b) > 0 {
		d.Own = r.uvarint() == 1
	}
	if r.bad {
		return rag.Document{}, fmt.Errorf("%w: document record", errCorrupt)
	}
	return d, nil
}
