package main

import (
	"context"
	"fmt"

	"maru/agent/chat"
	"maru/bot"
	"maru/memory/longterm/episode"
)

// pastMessages bounds the messages of a thread that are looked through: the
// newest count.
const pastMessages = 1000

// past is the record's transcripts as the chat agent asks for them.
type past struct{ record bot.Record }

var _ chat.Past = past{}

// Earlier implements chat.Past. Only people's own messages count: an answer may
// hold what documents said, which has permissions of its own.
func (p past) Earlier(ctx context.Context, thread, question string, limit int) ([]chat.Said, error) {
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
	var out []chat.Said
	for _, h := range episode.New(turns).Search(question, limit) {
		back, err := p.record.Note(ctx, bot.UnsaidNote(h.Turn.ID))
		if err != nil {
			return nil, fmt.Errorf("read what was taken back: %w", err)
		}
		if back == "" {
			out = append(out, chat.Said{ID: h.Turn.ID, Author: h.Turn.Speaker, Text: h.Turn.Text, At: h.Turn.At, Score: h.Score})
		}
	}
	return out, nil
}
