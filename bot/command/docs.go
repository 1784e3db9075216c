package command

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/bot/share"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
)

func docActions() []string { return []string{"list", "remove", "share", "unshare"} }

// Docs lists, adds and removes the documents of a channel.
type Docs struct {
	rules   *place.Rules
	log     *slog.Logger
	library bot.Library
	zone    *time.Location
	maxFile int64 // bytes
	sharing share.Sharing
}

// command lists the documents readable here, or removes, shares or unshares one of this channel.
func (dc *Docs) command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	action, name, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	if v := c.Options["action"]; v != "" {
		action, name = v, c.Options["name"]
	}
	action, name = choiceFor(action, docActions()), unquote(name)
	if action == "" || action == "list" {
		return dc.list(ctx, c, name, lang)
	}
	if !slices.Contains(docActions(), action) {
		return nil, unknownChoice("docs", action, docActions(), lang)
	}
	if name == "" {
		return nil, &bot.Error{Code: bot.CodeEmpty, Say: phrase.Say(lang, "bot.docs.which")}
	}
	if err := dc.rules.MembersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	if action != "remove" {
		return dc.sharing.Document(ctx, c, name, action == "unshare", lang)
	}
	own := []string{c.Thread.ChannelScope()}
	docs, err := dc.library.Documents(ctx, own)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		if d.ID != name && d.Source != name && d.Title != name {
			continue
		}
		if _, err := dc.library.Remove(ctx, own, d.ID); err != nil {
			return nil, err
		}
		dc.rules.Audit(ctx, c.Thread, c.User, "document.remove", map[string]any{"document": d.ID, "name": d.Source})
		card := bot.Card{Kind: bot.CardNotice, Language: lang, Final: true,
			Text: phrase.Say(lang, "bot.docs.removed") + d.Source}
		return &card, nil
	}
	return nil, &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "bot.docs.no_such_name", name)}
}

// listed limits the documents on a card.
const listed = 30

// list shows the documents that can be read here and match narrow, such as
// "tag:hr since:2026-01".
func (dc *Docs) list(ctx context.Context, c bot.Invocation, narrow, lang string) (*bot.Card, error) {
	scopes, err := dc.rules.ScopesNow(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	all, err := dc.library.Documents(ctx, scopes)
	if err != nil {
		return nil, err
	}
	var docs []rag.Document
	q := rag.Narrow(rag.Query{Text: narrow}, dc.zone)
	filter, meant := q.Filter(), rag.Called(all, q.Names)
	for _, d := range all {
		if filter.Passes(d) && (len(q.Names) == 0 || slices.Contains(meant, d.ID)) {
			docs = append(docs, d)
		}
	}
	var text strings.Builder
	for i, d := range docs {
		if i == listed {
			text.WriteString(phrase.Say(lang, "bot.list.more", len(docs)-listed))
			break
		}
		fmt.Fprintf(&text, "- %s\n", docLine(d, lang))
	}
	for _, d := range docs[:min(len(docs), listed)] {
		if unread := bot.Unread(d, lang); unread != "" {
			fmt.Fprintf(&text, "\n**%s**: %s\n", d.Title, unread)
		}
	}
	if n := dc.countOutdated(docs); n > 0 {
		text.WriteString("\n" + phrase.Say(lang, "bot.docs.outdated", n) + "\n")
	}
	switch {
	case len(docs) == 0 && len(all) > 0:
		text.WriteString(phrase.Say(lang, "bot.docs.no_match"))
	case len(docs) == 0:
		text.WriteString(phrase.Say(lang, "bot.docs.none"))
	}
	if narrow == "" {
		text.WriteString(dc.refusedFiles(c, lang))
	}
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.docs.title"), Text: text.String(), Language: lang, Final: true}
	return &card, nil
}

// countOutdated counts the documents that an older version has read less well.
func (dc *Docs) countOutdated(docs []rag.Document) (n int) {
	r, ok := dc.library.(Rereader)
	for _, d := range docs {
		if ok && r.Outdated(d) {
			n++
		}
	}
	return n
}

// refusedListed limits the rejected files on a card.
const refusedListed = 10

// refusedFiles lists the unreadable files of the watched folder, for admins only; "" if
// there are none.
func (dc *Docs) refusedFiles(c bot.Invocation, lang string) string {
	f, ok := dc.library.(Follower)
	if !ok || !dc.rules.May(c.Thread, c.User, config.Admin) {
		return ""
	}
	refused := f.Refused(lang)
	if len(refused) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("\n\n" + phrase.Say(lang, "bot.docs.unread", len(refused)) + "\n")
	for i, why := range refused {
		if i == refusedListed {
			text.WriteString(phrase.Say(lang, "bot.list.more", len(refused)-refusedListed))
			break
		}
		text.WriteString("- " + fit.Quoted(why, 300) + "\n")
	}
	return text.String()
}

func docLine(d rag.Document, lang string) string {
	line := "**" + d.Title + "**"
	if d.Source != "" && d.Source != d.Title {
		line += " (" + d.Source + ")"
	}
	if d.Scope == bot.ScopePublic {
		line += phrase.Say(lang, "bot.docs.public")
	}
	if d.Scope == rag.ScopeSample {
		line += phrase.Say(lang, "bot.docs.sample")
	}
	for _, t := range d.Tags {
		line += " #" + t
	}
	return line
}
