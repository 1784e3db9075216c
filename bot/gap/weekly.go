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

// Weekly keeps the schedules of reports.
type Weekly interface {
	// Report has a channel's gaps reported to a person in a thread by a rule, once more or not twice; Unreport ends that and
	// reports whether there was such a schedule.
	Report(ctx context.Context, r calendar.Row) error
	Unreport(ctx context.Context, id string) (bool, error)
	// Zone names the time zone by which a person is told something at a place.
	Zone(ctx context.Context, t bot.Thread, u bot.User) (string, error)
}

// mondays are the times of reports.
const mondays = "0 9 * * 1"

// weekly begins or ends the reports of a channel to a person, in their direct messages.
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
		return nil, fmt.Errorf("keep a report: %w", err)
	}
	gs.Rules.Audit(ctx, c.Thread, c.User, "scheduled.add", map[string]any{"schedule": id})
	return told(phrase.Say(lang, "gap.weekly_on"), lang).Card, nil
}

// Report is the report of a channel as an answer.
func (gs *Gaps) Report(ctx context.Context, channel bot.Thread, lang string) (string, []bot.Button, error) {
	card, err := gs.card(ctx, channel, lang)
	if err != nil {
		return "", nil, err
	}
	return "**" + card.Title + "**\n\n" + card.Text, card.Buttons, nil
}
