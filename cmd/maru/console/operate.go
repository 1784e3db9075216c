package console

import (
	"cmp"
	"context"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/audit/sentence"
	"maru/bot/command"
	"maru/bot/tally"
	"maru/phrase"
)

var (
	_ site.Usage  = (*Desk)(nil)
	_ site.Audit  = (*Desk)(nil)
	_ site.Health = (*Desk)(nil)
)

// Used implements site.Usage.
func (d *Desk) Used(ctx context.Context, by bot.User, from, to string) ([]bot.Used, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	rows, err := tally.Read(ctx, d.cfg.Record, bot.UsageQuery{From: from, To: to}, d.cfg.Zone)
	if err != nil {
		return nil, err
	}
	direct, err := d.cfg.Record.Direct(ctx)
	if err != nil {
		return nil, err
	}
	people, err := d.cfg.Record.People(ctx, maxPeople)
	if err != nil {
		return nil, err
	}
	named := map[string]string{}
	for _, p := range people {
		if p.Name != "" && p.Name != p.User {
			named[p.User] = p.Name + " (" + p.User + ")"
		}
	}
	for i, u := range rows {
		if rows[i].User = cmp.Or(named[u.User], u.User); u.User == "owner" {
			rows[i].User = phrase.Say(by.Locale, "audited.owner")
		}
		if u.Channel != "" && privateChannel(u.Team, u.Channel, direct) {
			rows[i].Channel = site.PrivateChannel
		}
	}
	return rows, nil
}

// UsedModels implements site.Usage.
func (d *Desk) UsedModels(ctx context.Context, by bot.User, from, to string) ([]bot.Used, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	rows, err := d.cfg.Record.Usage(ctx, bot.UsageQuery{From: from, To: to, Models: true})
	for i, u := range rows {
		rows[i].Model, rows[i].Kind = tally.Model(u, by.Locale), bot.SpentOn(tally.Purpose(u.Kind, by.Locale))
	}
	return rows, err
}

// AuditTeams implements site.Audit.
func (d *Desk) AuditTeams(ctx context.Context, by bot.User) ([]string, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	return d.cfg.Record.AuditTeams(ctx)
}

// maxAudit bounds the entries among which is searched: the newest.
const maxAudit = 1000

// AuditEntries implements site.Audit.
func (d *Desk) AuditEntries(ctx context.Context, by bot.User, from bot.Thread, f site.AuditFilter) ([]site.AuditEntry, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	tail, err := d.cfg.Record.AuditTail(ctx, f.Team, maxAudit)
	if err != nil {
		return nil, err
	}
	known, err := namesIn(ctx, d, by, f.Team)
	if err != nil {
		return nil, err
	}
	f.Who = known.id(f.Who)
	filter := command.AuditFilter{Who: f.Who, What: f.What, Words: f.Words, Since: f.Since}
	kept := tail[:0]
	for _, e := range tail {
		if filter.Fits(e) {
			kept = append(kept, e)
		}
	}
	known = known.placed(ctx, d, by, from, func(n names) {
		for _, e := range kept {
			sentence.Of(e, by.Locale, n)
		}
	})
	var out []site.AuditEntry
	for _, e := range kept {
		out = append(out, site.AuditEntry{
			Seq: e.Seq, At: e.At, Who: known.Person(e.Who), ID: e.Who, Words: sentence.Of(e, by.Locale, known), What: e.What, Detail: string(e.Detail), Hash: e.Hash,
		})
	}
	return out, nil
}

// Prove implements site.Audit.
func (d *Desk) Prove(ctx context.Context, by bot.User, team string) (string, bool, error) {
	if err := allowed(by); err != nil {
		return "", false, err
	}
	proof, err := command.ProveAudit(ctx, d.cfg.Record, team)
	if err != nil {
		return "", false, err
	}
	switch lang := by.Locale; {
	case proof.Lost:
		return phrase.Say(lang, "bot.audit.beginning_missing", proof.Broken), false, nil
	case proof.Broken != 0:
		return phrase.Say(lang, "bot.audit.broken", proof.Broken), false, nil
	case proof.Entries == 0:
		return phrase.Say(lang, "bot.audit.empty"), true, nil
	default:
		return phrase.Say(lang, "bot.audit.intact", proof.Entries), true, nil
	}
}

// Examine implements site.Health.
func (d *Desk) Examine(ctx context.Context, by bot.User, from bot.Thread) (bot.Card, error) {
	card, err := d.Command(ctx, bot.Invocation{Name: "doctor", Thread: from, User: by, ID: "health", At: d.cfg.Now()})
	if err != nil || card == nil {
		return bot.Card{}, err
	}
	return *card, nil
}

// zoneOf returns the time zone of usage's days.
func zoneOf(z *time.Location) *time.Location {
	if z == nil {
		return time.UTC
	}
	return z
}
