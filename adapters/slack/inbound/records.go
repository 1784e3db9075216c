package inbound

import (
	"context"

	"maru/adapters/slack/workspace"
	"maru/bot"
	"maru/bot/said"
	"maru/phrase/link"
)

// Records read earlier messages in every served workspace: they implement bot.Historian,
// bot.Linker, said.Searcher and said.Reader.
type Records struct{ in workspace.In[*Reader] }

var (
	_ bot.Historian = Records{}
	_ bot.Linker    = Records{}
	_ said.Searcher = Records{}
	_ said.Reader   = Records{}
)

// NewRecords returns Records over the readers that in resolves.
func NewRecords(in workspace.In[*Reader]) Records { return Records{in: in} }

// History implements bot.Historian.
func (r Records) History(ctx context.Context, t bot.Thread, before string, limit int) ([]bot.Message, error) {
	rd, err := r.in(ctx, "history", t.Team)
	if err != nil {
		return nil, err
	}
	return rd.past.History(ctx, t, before, limit)
}

// Links implements bot.Linker.
func (r Records) Links(text string) []string { return link.Pasted(text, permalink) }

// Linked implements bot.Linker with the token of the workspace where the URL was pasted.
func (r Records) Linked(ctx context.Context, m bot.Message, link string) (bot.Quote, error) {
	rd, err := r.in(ctx, "open link", m.Thread.Team)
	if err != nil {
		return bot.Quote{}, err
	}
	return rd.links.Linked(ctx, m, link)
}

// Said implements said.Searcher with the token of the workspace where it is asked.
func (r Records) Said(ctx context.Context, m bot.Message, q said.Query) (said.Found, error) {
	rd, err := r.in(ctx, "search", m.Thread.Team)
	if err != nil {
		return said.Found{}, err
	}
	return rd.findings.Said(ctx, m, q)
}

// Read implements said.Reader.
func (r Records) Read(ctx context.Context, m bot.Message, q said.Span) (said.Talk, error) {
	rd, err := r.in(ctx, "read", m.Thread.Team)
	if err != nil {
		return said.Talk{}, err
	}
	return rd.findings.Read(ctx, m, q)
}
