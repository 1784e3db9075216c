package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"maru/phrase"
	"maru/phrase/fit"
)

// auditShown is how many entries a card lists, auditRead how far back is looked.
const (
	auditShown = 20
	auditRead  = 5000
)

// cmdAudit lists the newest entries of the workspace's audit log that an
// [AuditFilter] chooses.
func (b *Bot) cmdAudit(ctx context.Context, c Invocation, lang string) (*Card, error) {
	want := c.Args
	if v := c.Options["filter"]; v != "" {
		want = v
	}
	filter, err := ReadAuditFilter(want, b.cfg.Now().In(b.cfg.Zone))
	if err != nil {
		return nil, &Error{Code: CodeBadCommand, Say: say(lang, "bot.the_filter_is_not_understood") + " " + say(lang, "bot.narrow_the_audit_log")}
	}
	list, err := b.cfg.Record.AuditTail(ctx, c.Thread.TeamKey(), auditRead)
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	var text strings.Builder
	chosen := 0
	for _, e := range list {
		if !filter.Fits(e) {
			continue
		}
		if chosen++; chosen <= auditShown {
			fmt.Fprintf(&text, "- %s `%s` %s %s\n", e.At.In(b.cfg.Zone).Format("01-02 15:04"), e.What, e.Who, clipDetail(string(e.Detail)))
		}
	}
	switch {
	case chosen == 0:
		text.WriteString(say(lang, "bot.no_entry_fits"))
	case chosen > auditShown:
		text.WriteString(say(lang, "bot.and_more", chosen-auditShown) + say(lang, "bot.narrow_the_audit_log"))
	}
	return &Card{
		Kind: CardNotice, Title: say(lang, "bot.audit_log"), Text: text.String(), Language: lang, Final: true,
		Footer: say(lang, "bot.operators_check_the_whole_chain"),
	}, nil
}

// clipDetail bounds one entry's detail on a card.
func clipDetail(s string) string {
	const most = 160
	if s = fit.Clip(s, most); s == "" || s == "null" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "`", "'") + "`"
}

// cmdStatus says what works and what waits here.
func (b *Bot) cmdStatus(ctx context.Context, c Invocation, lang string) (*Card, error) {
	set, err := b.settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	card := Card{Kind: CardNotice, Title: say(lang, "bot.status"), Language: lang, Final: true}
	add := func(label, value string) {
		card.Fields = append(card.Fields, Field{Label: say(lang, label), Value: value})
	}
	add("bot.agent", set.Agent)
	add("bot.running_here", fmt.Sprint(b.active.count(c.Thread)))
	n, oldest, err := b.cfg.Record.Pending(ctx, c.Thread.TeamKey())
	if err != nil {
		return nil, fmt.Errorf("count what waits: %w", err)
	}
	waits := fmt.Sprint(n)
	if n > 0 {
		waits += " (" + phrase.Span(b.cfg.Now().Sub(oldest).Round(time.Second)).In(lang) + ")"
	}
	add("bot.messages_in_the_queue", waits)
	if p, ok := b.adapters[c.Thread.Platform].(Prober); ok {
		state := say(lang, "bot.fine")
		if err := p.Ready(ctx); err != nil && !errors.Is(err, context.Canceled) {
			state = say(lang, "bot.in_trouble")
			b.log.WarnContext(ctx, "asked for the platform's state", "platform", c.Thread.Platform, "err", err)
		}
		add("bot.connection", state)
	}
	left, err := b.budgetOf(ctx, c.Thread, set)
	if err != nil {
		return nil, err
	}
	switch {
	case left.limit > 0 && left.money:
		add("bot.spent_today", fmt.Sprintf("%.4f / %.2f", left.spent, left.limit))
	case left.limit > 0:
		add("bot.tokens_used_today", thousands(int(left.spent))+" / "+thousands(int(left.limit)))
	}
	return &card, nil
}
