package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"maru/agent/tool"
	"maru/phrase"
	"maru/rag"
)

// Documents is what read_file needs of an index: [rag.Index] has it. Both
// methods see only documents of the given scopes.
type Documents interface {
	Documents(ctx context.Context, scopes []string) ([]rag.Document, error)
	Chunk(ctx context.Context, scopes []string, id string) (rag.Chunk, rag.Document, error)
}

// readFile reads documents that were shared in the place of the run. It never
// touches the disk: a path is only a name to it.
type readFile struct{ docs Documents }

// NewReadFile returns the read_file tool.
func NewReadFile(docs Documents) tool.Tool { return readFile{docs} }

// Bounds of one reading.
const (
	maxPassages = 20
	maxListed   = 30
)

const readFileWords = `Reads a document that was shared here, passage by passage. Without file it lists the documents. Give the name or id of one, and from where to read on: the passages are numbered from 1. To find something inside documents, the passages in your context are usually enough.`

// Spec implements tool.Tool.
func (readFile) Spec() tool.Spec {
	return tool.Spec{
		Name:        "read_file",
		Title:       phrase.Of("builtin.doing.file"),
		Description: readFileWords,
		Parameters: json.RawMessage(`{"type":"object","properties":{
			"file":{"type":"string","maxLength":500,"description":"name or id of the document; leave out for a list"},
			"from":{"type":"integer","minimum":1,"description":"first passage, 1 if left out"},
			"count":{"type":"integer","minimum":1,"maximum":20,"description":"passages wanted, 10 if left out"}},
			"additionalProperties":false}`),
		Policy: tool.Policy{ReadOnly: true, Idempotent: true},
	}
}

// Call implements tool.Tool.
func (r readFile) Call(ctx context.Context, call tool.Call) (tool.Result, error) {
	args := struct {
		File  string `json:"file"`
		From  int    `json:"from"`
		Count int    `json:"count"`
	}{From: 1, Count: 10}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("decode arguments: %w", err)
	}
	docs, err := r.shared(ctx, call.Scopes)
	if err != nil {
		return tool.Result{}, err
	}
	if strings.TrimSpace(args.File) == "" {
		return list(docs), nil
	}
	doc, err := choose(docs, args.File)
	if err != nil {
		return tool.Result{}, err
	}
	return r.read(ctx, call.Scopes, doc, args.From, min(args.Count, maxPassages))
}

// shared lists the documents of the scopes. The index filters them; they are
// looked at once more here, since nothing else is between a model and them.
func (r readFile) shared(ctx context.Context, scopes []string) ([]rag.Document, error) {
	if len(scopes) == 0 {
		return nil, nil
	}
	docs, err := r.docs.Documents(ctx, scopes)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	return slices.DeleteFunc(docs, func(d rag.Document) bool { return !slices.Contains(scopes, d.Scope) }), nil
}

// choose finds the document that is meant: by id, by its whole name as it is written, by
// what people may make of that, by the last part of it. Of several the newest is taken, which
// comes first.
func choose(docs []rag.Document, file string) (rag.Document, error) {
	wanted := fold(strings.TrimSpace(file))
	base := fold(path.Base(strings.TrimSpace(file)))
	for _, matches := range []func(rag.Document) bool{
		func(d rag.Document) bool { return d.ID == file },
		func(d rag.Document) bool { return d.Source == strings.TrimSpace(file) },
		func(d rag.Document) bool { return d.Title == strings.TrimSpace(file) },
		func(d rag.Document) bool { return fold(d.Source) == wanted || fold(d.Title) == wanted },
		func(d rag.Document) bool { return fold(path.Base(d.Source)) == base },
	} {
		if i := slices.IndexFunc(docs, matches); i >= 0 {
			return docs[i], nil
		}
	}
	names := make([]string, len(docs))
	for i, d := range docs {
		names[i] = d.Source
	}
	hint := "Call read_file without file for the list."
	if near, ok := tool.Nearest(file, names); ok {
		hint = fmt.Sprintf("Did you mean %q?", near)
	}
	return rag.Document{}, &tool.Error{
		Code:   "not_found",
		Model:  fmt.Sprintf("No document %q is shared here. %s Files of the computer cannot be read.", tool.Bound(file, 200), hint),
		People: phrase.Of("builtin.file.none"),
	}
}

func list(docs []rag.Document) tool.Result {
	if len(docs) == 0 {
		return tool.Result{Text: "No documents are shared here."}
	}
	var text strings.Builder
	for i, d := range docs {
		if i == maxListed {
			fmt.Fprintf(&text, "and %d more\n", len(docs)-maxListed)
			break
		}
		fmt.Fprintf(&text, "- %s (%s, %d passages, id %s)\n", tool.Bound(d.Source, 200), tool.Bound(d.Title, 200), d.Chunks, d.ID)
	}
	return tool.Result{Text: strings.TrimSpace(text.String())}
}

// read returns passages of a document.
func (r readFile) read(ctx context.Context, scopes []string, doc rag.Document, from, count int) (tool.Result, error) {
	if from > doc.Chunks {
		return tool.Result{}, bad(fmt.Sprintf("%s has %d passages; there is none from %d on.", doc.Source, doc.Chunks, from),
			phrase.Of("builtin.file.passages", doc.Chunks))
	}
	var text strings.Builder
	next := from
	for ; next < from+count && next <= doc.Chunks; next++ {
		chunk, owner, err := r.docs.Chunk(ctx, scopes, fmt.Sprintf("%s#%d", doc.ID, next-1))
		if errors.Is(err, rag.ErrNotFound) || (err == nil && !slices.Contains(scopes, owner.Scope)) {
			return tool.Result{}, &tool.Error{
				Code: "not_found", Model: "The document was removed while it was read.",
				People: phrase.Of("builtin.file.gone"), Err: err,
			}
		}
		if err != nil {
			return tool.Result{}, fmt.Errorf("read passage %d of %s: %w", next, doc.ID, err)
		}
		part := passage(next, chunk)
		if text.Len() > 0 && text.Len()+len(part) > tool.MaxShown-500 {
			break
		}
		text.WriteString(part)
	}
	head := fmt.Sprintf("%s, passages %d to %d of %d\n\n", tool.Bound(doc.Source, 200), from, next-1, doc.Chunks)
	tail := ""
	if next <= doc.Chunks {
		tail = fmt.Sprintf("[continue with from: %d]", next)
	}
	return tool.Result{Text: head + tool.Bound(text.String(), tool.MaxShown-500) + tail, Sources: []tool.Source{{Title: tool.Bound(doc.Title, 300)}}}, nil
}

// passage renders a chunk with its place.
func passage(n int, c rag.Chunk) string {
	place := strings.Join(c.Heading, " > ")
	if c.Page > 0 {
		place = strings.TrimSpace(fmt.Sprintf("p. %d %s", c.Page, place))
	}
	if place != "" {
		place = " (" + tool.Bound(place, 300) + ")"
	}
	return fmt.Sprintf("#%d%s\n%s\n\n", n, place, c.Text)
}
