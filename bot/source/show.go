package source

import (
	"context"
	"fmt"
	"strings"
	"time"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/markdown"
	"maru/phrase/when"
	"maru/rag/source"
)

// shownItems limits the unreadable items listed with their reasons.
const shownItems = 15

// list shows every source with its state.
func (s *Sources) list(ctx context.Context, rows []source.Row, lang string, zone *time.Location) (*bot.Card, error) {
	card := &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "source.title"), Language: lang, Final: true, Own: true, Footer: phrase.Say(lang, "source.how")}
	var lines []string
	for _, r := range rows {
		n, err := s.Store.CountItems(ctx, r.Name)
		if err != nil {
			return nil, fmt.Errorf("count items: %w", err)
		}
		lines = append(lines, fit.Dots("- `"+r.Name+"` "+fit.Literal(fit.Visible(phrase.MomentWords(where(r)))), readers(r, lang), s.state(r, n, lang, zone)))
	}
	if card.Text = strings.Join(lines, "\n"); card.Text == "" {
		card.Text = phrase.Say(lang, "source.none")
	}
	return card, nil
}

// one shows a source and, if the asker may see every item's name, the items that could not be read.
func (s *Sources) one(ctx context.Context, r source.Row, operator bool, lang string, zone *time.Location) (*bot.Card, error) {
	card, err := s.list(ctx, []source.Row{r}, lang, zone)
	if err != nil || r.Spec.Confidential() && !operator {
		return card, err
	}
	bad, err := s.Store.SourceItems(ctx, r.Name, source.Query{States: []source.State{source.Refused, source.Failed, source.Parked}, Limit: shownItems + 1})
	if err != nil {
		return nil, fmt.Errorf("list items: %w", err)
	}
	for i, e := range bad {
		if i == shownItems {
			card.Text += "\n" + phrase.Say(lang, "source.more")
			break
		}
		card.Text += "\n  - " + why(e.Why, lang)
	}
	return card, nil
}

// why shows a reason, which may quote titles, paths and words of a server.
func why(text source.Why, lang string) string {
	return markdown.Reveal(fit.Clip(fit.OneLine(fit.Visible(text.In(lang))), 300))
}

// where returns the display name of a source.
func where(r source.Row) string {
	switch r.Spec.Kind {
	case source.Git:
		return fit.Dots(r.Spec.URL, r.Spec.Folder)
	case source.GitHub:
		return fit.Dots(r.Spec.URL, "issues")
	case source.MCP:
		return "MCP " + r.Spec.Server
	}
	return r.Spec.URL
}

// readers describes who reads a source's documents.
func readers(r source.Row, lang string) string {
	if r.Spec.Kind == source.Drive {
		return phrase.Say(lang, "source.for_each")
	}
	switch {
	case r.Spec.Scope == bot.ScopePublic:
		return phrase.Say(lang, "source.for_all")
	case strings.HasPrefix(r.Spec.Scope, "team:"):
		return phrase.Say(lang, "source.for_workspace")
	}
	return phrase.Say(lang, "source.for_channel")
}

// state describes a source's state in one line.
func (s *Sources) state(r source.Row, n map[source.State]int, lang string, zone *time.Location) string {
	p := r.Progress
	parts := []string{phrase.Say(lang, "source.documents", n[source.Synced])}
	if bad := n[source.Refused] + n[source.Failed]; bad > 0 {
		parts = append(parts, phrase.Say(lang, "source.unread", bad))
	}
	if n[source.Parked] > 0 {
		parts = append(parts, "⚠️ "+phrase.Say(lang, "source.parked", n[source.Parked], r.Name))
	}
	if n[source.Restricted] > 0 {
		parts = append(parts, phrase.Say(lang, "source.restricted", n[source.Restricted]))
	}
	if r.Spec.Kind == source.Drive && p.Sweep > 0 && s.Now().Sub(p.Rights) > source.RightsHold {
		parts = append(parts, "⚠️ "+phrase.Say(lang, "source.rights_over"))
	}
	if p.Limited {
		parts = append(parts, phrase.Say(lang, "source.limited", r.Spec.Pages))
	}
	switch {
	case r.Removed:
		parts = append(parts, phrase.Say(lang, "source.removing"))
	case r.Left:
		parts = append(parts, phrase.Say(lang, "source.left_short"))
	case r.Paused:
		parts = append(parts, phrase.Say(lang, "source.paused"))
	case p.Why != nil:
		parts = append(parts, "⚠️ "+why(p.Why, lang), phrase.Say(lang, "source.again", when.Local(p.Due, lang, zone)))
	case p.Phase == source.Listing || p.Sweep == 0:
		parts = append(parts, phrase.Say(lang, "source.listing"))
	case p.Phase == source.Fetching:
		parts = append(parts, phrase.Say(lang, "source.fetching", n[source.Pending]))
	default:
		if r.Spec.Kind == source.Website && n[source.Synced]+n[source.Refused]+n[source.Failed]+n[source.Parked]+n[source.Restricted] == 0 {
			parts = append(parts, "⚠️ "+phrase.Say(lang, "source.nothing"))
		}
		parts = append(parts, phrase.Say(lang, "source.done", when.Local(p.Done, lang, zone)))
	}
	return fit.Dots(parts...)
}
