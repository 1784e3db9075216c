package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent/workflow"
	"maru/bot"
	"maru/memory/longterm/episode"
	"maru/phrase/correction"
)

// pastMessages bounds the messages of a thread that are looked through: the
// newest count.
const pastMessages = 1000

// past is the record's transcripts as the chat agent asks for them.
type past struct{ record bot.Record }

var _ workflow.Past = past{}

// Earlier implements workflow.Past. Only people's own messages count: an answer may
// hold what documents said, which has permissions of its own.
func (p past) Earlier(ctx context.Context, thread, question string, limit int) ([]workflow.Said, error) {
	entries, err := p.record.Transcript(ctx, thread, pastMessages)
	if err != nil {
		return nil, fmt.Errorf("read a thread's past: %w", err)
	}
	var turns []episode.Turn
	for _, e := range entries {
		if !e.Own && !e.Deleted && e.Text != "" {
			turns = append(turns, episode.Turn{ID: e.ID, Speaker: e.Author, Session: int(e.At.Unix() / (24 * 3600)), At: e.At, Text: e.Text})
		}
	}
	var out []workflow.Said
	for _, h := range withCorrections(turns, episode.New(turns).Search(question, limit)) {
		back, err := p.record.Note(ctx, bot.UnsaidNote(h.Turn.ID))
		if err != nil {
			return nil, fmt.Errorf("read what was taken back: %w", err)
		}
		if back == "" {
			out = append(out, workflow.Said{ID: h.Turn.ID, Author: h.Turn.Speaker, Text: h.Turn.Text, At: h.Turn.At, Score: h.Score})
		}
	}
	return out, nil
}

// withCorrections adds to what was found how its speaker put it right: "no, on Wednesday, not
// Tuesday" has hardly a word of the question, and without it what was wrong would be told.
func withCorrections(turns []episode.Turn, found []episode.Hit) []episode.Hit {
	var out []episode.Hit
	add := func(h episode.Hit) {
		if !slices.ContainsFunc(out, func(o episode.Hit) bool { return o.Turn.ID == h.Turn.ID }) {
			out = append(out, h)
		}
	}
	for _, h := range found {
		add(h)
		i := slices.IndexFunc(turns, func(t episode.Turn) bool { return t.ID == h.Turn.ID })
		text := h.Turn.Text
		for _, t := range turns[i+1:] {
			if was, is, ok := correction.Read(t.Text); ok && t.Speaker == h.Turn.Speaker && strings.Contains(text, was) {
				add(episode.Hit{Turn: t, Score: h.Score})
				text = is
			}
		}
	}
	return out
}
