package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/phrase/when"
)

// actions lists the actions of "/maru schedule"; the command table has the same.
func actions() []string {
	return []string{"list", "add", "pause", "resume", "run", "delete", "enable", "disable"}
}

// listed limits the schedules in a list.
const listed = 30

// Command carries out "/maru schedule".
func (s *Schedules) Command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	args := strings.TrimSpace(c.Args)
	if len(c.Options) > 0 { // a platform that has typed options also joins them
		args = strings.TrimSpace(c.Options["action"] + " " + c.Options["what"])
	}
	word, rest, _ := strings.Cut(args, " ")
	do := phrase.Choice(word, "schedule.also.", actions()...)
	rest = strings.TrimSpace(rest)
	if do == "" && args != "" { // "/maru schedule every Monday at 9 post …"
		do, rest = "add", args
	}
	if err := s.Rules.MembersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	switch do {
	case "", "list":
		return s.list(ctx, c, lang)
	case "add":
		if f, ok := s.Adapters[c.Thread.Platform].(bot.Forms); ok && rest == "" && c.Trigger != "" {
			return nil, f.OpenForm(ctx, c.Trigger, *form(calendar.Row{}, lang))
		}
		if rest == "" { // the form opens by a click
			card := told(phrase.Say(lang, "schedule.how"), lang).Card
			card.Buttons = []bot.Button{{ID: Control + fresh, Verb: "edit", Label: phrase.Say(lang, "schedule.button.form"), Style: bot.ButtonPrimary}}
			return card, nil
		}
		return s.add(ctx, c, rest, lang)
	case "enable":
		return s.enable(ctx, c, rest, lang)
	case "disable":
		return s.disable(ctx, c, rest, lang)
	}
	r, err := s.find(ctx, c, rest)
	if err != nil {
		return nil, err
	}
	if !s.mayChange(r, c.Thread, c.User) {
		return nil, &bot.Error{Code: bot.CodeNotAllowed}
	}
	text, err := s.change(ctx, r, do, c.User, lang)
	if err != nil {
		return nil, err
	}
	return told(text, lang).Card, nil
}

// find returns the row of the channel or person whose ID starts with a word.
func (s *Schedules) find(ctx context.Context, c bot.Invocation, word string) (calendar.Row, error) {
	rows, err := s.rows(ctx, c)
	if err != nil {
		return calendar.Row{}, err
	}
	word = strings.ToLower(strings.Trim(word, "` "))
	found := slices.DeleteFunc(rows, func(r calendar.Row) bool { return word == "" || !strings.HasPrefix(r.ID, word) })
	if len(found) != 1 {
		return calendar.Row{}, &bot.Error{Code: bot.CodeNotFound}
	}
	return found[0], nil
}

func (s *Schedules) rows(ctx context.Context, c bot.Invocation) ([]calendar.Row, error) {
	rows, err := s.Store.Schedules(ctx, calendar.Row{Thread: c.Thread}.Channel(), c.Thread.TeamKey(), c.User.ID, listed)
	if err != nil {
		return nil, fmt.Errorf("list schedules: %w", err)
	}
	return slices.DeleteFunc(rows, func(r calendar.Row) bool { // a person's own of other channels are shown to them in private
		return r.Channel() != (calendar.Row{Thread: c.Thread}).Channel() && r.Owner.ID != c.User.ID
	}), nil
}

// list shows the schedules of the channel, and the caller's own.
func (s *Schedules) list(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	rows, err := s.rows(ctx, c)
	if err != nil {
		return nil, err
	}
	return &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "schedule.title"), Text: s.lines(rows, lang), Language: lang, Final: true, Own: true, Footer: phrase.Say(lang, "schedule.how")}, nil
}

// lines lists schedules.
func (s *Schedules) lines(rows []calendar.Row, lang string) string {
	var lines []string
	for _, r := range rows {
		line := "- `" + short(r, rows) + "` **" + r.Rule.Words(lang, zoneOf(r)) + "** (" + zoneName(r, s.Now()) + "): " + literal(fit.Clip(fit.OneLine(r.Text), 100))
		if r.State == calendar.Paused {
			line += " · " + fit.Dots(phrase.Say(lang, "schedule.state_paused"), phrase.MomentWords(r.Why))
		} else {
			line += " · " + phrase.Say(lang, "schedule.next", when.Local(r.Due, lang, zoneOf(r)))
		}
		lines = append(lines, fit.Dots(line, literal(r.Owner.Name)))
	}
	if len(lines) == 0 {
		return phrase.Say(lang, "schedule.none")
	}
	return strings.Join(lines, "\n")
}

