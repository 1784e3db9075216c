package command

import (
	"context"
	"slices"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
	"maru/rag"
)

// mover is what a library can do that changes who reads a document.
type mover interface {
	Move(ctx context.Context, from, id, to string) (rag.Document, error)
}

// share gives a document of this channel to the whole workspace, or takes it back to this channel. Both change what others
// find, so an admin does it.
func (dc *Docs) share(ctx context.Context, c bot.Invocation, name string, back bool, lang string) (*bot.Card, error) {
	from, to, said := c.Thread.ChannelScope(), c.Thread.TeamScope(), "bot.docs.shared"
	if back {
		from, to, said = to, from, "bot.docs.unshared"
	}
	if !dc.rules.May(c.Thread, c.User, config.Admin) {
		return nil, &bot.Error{Code: bot.CodeNotAllowed, Say: phrase.Say(lang, "bot.docs.share_admin", place.Whom(config.Admin, lang))}
	}
	named := func(d rag.Document) bool { return d.ID == name || d.Source == name || d.Title == name }
	docs, err := dc.library.Documents(ctx, []string{from})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(docs, named)
	lib, ok := dc.library.(mover)
	if at < 0 || !ok {
		return nil, &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "bot.docs.not_here", name)}
	}
	d := docs[at]
	there, err := dc.library.Documents(ctx, []string{to})
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(there, func(o rag.Document) bool { return o.Source == d.Source }) {
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.docs.taken", d.Source)}
	}
	moved, err := lib.Move(ctx, from, d.ID, to)
	if err != nil {
		return nil, err
	}
	dc.rules.Audit(ctx, c.Thread, c.User, "document.move", map[string]any{"document": d.ID, "from": from, "to": to, "as": moved.ID, "name": d.Source})
	return &bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: phrase.Say(lang, said, "**"+d.Title+"**", d.Source)}, nil
}
