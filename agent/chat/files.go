package chat

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/phrase/fit"
	"maru/rag"
)

// A file sent with a question is its subject. The model gets it whole if it fits. A longer file is searched if the
// question asks for a detail, and read part by part, within a limit of calls, if the request is about the whole
// file.
const (
	wholeWidth = 48_000 // passages of one prompt, in half-width characters
	partWidth  = 40_000 // passages of one part, likewise
	maxParts   = 7      // parts read, with one model call each
)

// The part of its files that a message is about.
const (
	aboutWhole = "whole" // the whole file
	aboutPart  = "part"  // a detail in it
)

// readFiles loads the passages or notes that the message needs of its files.
func (a *Agent) readFiles(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	all, err := a.filePassages(ctx, x.Request)
	if err != nil {
		return nil, err
	}
	width := 0
	for _, h := range all {
		width += fit.Width(h.Chunk.Text)
	}
	if width <= wholeWidth {
		return a.given(x, all, aboutWhole), nil
	}
	about := a.ch.about.Get(s)
	if about != aboutWhole {
		q := rag.Query{Text: a.ch.question.Get(s), Scopes: x.Request.Scopes, Limit: a.cfg.Passages, Threshold: -1}
		if about != aboutPart { // undecided by the router: a file without matching passages is read whole
			q.Threshold = a.cfg.Threshold
		}
		hits, err := a.searchFiles(ctx, q, x.Request.Files)
		if err != nil || len(hits) > 0 {
			return a.given(x, hits, aboutPart), err
		}
	}
	notes, err := a.readParts(ctx, x, parts(all, width))
	if err != nil {
		return nil, err
	}
	return []graph.Write{a.ch.notes.Set(notes), a.ch.about.Set(aboutWhole)}, nil
}

// given returns the writes for passages of the files.
func (a *Agent) given(x *workflow.Exec, hits []rag.Hit, about string) []graph.Write {
	found := node.Sources(hits)
	x.Emit(agent.Event{Kind: agent.EventSources, Sources: found})
	return []graph.Write{a.ch.context.Set(found), a.ch.about.Set(about)}
}

// filePassages returns all passages of a request's files, in order.
func (a *Agent) filePassages(ctx context.Context, r agent.Request) ([]rag.Hit, error) {
	var out []rag.Hit
	for _, f := range r.Files {
		chunks, doc, err := a.cfg.Documents.Passages(ctx, r.Scopes, f.Document, 0, math.MaxInt32)
		if err != nil && !errors.Is(err, rag.ErrNotFound) { // errors other than a file removed meanwhile
			return nil, fmt.Errorf("read the file %s: %w", f.Document, err)
		}
		for _, c := range chunks {
			out = append(out, rag.Hit{Chunk: c, Document: doc})
		}
	}
	return out, nil
}

// parts divides passages into parts of equal size and at most this width.
func parts(all []rag.Hit, width int) [][]rag.Hit {
	n := (width + partWidth - 1) / partWidth
	out := make([][]rag.Hit, n)
	at := 0
	for _, h := range all {
		i := min(at*n/width, n-1)
		out[i], at = append(out[i], h), at+fit.Width(h.Chunk.Text)
	}
	return slices.DeleteFunc(out, func(p []rag.Hit) bool { return len(p) == 0 })
}

// readParts lets the model read parts one after the other and returns its notes. If there are more parts than
// calls, it reads a sample spread over the file, and the notes say so.
func (a *Agent) readParts(ctx context.Context, x *workflow.Exec, all [][]rag.Hit) (string, error) {
	read := min(len(all), maxParts)
	var notes []string
	if read < len(all) {
		notes = append(notes, fmt.Sprintf("(Only %d of %d parts, spread over all of it, could be read. Tell the person so.)", read, len(all)))
	}
	for i := range read {
		n := i * len(all) / read
		x.Doing("agent.reading_part", i+1, read)
		note, err := graph.Repeatable(ctx, fmt.Sprintf("part %d", n), func(ctx context.Context, _ string) (string, error) {
			return a.readPart(ctx, x, all[n], n+1, len(all))
		})
		if err != nil {
			return "", err
		}
		notes = append(notes, fmt.Sprintf("Part %d of %d:\n%s", n+1, len(all), note))
	}
	return strings.Join(notes, "\n\n"), nil
}

// maxNote limits the notes on a part, in characters.
const maxNote = 6000

func (a *Agent) readPart(ctx context.Context, x *workflow.Exec, part []rag.Hit, n, of int) (string, error) {
	var text strings.Builder
	for _, h := range part {
		text.WriteString(rag.Place(h) + "\n" + h.Chunk.Text + "\n\n")
	}
	system, err := host.Render(prompts(), promptPart, map[string]any{
		"Files": fileNames(x.Request.Files), "N": n, "Of": of, "Language": workflow.LanguageName(x.Request.Language),
	})
	if err != nil {
		return "", err
	}
	working, cancel := agent.Working(ctx, x.Request.Until)
	defer cancel()
	resp, err := x.Bind(a.cfg.Model).Generate(working, llm.Request{
		Purpose: llm.ForSummary, Temperature: a.cfg.Temperature,
		Messages: []llm.Message{
			{Role: llm.System, Content: system},
			{Role: llm.User, Content: "The request:\n" + x.Request.Text + "\n\nThe part of the file:\n" + strings.TrimSpace(text.String())},
		},
	}, nil)
	if err != nil {
		return "", err
	}
	return fit.Clip(strings.TrimSpace(resp.Message.Content), maxNote), nil
}