// short returns the shortest unique prefix of a row's ID.
func short(r calendar.Row, rows []calendar.Row) string {
	n := 4
	for n < len(r.ID) && slices.ContainsFunc(rows, func(o calendar.Row) bool { return o.ID != r.ID && strings.HasPrefix(o.ID, r.ID[:n]) }) {
		n++
	}
	return r.ID[:min(n, len(r.ID))]
}

// toAsker opens what follows "/maru remind" where it names who is reminded. US is a country, and "me and Bob" are others.
var toAsker = pattern.New(`^(?:[Mm]e|[Uu]s)\s+(?:[^ao]|a[^n]|an[^d]|o[^r])`)

// add stores a schedule given in words, or as a cron expression with text; repeating ones are confirmed first.
func (s *Schedules) add(ctx context.Context, c bot.Invocation, text, lang string) (*bot.Card, error) {
	r := s.fresh(s.NewID(), c.Thread, c.User, lang)
	r.Channels = c.Channels
	set, err := s.Rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	zone := s.Rules.ZoneFor(set, c.User, c.Thread.Direct)
	r.Kind, r.State = calendar.Ask, calendar.Draft
	if toAsker.MatchString(text) { // "/maru remind me tomorrow to …"
		text = "remind " + text
	}
	if r.Rule, r.Text, err = cronAhead(text); err != nil {
		wish, read, by, ok := s.wishOf(text, s.Now(), c.Thread, c.User, set)
		zone = by
		if read.Err != nil || !read.Found {
			if !read.Found && !ok {
				read.Err = when.ErrTime
			}
			if errors.Is(err, when.ErrCron) && !read.Found && looksCron(text) {
				return s.refused(when.ErrCron, lang), nil
			}
			return s.refused(read.Err, lang), nil
		}
		r.Rule, r.Text = read.Rule, read.Rest
		if ok && wish.Reminds {
			r.Kind, r.Text = calendar.Remind, wish.Body
		} else if !ok && !r.Rule.Repeats() && !intent.Request(read.Rest) {
			r.Kind = calendar.Remind // "/maru schedule tomorrow 3pm stand-up"
		}
	}
	r.Zone, r.Text = zone.String(), fit.Clip(bodyOr(r.Text, lang), maxText)
	if err := r.Rule.Check(s.Now(), zone, s.Least); err != nil {
		return s.refused(err, lang), nil
	}
	if !r.Rule.Repeats() {
		text, err := s.change(ctx, r, "confirm", c.User, lang)
		card := told(s.waits(r, lang, text), lang).Card
		card.Buttons = []bot.Button{button(r, "delete", lang), button(r, "edit", lang)}
		return card, err
	}
	if err := s.keep(ctx, r); refusable(err) {
		return s.refused(err, lang), nil
	} else if err != nil {
		return nil, fmt.Errorf("store draft: %w", err)
	}
	card := told(s.waits(r, lang, phrase.Say(lang, "schedule.ask", described(r, lang, s.Now()))), lang).Card
	card.Buttons = []bot.Button{button(r, "confirm", lang), button(r, "edit", lang), button(r, "cancel", lang)}
	return card, nil
}

// refused returns the card of a command that schedules nothing.
func (s *Schedules) refused(err error, lang string) *bot.Card {
	card := told(s.refusal(err, lang), lang).Card
	card.Failed = true
	return card
}

// looksCron reports whether a text begins like a cron expression, quoted or not.
func looksCron(text string) bool {
	f := strings.Fields(strings.TrimLeft(text, quotes))
	return len(f) >= 5 && !strings.ContainsFunc(strings.Join(f[:3], ""), func(r rune) bool { return !strings.ContainsRune("0123456789*/,-", r) })
}

// cronAhead reads a cron expression at the beginning of a text, and the rest.
func cronAhead(text string) (when.Rule, string, error) {
	if expr, rest, ok := cutQuoted(text); ok {
		rule, err := when.ParseCron(expr)
		return rule, rest, err
	}
	f := strings.Fields(text)
	if len(f) > 0 && strings.HasPrefix(f[0], "@") {
		rule, err := when.ParseCron(f[0])
		return rule, strings.Join(f[1:], " "), err
	}
	if len(f) < 5 {
		return when.Rule{}, text, when.ErrCron
	}
	rule, err := when.ParseCron(strings.Join(f[:5], " "))
	return rule, strings.Join(f[5:], " "), err
}

// quotes are what people put around a cron expression, as in a shell.
const quotes = "\"'`“”‘’"

// cutQuoted returns the quoted words at the beginning of a text, and what follows them.
func cutQuoted(text string) (quoted, rest string, ok bool) {
	inner := strings.TrimLeft(text, quotes)
	at := strings.IndexAny(inner, quotes)
	if len(inner) == len(text) || at < 0 {
		return "", "", false
	}
	return inner[:at], strings.Trim(inner[at:], quotes+" "), true
}
