package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"maru/config"
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
	var fits []AuditEntry
	chosen := 0
	for _, e := range list {
		if !filter.Fits(e) {
			continue
		}
		if chosen++; chosen <= auditShown {
			fits = append(fits, e)
		}
	}
	known := b.namesOf(c.Thread)
	known.find(ctx, actors(fits))
	for _, e := range fits {
		line := "- " + e.At.In(b.cfg.Zone).Format("01-02 15:04") + " `" + e.What + "`"
		if e.Who != "" {
			line += " · " + known.of(e.Who)
		}
		if detail := detailLine(e.Detail, lang); detail != "" {
			line += " · " + detail
		}
		text.WriteString(line + "\n")
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

// actors are those who did what entries tell of.
func actors(list []AuditEntry) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Who)
	}
	return out
}

// mostDetail bounds one entry's detail on a card.
const mostDetail = 160

// detailLine is an entry's detail on one line. A setting is told as what it was and
// is; of other things every field is, in the order in which they were noted.
func detailLine(raw json.RawMessage, lang string) string {
	var set struct {
		Key           string `json:"key"`
		Value, Before any
	}
	if json.Unmarshal(raw, &set) == nil && set.Key != "" && (set.Value != nil || set.Before != nil) {
		key, _, _ := config.KeyNamed(set.Key)
		return "`" + set.Key + "`: " + auditValue(key, set.Before, lang) + " → " + auditValue(key, set.Value, lang)
	}
	text := strings.Trim(fit.OneLine(string(raw)), "{}")
	if text == "" || text == "null" {
		return ""
	}
	return "`" + strings.NewReplacer("`", "'", `"`, "", ",", ", ", ":", ": ").Replace(fit.Clip(text, mostDetail)) + "`"
}

// auditValue is a setting's value in an entry, as people write it; there may be none.
func auditValue(key config.Key, v any, lang string) string {
	switch v := v.(type) {
	case nil:
		return say(lang, "bot.not_set")
	case bool:
		return shownValue(v, lang)
	case []any:
		var list []string
		for _, one := range v {
			list = append(list, fmt.Sprint(one))
		}
		return quoted(shownValue(list, lang), mostDetail)
	case string:
		if d, err := time.ParseDuration(v); err == nil && key.Kind == "time" {
			return quoted(key.Text(d), mostDetail)
		}
	}
	return quoted(key.Text(v), mostDetail)
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
