package gap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase"
	"maru/phrase/when"
)

// Weekly stores the schedules of reports.
type Weekly interface {
	// Report schedules reports on a channel's gaps for a person in a thread, by a rule; it is idempotent. Unreport
	// removes the schedule and reports whether there was one.
	Report(ctx context.Context, r calendar.Row) error
	Unreport(ctx context.Context, id string) (bool, error)
	// Zone returns the name of the time zone for messages to a person.
	Zone(ctx context.Context, t bot.Thread, u bot.User) (string, error)
}

// mondays is the rule of weekly reports.
const mondays = "0 9 * * 1"

// weekly starts or ends the reports on a channel in a person's direct messages.
func (gs *Gaps) weekly(ctx context.Context, c bot.Invocation, on bool, lang string) (*bot.Card, error) {
	sum := sha256.Sum256([]byte("gaps/" + calendar.Row{Thread: c.Thread}.Channel() + "/" + c.User.ID))
	id := hex.EncodeToString(sum[:10])
	direct, ok := gs.Adapters[c.Thread.Platform].(bot.Direct)
	switch {
	case gs.Weekly == nil || !ok && !c.Thread.Direct:
		return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "gap.no_direct")}
	case !on:
		if _, err := gs.Weekly.Unreport(ctx, id); err != nil {
			return nil, fmt.Errorf("end a report: %w", err)
		}
		return told(phrase.Say(lang, "gap.weekly_off"), lang).Card, nil
	}
	rule, err := when.ParseCron(mondays)
	if err != nil {
		return nil, fmt.Errorf("read the rule of reports: %w", err)
	}
	at := bot.Thread{Platform: c.Thread.Platform, Team: c.Thread.Team, Channel: c.Thread.Channel, Direct: true}
	if !c.Thread.Direct {
		if at, _, err = direct.OpenDirect(ctx, c.Thread, c.User); err != nil {
			return nil, fmt.Errorf("open a direct message: %w", err)
		}
	}
	zone, err := gs.Weekly.Zone(ctx, at, c.User)
	if err != nil {
		return nil, err
	}
	about := c.Thread
	about.ID = ""
	row := calendar.Row{
		ID: id, Thread: at, Owner: c.User, Kind: calendar.Ask, Text: phrase.Say(lang, "gap.schedule"), Rule: rule, Zone: zone,
		Lang: lang, Created: gs.Now(), Gaps: &about,
	}
	if err := gs.Weekly.Report(ctx, row); err != nil {
		return nil, fmt.Errorf("schedule report: %w", err)
	}
	gs.Rules.Audit(ctx, c.Thread, c.User, "scheduled.add", map[string]any{"schedule": id})
	return told(phrase.Say(lang, "gap.weekly_on"), lang).Card, nil
}

// Report formats a channel's report as an answer.
func (gs *Gaps) Report(ctx context.Context, channel bot.Thread, lang string) (string, []bot.Button, error) {
	card, err := gs.card(ctx, channel, lang)
	if err != nil {
		return "", nil, err
	}
	return "**" + card.Title + "**\n\n" + card.Text, card.Buttons, nil
}
