// Package share moves documents between a channel and its workspace: [Sharing.Document]. It rejects changes that
// would be undone or reach too far: documents kept in sync by a source, and conversations outside of workspaces
// ([Sharing.Check]). It must not know how commands are written or documents are found.
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

// Sharing changes the scopes of documents. It is safe for concurrent use.
type Sharing struct {
	Rules     *place.Rules
	Library   bot.Library
	Platforms bot.Platforms
}

// mover is a library's operation to change a document's scope.
type mover interface {
	Move(ctx context.Context, from, id, to string) (rag.Document, error)
}

// Check rejects a direct conversation outside of workspaces, as on Discord, where shared documents would be
// visible to everybody. The error is for people.
func (s Sharing) Check(t bot.Thread, lang string) error {
	if t.Direct && s.Platforms.Facts(t.Platform).GlobalAccounts {
		return &bot.Error{Code: bot.CodeNotAllowed, Say: phrase.Say(lang, "share.homeless")}
	}
	return nil
}

// Document moves a document from this channel to the whole workspace, or back. Both affect other people's
// searches, so only admins may do it.
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
	return bot.NewNotice(phrase.Say(lang, said, "**"+d.Title+"**", d.Source), lang), nil
}
