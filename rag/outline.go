package rag

import (
	"strings"

	"maru/rag/article"
)

// Article is one numbered part of a document with its text: an article of a contract, an annex, or the text directly
// under a chapter heading.
type Article struct {
	Ref      article.Ref
	Label    string   // the number as the document writes it: "제10조의2", "Article 5"
	Title    string   // "연차 유급휴가"; empty where the document gives none
	Heading  []string // the whole path, the article's own heading last
	Document Document
	Chunks   []Chunk // its passages in order
}

// Text returns the article's text: its passages joined, without their overlaps.
func (a Article) Text() string { return joined(a.Chunks) }

// Hits returns the article's passages as hits of full score, for citations.
func (a Article) Hits() []Hit {
	out := make([]Hit, len(a.Chunks))
	for i, c := range a.Chunks {
		out[i] = Hit{Chunk: c, Document: a.Document, Score: 1}
	}
	return out
}

// Outline returns the numbered parts of a document from its passages in order. It skips parts without text of their
// own (a chapter above its articles).
func Outline(doc Document, chunks []Chunk) []Article {
	var out []Article
	for _, c := range chunks {
		head, path, ok := own(c)
		if !ok {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Ref.Key() == head.Ref.Key() && samePath(out[n-1].Heading, path) {
			out[n-1].Chunks = append(out[n-1].Chunks, c)
			continue
		}
		out = append(out, Article{Ref: head.Ref, Label: head.Label, Title: head.Title, Heading: path, Document: doc, Chunks: []Chunk{c}})
	}
	return out
}

// own returns a passage's innermost numbered heading, and the path down to it.
func own(c Chunk) (article.Head, []string, bool) {
	for i := len(c.Heading) - 1; i >= 0; i-- {
		if h, ok := numbered(c.Heading[i]); ok {
			return h, c.Heading[:i+1], true
		}
	}
	if len(c.Heading) == 0 { // a passage not made by a loader may have its heading in its context
		path := strings.Split(c.Context, " > ")
		line := path[len(path)-1]
		if h, ok := numbered(line); ok {
			return h, []string{line}, true
		}
	}
	return article.Head{}, nil, false
}

func numbered(heading string) (article.Head, bool) {
	if h, ok := article.Heading(heading); ok {
		return h, true
	}
	return article.Numbered(heading)
}

func samePath(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// joined concatenates neighbouring passages without the overlap of cut sections.
func joined(chunks []Chunk) string {
	var b strings.Builder
	for i, c := range chunks {
		text := c.Text
		if i > 0 {
			switch shared := chunks[i-1].End - c.Start; {
			case shared > 0 && shared < len(text) && strings.HasSuffix(chunks[i-1].Text, text[:shared]):
				text = text[shared:]
			default:
				b.WriteByte('\n')
			}
		}
		b.WriteString(text)
	}
	return b.String()
}
