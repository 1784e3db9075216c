package schedule

import (
	"context"
	"errors"
	"slices"
	"strings"

	"maru/bot"
	"maru/bot/calendar"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/when"
)

// mine stands for all of a person's schedules in a channel, as the ID of a button.
const mine = "mine"

// choices is how many schedules a question which one is meant has buttons for.
const choices = 5

// manage carries out a wish about schedules that are there, in words. text is "" if the message is none, or if no schedule is known
// that it could mean and it does not call it a reminder. "Change it to an hour" is about something that takes so long.
func (s *Schedules) manage(ctx context.Context, m bot.Message, lang string, set config.Resolved) (text string, buttons []bot.Button, err error) {
	w, ok := intent.ManagesSchedules(m.Text)
	_, span := when.Span(w.To)
	long := span && w.Sets
	if !ok || w.Do == intent.MoveSchedules && w.Bare && (long || !when.Names(w.To)) { // "make it shorter", "영어로 바꿔줘"
		return "", nil, nil
	}
	if text, buttons, err = s.again(ctx, m, lang); text != "" || err != nil {
		return text, buttons, err
	}
	rows, err := s.here(ctx, m.Thread, m.User)
	if err != nil {
		return "", nil, err
	}
	if w.Do == intent.ListSchedules {
		if len(rows) == 0 && !w.Named {
			return "", nil, nil
		}
		return s.lines(rows, lang), nil, nil
	}
	rows = slices.DeleteFunc(rows, func(r calendar.Row) bool { return !s.mayChange(r, m.Thread, m.User) })
	found := meant(rows, w, m)
	timed := w.Do != intent.MoveSchedules || when.Read(w.To, m.At).Found || when.Names(w.To)
	switch {
	case len(found) == 0 && !w.Named, !timed && (len(found) == 0 || !w.Named || w.About == ""): // "change the reminder to German"
		return "", nil, nil
	case len(found) == 0:
		return phrase.Say(lang, "schedule.unknown") + "\n\n" + s.lines(rows, lang), nil, nil
	}
	if err := s.Rules.MembersOnly(ctx, m.Thread, m.User, lang); err != nil {
		return "", nil, err
	}
	unsure := w.All && !w.Named || w.About == "" && w.Do != intent.MoveSchedules && !spokenOf(found[0], m) // "silence the alarm"
	if len(found) > 1 || unsure {
		return s.which(found, w, m.User, lang)
	}
	if w.Do == intent.MoveSchedules {
		return s.move(ctx, found[0], w, m, lang)
	}
	return s.once(ctx, found[0], string(w.Do), m, lang)
}

// here lists the schedules of a channel. A person's own of other channels are not for those who read an answer.
func (s *Schedules) here(ctx context.Context, t bot.Thread, u bot.User) ([]calendar.Row, error) {
	rows, err := s.rows(ctx, bot.Invocation{Thread: t, User: u})
	return slices.DeleteFunc(rows, func(r calendar.Row) bool { return r.Channel() != (calendar.Row{Thread: t}).Channel() }), err
}

// meant are the schedules that a wish may mean: those that say its words, or else the last that the person made in the conversation.
// Without either, all of the person's that are called reminders: which one is asked. What no noun calls is only of the conversation.
func meant(rows []calendar.Row, w intent.ScheduleChange, m bot.Message) []calendar.Row {
	if w.About != "" {
		return slices.DeleteFunc(slices.Clone(rows), func(r calendar.Row) bool {
			return w.Bare && !spokenOf(r, m) || !says(r.Text, w.About) && !when.Called(w.About, r.Due, m.At.In(zoneOf(r)))
		})
	}
	own := slices.DeleteFunc(slices.Clone(rows), func(r calendar.Row) bool { return r.Owner.ID != m.User.ID })
	if w.All {
		return own
	}
	here := slices.DeleteFunc(slices.Clone(own), func(r calendar.Row) bool { return !spokenOf(r, m) })
	switch {
	case len(here) > 0 && (!top(m) || len(here) == 1):
		last := slices.MaxFunc(here, func(a, b calendar.Row) int { return a.Created.Compare(b.Created) })
		return []calendar.Row{last}
	case w.Named:
		return own
	}
	return nil
}

