package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"maru/rag"
)

// Reference names an answering passage by its place or by a quotation. Empty fields match anything.
type Reference struct {
	Document string `json:"document"` // title, file name, its end after a slash, or ID
	Heading  string `json:"heading"`  // the nearest heading above the passage, or the end of the path "A > B"
	Page     int    `json:"page"`
	Text     string `json:"text"`  // verbatim words of the passage
	Grade    int    `json:"grade"` // relevance grade; default 1

	short string // the one-text form: see [Reference.UnmarshalJSON]
}

// UnmarshalJSON reads the object, or one text: a passage's ID, a document, "document#heading", or a quotation from
// the passage.
func (r *Reference) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &r.short) == nil {
		if strings.TrimSpace(r.short) == "" {
			return errors.New(`"relevant" names an empty passage`)
		}
		r.Grade = 1
		return nil
	}
	type plain Reference
	p := plain{Grade: 1}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return errors.New(`"relevant" wants texts ("document#heading") or objects of document, heading, page, text and grade`)
	}
	if p.Document == "" && p.Heading == "" && p.Text == "" {
		return errors.New(`"relevant" wants a document, a heading or a text`)
	}
	if p.Grade < 1 {
		return fmt.Errorf(`"relevant" has the grade %d; a passage that does not answer is left out`, p.Grade)
	}
	*r = Reference(p)
	return nil
}

// String names the reference for people.
func (r Reference) String() string {
	if r.short != "" {
		return r.short
	}
	out := r.Document
	if r.Heading != "" {
		out += "#" + r.Heading
	}
	if r.Page > 0 {
		out += fmt.Sprintf(" page %d", r.Page)
	}
	if r.Text != "" {
		out += " “" + r.Text + "”"
	}
	return strings.TrimSpace(out)
}

// quotable is the minimum letters of a quotation that identifies a passage.
const quotable = 8

// Matches reports whether the reference matches this passage.
func (r Reference) Matches(c rag.Chunk, d rag.Document) bool {
	if r.short == "" {
		return (r.Document == "" || ofDocument(d, r.Document)) && (r.Heading == "" || under(c, r.Heading)) &&
			(r.Page == 0 || r.Page == c.Page) && (r.Text == "" || containsWords(c.Text, r.Text))
	}
	if r.short == c.ID || ofDocument(d, r.short) {
		return true
	}
	if i := strings.LastIndexByte(r.short, '#'); i > 0 && ofDocument(d, r.short[:i]) && under(c, r.short[i+1:]) {
		return true
	}
	return utf8.RuneCountInString(r.short) >= quotable && containsWords(c.Text, r.short)
}

func ofDocument(d rag.Document, name string) bool {
	name = norm.NFC.String(name)
	return name == d.ID || name == norm.NFC.String(d.Title) || name == norm.NFC.String(d.Source) ||
		strings.HasSuffix(norm.NFC.String(d.Source), "/"+name)
}

func under(c rag.Chunk, heading string) bool {
	path := norm.NFC.String(strings.Join(c.Heading, " > "))
	heading = norm.NFC.String(heading)
	return path == heading || strings.HasSuffix(path, " > "+heading)
}

// containsWords reports whether the text contains the words, ignoring spaces and case.
func containsWords(text, words string) bool { return strings.Contains(plain(text), plain(words)) }

func plain(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(s)), " "))
}

// relevant returns the index of the case's reference that matches the passage, -1 if none.
func (c Case) relevant(chunk rag.Chunk, doc rag.Document) int {
	return slices.IndexFunc(c.Relevant, func(r Reference) bool { return r.Matches(chunk, doc) })
}

// Check fails if a case references a passage missing from the documents of scopes, which would falsify every figure.
// It reads all of them.
func Check(ctx context.Context, index rag.Index, scopes []string, cases []Case) error {
	docs, err := index.Documents(ctx, scopes)
	if err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	there := make([][]bool, len(cases))
	for i, c := range cases {
		there[i] = make([]bool, len(c.Relevant))
	}
	for _, d := range docs {
		chunks, doc, err := index.Passages(ctx, scopes, d.ID, 0, 1<<30)
		if err != nil {
			return fmt.Errorf("read %s: %w", d.Source, err)
		}
		for _, chunk := range chunks {
			mark(cases, there, chunk, doc)
		}
	}
	var faults []error
	for i, c := range cases {
		for k, ok := range there[i] {
			if !ok && len(faults) < maxFaults {
				faults = append(faults, fmt.Errorf("line %d (%s): no passage of the %d documents is %q", c.Line, c.Question, len(docs), c.Relevant[k]))
			}
		}
	}
	return errors.Join(faults...)
}

func mark(cases []Case, there [][]bool, chunk rag.Chunk, doc rag.Document) {
	for i, c := range cases {
		for k, r := range c.Relevant {
			there[i][k] = there[i][k] || r.Matches(chunk, doc)
		}
	}
}
