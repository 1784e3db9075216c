package slack

import (
	"context"

	"maru/adapters/slack/workspace"
	"maru/bot"
)

// records read what was said before, in every workspace that is served: they implement
// bot.Historian and bot.Linker.
type records struct {
	past  workspace.In[*past]
	links workspace.In[*links]
}

var (
	_ bot.Historian = records{}
	_ bot.Linker    = records{}
)

// newRecords reads with what past and links find.
func newRecords(past workspace.In[*past], links workspace.In[*links]) records {
	return records{past: past, links: links}
}

// History implements bot.Historian.
func (r records) History(ctx context.Context, t bot.Thread, before string, limit int) ([]bot.Message, error) {
	p, err := r.past(ctx, "history", t.Team)
	if err != nil {
		return nil, err
	}
	return p.History(ctx, t, before, limit)
}

// Links implements bot.Linker.
func (r records) Links(text string) []string { return bot.LinksIn(text, permalink) }

// Linked implements bot.Linker: an address is opened with the token of the workspace
// in which it was pasted.
func (r records) Linked(ctx context.Context, m bot.Message, link string) (bot.Quote, error) {
	l, err := r.links(ctx, "open link", m.Thread.Team)
	if err != nil {
		return bot.Quote{}, err
	}
	return l.Linked(ctx, m, link)
}
