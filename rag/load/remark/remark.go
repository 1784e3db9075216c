// Package remark reads what people noted beside the text of an Office file: comments of documents and slides, notes and
// threads on the cells of a sheet, each with its author, and the shapes on a sheet. It must not know passages.
package remark

import (
	"encoding/xml"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag/load/outline"
	"maru/rag/load/pack"
)

// Remark is one comment or reply.
type Remark struct {
	ID     string
	Author string // "" if unknown
	Place  string // the cell, "" elsewhere
	Text   string
}

// Block returns a remark as a paragraph that says whose it is.
func (r Remark) Block() outline.Block {
	lang, who, text := Language(r.Text), fit.OneLine(r.Author), r.Text
	switch {
	case r.Place != "" && who == "":
		text = r.Place + ": " + text
	case r.Place != "" && lang == "ko":
		who += "(" + r.Place + ")"
	case r.Place != "":
		who += " (" + r.Place + ")"
	}
	if who == "" {
		return outline.Block{Text: phrase.Say(lang, "load.comment", text)}
	}
	return outline.Block{Text: phrase.Say(lang, "load.comment_by", who, text)}
}

// Blocks are remarks as paragraphs.
func Blocks(list []Remark) (out []outline.Block) {
	for _, r := range list {
		out = append(out, r.Block())
	}
	return out
}

// Language guesses the language for a label in a text.
func Language(text string) string {
	if strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Hangul, c) }) {
		return "ko"
	}
	return phrase.Fallback
}

// Word returns the comments of a document by their IDs.
func Word(p *pack.Package, main string) (map[string]Remark, error) {
	b, err := p.One(main, "comments", "word/comments.xml")
	if err != nil || b == nil {
		return nil, leftOut(err)
	}
	list := read(b, nil)
	out := make(map[string]Remark, len(list))
	for _, r := range list {
		out[r.ID] = r
	}
	return out, nil
}

// leftOut drops the error of a broken part: a document is worth more than its comments. Limits stay errors.
func leftOut(err error) error {
	if errors.Is(err, pack.ErrBroken) {
		return nil
	}
	return err
}

// Sheet returns the notes and threads on the cells of a sheet. A thread's copy for older programs is left out.
func Sheet(p *pack.Package, book, sheet string) (out []Remark, err error) {
	names, err := authors(p, book, "person")
	if err != nil {
		return nil, err
	}
	threads, err := related(p, sheet, "threadedComment", names)
	if err != nil {
		return nil, err
	}
	notes, err := related(p, sheet, "comments", nil)
	for _, n := range notes {
		if !strings.HasPrefix(n.Author, "tc=") {
			out = append(out, n)
		}
	}
	return append(out, threads...), err
}

// Slide returns the comments on a slide.
func Slide(p *pack.Package, show, slide string) ([]Remark, error) {
	names, err := authors(p, show, "commentAuthors", "authors")
	if err != nil {
		return nil, err
	}
	return related(p, slide, "comments", names)
}

func related(p *pack.Package, part, kind string, names map[string]string) (out []Remark, err error) {
	err = each(p, part, kind, func(b []byte) { out = append(out, read(b, names)...) })
	return out, err
}

// each calls do for the parts of a kind that belong to a part.
func each(p *pack.Package, part, kind string, do func([]byte)) error {
	parts, err := p.Related(part, kind)
	if err != nil {
		return err
	}
	for _, name := range parts {
		b, err := p.Part(name)
		if err = leftOut(err); err != nil {
			return err
		}
		do(b)
	}
	return nil
}

// authors reads the names of people by their IDs.
func authors(p *pack.Package, part string, kinds ...string) (map[string]string, error) {
	names := map[string]string{}
	for _, kind := range kinds {
		if err := each(p, part, kind, func(b []byte) {
			_ = pack.Walk(b, func(e xml.StartElement) error {
				if id := pack.Attr(e, "id"); id != "" {
					names[id] = pack.Attr(e, "name") + pack.Attr(e, "displayName")
				}
				return nil
			}, func(string) error { return nil }, func(string) {}) // of a broken part the names before the fault
		}); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// reader reads the comments of one part, whichever program wrote it. Replies may be inside of comments.
type reader struct {
	names   map[string]string // of authors
	list    []*draft
	open    []*draft
	in      bool // text
	left    int  // open elements that are left out
	author  bool
	listed  int // authors that the part lists itself
	written strings.Builder
}

// draft is a remark whose text is not complete.
type draft struct {
	Remark

	text strings.Builder
}

// read returns the comments of a part, none of a broken one.
func read(b []byte, names map[string]string) (out []Remark) {
	r := reader{names: map[string]string{}}
	for id, name := range names {
		r.names[id] = name
	}
	if pack.Walk(b, r.start, r.end, r.text) != nil {
		return nil
	}
	for _, c := range r.list {
		if c.Text = fit.OneLine(c.text.String()); c.Text != "" {
			out = append(out, c.Remark)
		}
	}
	return out
}

func (r *reader) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "comment", "cm", "reply", "threadedComment":
		c := &draft{Remark: Remark{ID: pack.Attr(e, "id"), Place: pack.Attr(e, "ref"), Author: pack.Attr(e, "author")}}
		if c.Author == "" {
			c.Author = r.names[pack.Attr(e, "authorId")+pack.Attr(e, "personId")]
		}
		r.list, r.open = append(r.list, c), append(r.open, c)
	case "author":
		r.author = len(r.open) == 0
	case "t", "text":
		r.in = true
	case "del", "moveFrom", "rPh":
		r.left++
	case "br", "tab":
		r.write(" ")
	}
	return nil
}

func (r *reader) end(name string) error {
	switch name {
	case "comment", "cm", "reply", "threadedComment":
		r.open = r.open[:max(0, len(r.open)-1)]
	case "author":
		if r.author {
			r.names[strconv.Itoa(r.listed)] = r.written.String()
			r.listed++
		}
		r.author = false
		r.written.Reset()
	case "t", "text":
		r.in = false
	case "del", "moveFrom", "rPh":
		r.left = max(0, r.left-1)
	case "p":
		r.write("\n")
	}
	return nil
}

func (r *reader) text(s string) {
	if r.author {
		r.written.WriteString(s)
	}
	if r.in {
		r.write(s)
	}
}

func (r *reader) write(s string) {
	if n := len(r.open); n > 0 && r.left == 0 {
		r.open[n-1].text.WriteString(s)
	}
}
