package command

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/audit"
	"maru/bot/audit/sentence"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
)

// auditShown is how many entries a card lists, auditRead how many are searched.
const (
	auditShown = 20
	auditRead  = 5000
)

func auditActions() []string { return []string{"list", "verify", "export"} }

// auditRequest is a parsed audit command.
type auditRequest struct {
	action string // one of [auditActions]
	filter string
}

// parseAudit parses `[list] FILTER | verify | export FILTER`, with the action before or
// after the filter, or a platform's typed options; "csv" means export.
func parseAudit(c bot.Invocation) auditRequest {
	words := strings.Fields(c.Args)
	if len(c.Options) > 0 {
		words = strings.Fields(c.Options["action"] + " " + c.Options["filter"])
	}
	action := func(w string) string {
		if choiceFor(w, usageForms()) == "csv" {
			return "export"
		}
		if w = choiceFor(w, auditActions()); slices.Contains(auditActions(), w) {
			return w
		}
		return ""
	}
	call := auditRequest{action: "list"}
	if n := len(words); n > 0 {
		if a := action(words[0]); a != "" {
			call.action, words = a, words[1:]
		} else if a := action(words[n-1]); a != "" {
			call.action, words = a, words[:n-1]
		}
	}
	call.filter = strings.Join(words, " ")
	return call
}

// AuditRecord is the part of the record that [Audit] needs.
type AuditRecord interface {
	AuditLog
	AuditTail(ctx context.Context, team string, limit int) ([]audit.Entry, error)
}

// Audit shows a workspace's audit log to its admins.
type Audit struct {
	rules     *place.Rules
	log       *slog.Logger
	record    AuditRecord
	platforms bot.Platforms
	now       func() time.Time
}

// today returns the time in a person's zone, in which their filters name days and the list shows times.
func (au *Audit) today(u bot.User) time.Time { return au.now().In(au.rules.ZoneOf(u)) }

// command lists the newest entries that match an [AuditFilter], exports all of them as a
// file, or verifies the log.
func (au *Audit) command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	call := parseAudit(c)
	filter, err := readAuditFilter(call.filter, au.today(c.User))
	if err != nil {
		return nil, au.filterError(c.Thread, lang)
	}
	switch call.action {
	case "verify":
		if call.filter != "" {
			return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.audit.verify_without_filter")}
		}
		return au.verify(ctx, c, lang)
	case "export":
		return au.file(ctx, c, call.filter, lang)
	}
	return au.list(ctx, c, filter, lang)
}

func (au *Audit) filterError(t bot.Thread, lang string) error {
	return &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "bot.audit.bad_filter") + " " + phrase.Say(lang, "bot.audit.filter_how", au.ownCommand(t))}
}

// ownCommand returns how the audit command is written on a thread's platform.
func (au *Audit) ownCommand(t bot.Thread) string {
	return commandText(au.platforms.Facts(t.Platform), bot.Command{Name: "audit", Admin: true})
}

// verify checks the hash chain of the workspace's whole audit log.
func (au *Audit) verify(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	proof, err := ProveAudit(ctx, au.record, c.Thread.TeamKey())
	if err != nil {
		return nil, err
	}
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.audit.title"), Language: lang, Final: true}
	switch {
	case proof.Lost:
		card.Text = phrase.Say(lang, "bot.audit.beginning_missing", proof.Broken)
	case proof.Broken != 0:
		card.Text = phrase.Say(lang, "bot.audit.broken", proof.Broken)
	case proof.Entries == 0:
		card.Text = phrase.Say(lang, "bot.audit.empty")
	default:
		card.Text = phrase.Say(lang, "bot.audit.intact", proof.Entries)
	}
	if proof.Broken != 0 {
		au.log.ErrorContext(ctx, "audit log chain broken", "team", c.Thread.TeamKey(), "entry", proof.Broken, "beginning_lost", proof.Lost)
	}
	if p := proof.Pruned; p.Total > 0 {
		card.Text += " " + phrase.Say(lang, "bot.audit.pruned", p.Total, p.Before.In(au.rules.ZoneOf(c.User)).Format(time.DateOnly))
	}
	return &card, nil
}

// file exports the matching entries as a file that only the caller sees.
func (au *Audit) file(ctx context.Context, c bot.Invocation, filter, lang string) (*bot.Card, error) {
	name, ok := auditFileName(au.today(c.User), filter)
	if !ok {
		return nil, au.filterError(c.Thread, lang)
	}
	file, n, err := au.export(ctx, c.Thread, c.User, name)
	if err != nil {
		return nil, err
	}
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.audit.title"), Language: lang, Final: true, Text: phrase.Say(lang, "bot.audit.no_match")}
	if n > 0 {
		card.Text, card.Files = phrase.Say(lang, "bot.audit.export", n), []bot.Artifact{file}
	}
	return &card, nil
}

// list shows the newest entries that match a filter.
func (au *Audit) list(ctx context.Context, c bot.Invocation, filter AuditFilter, lang string) (*bot.Card, error) {
	list, err := au.record.AuditTail(ctx, c.Thread.TeamKey(), auditRead)
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	var text strings.Builder
	var fits []audit.Entry
	chosen := 0
	for _, e := range list {
		if !filter.Fits(e) {
			continue
		}
		if chosen++; chosen <= auditShown {
			fits = append(fits, e)
		}
	}
	known := namesOf(au.platforms, c.Thread)
	known.find(ctx, actors(fits))
	for _, e := range fits {
		who := ""
		if e.Who != "" {
			who = known.of(e.Who)
		}
		line := fit.Dots(who, sentence.Of(e, lang, auditNames{known}), filterWords(e))
		text.WriteString("- " + string(place.Until(e.At, au.rules.ZoneOf(c.User))) + " " + phrase.MomentWords(line) + "\n")
	}
	switch {
	case chosen == 0:
		text.WriteString(phrase.Say(lang, "bot.audit.no_match"))
	case chosen > auditShown:
		text.WriteString(phrase.Say(lang, "bot.list.more", chosen-auditShown) + phrase.Say(lang, "bot.audit.filter_how", au.ownCommand(c.Thread)))
	}
	return &bot.Card{
		Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.audit.title"), Text: text.String(), Language: lang, Final: true, Own: true,
		Footer: phrase.Say(lang, "bot.audit.commands", au.ownCommand(c.Thread), au.ownCommand(c.Thread)),
	}, nil
}

// filterWords returns the words by which the command's filter and a settings command find an entry.
func filterWords(e audit.Entry) string {
	var set struct{ Key string }
	if json.Unmarshal(e.Detail, &set) == nil && strings.HasPrefix(e.What, "setting.") {
		return "`" + e.What + "` `" + fit.Quoted(set.Key, mostKey) + "`"
	}
	return "`" + e.What + "`"
}

// mostKey bounds the name of a setting, in characters.
const mostKey = 40

// auditNames names what entries of the audit log mention, in the form that commands accept.
type auditNames struct{ *names }

func (n auditNames) Person(id string) string { return n.of(id) }
func (auditNames) Channel(key string) string { return lastPart(key) }
func (auditNames) Team(key string) string    { return lastPart(key) }

// lastPart returns the ID at the end of a place's key.
func lastPart(key string) string { return bot.Unesc(key[strings.LastIndex(key, "/")+1:]) }

// actors returns the users of audit entries.
func actors(list []audit.Entry) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Who)
	}
	return out
}