// top reports whether a message is at the top level, where one conversation follows another.
func top(m bot.Message) bool {
	return m.Top || m.Thread.ID == "" || m.Thread.Direct && m.Thread.ID == m.ID
}

// spokenOf reports whether a schedule was made in the conversation of a message, or is said there: in the same thread, in that below the
// message that asked for it, or not long ago at the top level.
func spokenOf(r calendar.Row, m bot.Message) bool {
	switch {
	case r.Channel() != (calendar.Row{Thread: m.Thread}).Channel():
		return false
	case top(m):
		return r.Thread.ID == "" && m.At.Sub(r.Created).Abs() <= openAge
	}
	return r.Thread.ID == m.Thread.ID || r.ID == idOf("", bot.Message{ID: m.Thread.ID, Thread: m.Thread}.Run())
}

// says reports whether a schedule's text has the words by which somebody calls it.
func says(text, about string) bool {
	text = strings.ToLower(text)
	words := strings.Fields(strings.ToLower(about))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// which asks which of several schedules is meant.
func (s *Schedules) which(found []calendar.Row, w intent.ScheduleChange, u bot.User, lang string) (string, []bot.Button, error) {
	verb, key := "delete", "schedule.which"
	if w.Do != intent.DropSchedules {
		verb = "edit"
	}
	if w.Do == intent.PauseSchedules || w.Do == intent.ResumeSchedules {
		verb = string(w.Do)
	}
	var buttons []bot.Button
	if w.All && w.Do == intent.DropSchedules {
		key = "schedule.drop_all"
		buttons = append(buttons, bot.Button{ID: Control + mine, Verb: verb, Label: phrase.Say(lang, "schedule.button.delete_all"), Style: bot.ButtonDanger})
	}
	for _, r := range found[:min(len(found), choices-len(buttons))] {
		b := button(r, verb, lang)
		b.Label = fit.Clip(fit.OneLine(r.Text), 60)
		buttons = append(buttons, b)
	}
	return phrase.Say(lang, key) + "\n\n" + s.lines(found, lang), buttons, nil
}

// dropMine removes all of a person's schedules in a channel.
func (s *Schedules) dropMine(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	rows, err := s.here(ctx, a.Thread, a.User)
	if err != nil {
		return bot.Answer{}, err
	}
	var texts []string
	for _, r := range rows {
		if r.Owner.ID != a.User.ID {
			continue
		}
		text, err := s.change(ctx, r, "delete", a.User, lang)
		if err != nil {
			return bot.Answer{}, err
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		texts = []string{phrase.Say(lang, "schedule.none")}
	}
	return told(strings.Join(texts, "\n"), lang), nil
}

// move changes the time of a schedule to one in words.
func (s *Schedules) move(ctx context.Context, r calendar.Row, w intent.ScheduleChange, m bot.Message, lang string) (string, []bot.Button, error) {
	now := m.At.In(zoneOf(r))
	var rule when.Rule
	var err error
	by, span := when.Span(w.To)
	if w.Earlier {
		by = -by
	}
	switch {
	case span && w.Sets: // by or to?
		err = when.ErrVague
	case span:
		rule, err = r.Rule.Shifted(by, now)
	default:
		rule, err = r.Rule.Moved(w.To, now)
	}
	if err == nil {
		err = rule.Check(s.Now(), zoneOf(r), s.Least)
	}
	switch {
	case r.Source != "":
		return phrase.Say(lang, "schedule.of_workflow", r.Agent), nil, nil
	case errors.Is(err, when.ErrVague):
		return phrase.Say(lang, "schedule.move_how", r.Text), []bot.Button{button(r, "edit", lang)}, nil
	case err != nil:
		return s.refusal(err, lang), []bot.Button{button(r, "edit", lang)}, nil
	}
	r.Rule = rule
	return s.once(ctx, r, string(w.Do), m, lang)
}
