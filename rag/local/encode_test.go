package local

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"maru/rag"
)

// TestDocumentRecord: a document is read as it was written, also from the JSON of
// indexes from before, and a record that ends early is an error, never a guess.
func TestDocumentRecord(t *testing.T) {
	t.Parallel()
	for _, d := range []rag.Document{
		{},
		{
			ID: "d1", Scope: "slack/T1/C1", Title: "휴가 규정", Source: "rules/휴가.md", MIME: "text/markdown", Hash: "ab12", Size: 1 << 40,
			Chunks: 12, Tags: []string{"hr", "2026"}, By: "U1", At: time.Date(2026, 11, 21, 9, 30, 0, 123456789, time.UTC),
		},
		{ID: "d2", At: time.Date(2026, 11, 21, 9, 30, 0, 0, time.FixedZone("", 9*3600))},
	} {
		b, err := appendDocument(nil, d)
		if err != nil {
			t.Fatal(err)
		}
		old, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for name, record := range map[string][]byte{"packed": b, "json": old} {
			got, err := decodeDocument(record)
			if at := got.At; err != nil || !at.Equal(d.At) {
				t.Errorf("%s: %v, %v, want %v", name, err, at, d.At)
			}
			got.At = d.At
			if !reflect.DeepEqual(got, d) {
				t.Errorf("%s: %+v, want %+v", name, got, d)
			}
			for cut := range record {
				if _, err := decodeDocument(record[:cut]); err == nil {
					t.Errorf("%s: %d of %d bytes are taken for a document", name, cut, len(record))
				}
			}
		}
	}
}

// TestWithin holds reading a block only as far as needed against decoding it.
func TestWithin(t *testing.T) {
	t.Parallel()
	var posts []posting
	norms := make([]byte, 400_000)
	for i := range 700 {
		posts = append(posts, posting{uint32(i*i/2 + i), uint8(1 + i%3)})
	}
	for _, n := range []int{1, 2, blockLen - 1, blockLen, blockLen + 1, 700} {
		b := appendPostings(nil, posts[:n], norms)
		l := list{n: n, maxTF: b[0], minLen: b[1], data: b[2:]}
		if blocks := (n + blockLen - 1) / blockLen; blocks > 1 {
			l.skip, l.data = l.data[:blocks*skipSize], l.data[blocks*skipSize:]
		}
		for _, p := range posts[:n] {
			for c := max(p.chunk, 1) - 1; c <= p.chunk+1; c++ { // between them nothing changes
				below, there := slices.BinarySearchFunc(posts[:n], c, func(p posting, c uint32) int { return cmp.Compare(p.chunk, c) })
				if l.holds(c) != there || l.below(c) != below {
					t.Fatalf("%d postings, chunk %d: held %v and %d below, want %v and %d", n, c, l.holds(c), l.below(c), there, below)
				}
			}
		}
	}
}

// TestNextFrom holds four at a time against one at a time.
func TestNextFrom(t *testing.T) {
	t.Parallel()
	for n := range 12 {
		for at := range n + 1 {
			scores := make([]float32, n)
			if at < n {
				scores[at] = 2
			}
			if got := nextFrom(scores, 2); got != at {
				t.Errorf("%d scores, the %d. is high: %d", n, at, got)
			}
		}
	}
}
