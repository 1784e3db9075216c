// Package share moves documents between a channel and its workspace: [Sharing.Document]. It refuses what would undo itself or
// reach too far: documents that a source keeps in sync, and conversations of no workspace ([Sharing.Check]). It must not know
// how a command is written or who found the document.
package share

import (
	"context"
	"slices"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
	"maru/rag"
	"maru/rag/library"
)

// Sharing changes who finds a document. It is safe for concurrent use.
type Sharing struct {
	Rules     *place.Rules
	Library   bot.Library
	Platforms bot.Platforms
}

// mover is what a library can do that changes who reads a document.
type mover interface {
	Move(ctx context.Context, from, id, to string) (rag.Document, error)
}

// Check refuses a direct conversation that belongs to no workspace, as on Discord: what is shared there would be found in
// everybody's. The error is for people.
func (s Sharing) Check(t bot.Thread, lang string) error {
	if t.Direct && s.Platforms.Facts(t.Platform).GlobalAccounts {
		return &bot.Error{Code: bot.CodeNotAllowed, Say: phrase.Say(lang, "share.homeless")}
	}
	return nil
}

// Document gives a document of this channel to the whole workspace, or takes it back to this channel. Both change what others
// find, so an admin does it.
func (s Sharing) Document(ctx context.Context, c bot.Invocation, name string, back bool, lang string) (*bot.Card, error) {
	if err := s.Check(c.Thread, lang); err != nil {
		return nil, err
	}
	from, to, said := c.Thread.ChannelScope(), c.Thread.TeamScope(), "bot.docs.shared"
	if back {
		from, to, said = to, from, "bot.docs.unshared"
	}
	if !s.Rules.May(c.Thread, c.User, config.Admin) {
		return nil, &bot.Error{Code: bot.CodeNotAllowed, Say: phrase.Say(lang, "bot.docs.share_admin", place.Whom(config.Admin, lang))}
	}
	named := func(d rag.Document) bool { return d.ID == name || d.Source == name || d.Title == name }
	docs, err := s.Library.Documents(ctx, []string{from})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(docs, named)
	lib, ok := s.Library.(mover)
	if at < 0 || !ok {
		return nil, &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "bot.docs.not_here", name)}
	}
	d := docs[at]
	if library.Synced(d.By) {
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "share.synced", d.Title)}
	}
	there, err := s.Library.Documents(ctx, []string{to})
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
	s.Rules.Audit(ctx, c.Thread, c.User, "document.move", map[string]any{"document": d.ID, "from": from, "to": to, "as": moved.ID, "name": d.Source})
	return &bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: phrase.Say(lang, said, "**"+d.Title+"**", d.Source)}, nil
}
