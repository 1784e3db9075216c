package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// homeApprovals and homeRuns are how many questions and runs a page shows.
const (
	homeApprovals = 10
	homeRuns      = 5
)

// Home implements [bot.Homer].
func (pg *Pages) Home(ctx context.Context, t bot.Thread, u bot.User) ([]bot.Card, error) {
	lang := pg.rules.Language(ctx, t, u, "")
	inv := bot.Invocation{Thread: t, User: u}
	cards := []bot.Card{{
		Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.home.title"), Language: lang, Final: true,
		Text: phrase.Say(lang, "bot.home.intro"),
	}}
	own, err := pg.homeSettings(ctx, t, u, lang)
	if err != nil {
		return nil, err
	}
	waiting, err := pg.homeApprovals(ctx, t, u, lang)
	if err != nil {
		return nil, err
	}
	cards = append(append(cards, waiting...), own)
	if pg.memories.memory != nil {
		known, err := pg.memories.list(ctx, inv, lang)
		if err != nil {
			return nil, err
		}
		cards = append(cards, *known)
	}
	runs, err := pg.homeRuns(ctx, t, pg.rules.ZoneOf(u), lang)
	if err != nil {
		return nil, err
	}
	docs, err := pg.docs.list(ctx, inv, "", lang)
	if err != nil {
		return nil, err
	}
	return append(cards, runs, *docs), nil
}

// homeSettings shows the settings of the level person.
func (pg *Pages) homeSettings(ctx context.Context, t bot.Thread, u bot.User, lang string) (bot.Card, error) {
	u, err := pg.rules.EffectiveUser(ctx, t, u)
	if err != nil {
		return bot.Card{}, err
	}
	set, err := pg.rules.Settings(ctx, t, u)
	if err != nil {
		return bot.Card{}, err
	}
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.settings.mine"), Language: lang, Final: true}
	var s strings.Builder
	may := false
	for _, k := range config.Keys() {
		if k.Who[config.Person] == config.Nobody {
			continue
		}
		may = may || pg.rules.May(t, u, k.Who[config.Person])
		name, note, _ := strings.Cut(k.Help(lang), ": ") // "quiet hours: no unrequested messages"
		if note != "" {
			note = " — " + note
		}
		fmt.Fprintf(&s, "- %s: **%s** (%s)%s\n", name, settingText(k, set.Value(k.Name), lang), levelName(set.From[k.Name], lang), note)
	}
	card.Text = s.String()
	if may {
		card.Buttons = []bot.Button{{ID: ControlSettings, Verb: "edit." + config.Person.String(), Label: phrase.Say(lang, "bot.button.change")}}
	}
	return card, nil
}

// homeApprovals shows the questions of the workspace that this person may decide.
func (pg *Pages) homeApprovals(ctx context.Context, t bot.Thread, u bot.User, lang string) ([]bot.Card, error) {
	rows, err := pg.questions.WaitingFrom(ctx, t, u)
	if err != nil {
		return nil, err
	}
	var out []bot.Card
	for _, row := range rows {
		card, err := pg.questions.CardOf(ctx, row)
		if err != nil {
			return nil, err
		}
		if card != nil {
			out = append(out, *card)
		}
	}
	if n := len(out) - homeApprovals; n > 0 {
		out = append(out[:homeApprovals], bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: phrase.Say(lang, "bot.home.more_waiting", n)})
	}
	if len(out) == 0 {
		out = append(out, bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.approval.mine"), Language: lang, Final: true,
			Text: phrase.Say(lang, "bot.approval.none_mine")})
	}
	return out, nil
}

// homeRuns shows the last runs of a direct conversation.
func (pg *Pages) homeRuns(ctx context.Context, t bot.Thread, zone *time.Location, lang string) (bot.Card, error) {
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.home.runs"), Language: lang, Final: true, Own: true}
	list, err := pg.record.Threads(ctx, t.Platform, t.Team, t.Channel, homeRuns)
	if err != nil {
		return card, fmt.Errorf("read threads: %w", err)
	}
	var s strings.Builder
	for _, info := range list {
		runs, err := pg.record.RunsOf(ctx, info.Thread.Key(), 1)
		if err != nil {
			return card, fmt.Errorf("read runs: %w", err)
		}
		for _, r := range runs {
			at := place.Until(r.Started, zone)
			fmt.Fprintf(&s, "- %s — `%s`, %s\n", fit.Quoted(info.Title, 80), r.Agent, at)
			card.Leads = append(card.Leads, bot.Lead{Thread: info.Thread, Title: fit.Clip(fit.OneLine(fit.Visible(info.Title)), 80), Detail: r.Agent + ", " + place.Moment(r.Started, zone)})
		}
	}
	if card.Text = s.String(); card.Text == "" {
		card.Text = phrase.Say(lang, "bot.home.no_runs")
	}
	return card, nil
}
