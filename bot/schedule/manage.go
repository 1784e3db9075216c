package schedule

import (
	"context"
	"errors"
	"fmt"
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

// choices is how many schedules a question which one is meant has buttons for.
const choices = 5

// manage carries out a wish about schedules that are there, in words. text is "" if the message is none, or if no schedule is known
// that it could mean and it does not call it a reminder. "Change it to an hour" is about something that takes so long.
func (s *Schedules) manage(ctx context.Context, m bot.Message, lang string, set config.Resolved) (text string, buttons []bot.Button, err error) {
	w, ok := intent.ManagesSchedules(m.Text)
	switch {
	case !ok:
		return "", nil, nil
	case w.Do == intent.HowSchedules:
		return phrase.Say(lang, "schedule.how_words"), nil, nil
	}
	_, span := when.Span(w.To)
	long := span && w.Sets
	if w.Do == intent.MoveSchedules && w.Bare && (long || !when.Names(w.To)) { // "make it shorter", "영어로 바꿔줘"
		return "", nil, nil
	}
	if text, buttons, err = s.again(ctx, m, lang); text != "" || err != nil {
		return text, buttons, err
	}
	rows, err := s.here(ctx, m.Thread, m.User)
	if err != nil {
		return "", nil, err
	}
	own := func(r calendar.Row) bool { return r.Owner.ID == m.User.ID }
	if w.Do == intent.ListSchedules {
		if !w.Named && !slices.ContainsFunc(rows, own) { // "예약 보여줘" may be about a table in a restaurant
			return "", nil, nil
		}
		return s.lines(rows, lang), nil, nil
	}
	rows = slices.DeleteFunc(rows, func(r calendar.Row) bool { return !s.mayChange(r, m.Thread, m.User) })
	found, sure := meant(rows, w, m)
	if len(found) == 0 && w.Do == intent.MoveSchedules && w.About == "" {
		if text, buttons, err = s.snooze(ctx, m, w, lang, set); text != "" || err != nil {
			return text, buttons, err
		}
	}
	if w.All && slices.ContainsFunc(found, own) { // an admin's "all" are not everybody's
		found = slices.DeleteFunc(found, func(r calendar.Row) bool { return !own(r) })
	}
	timed := w.Do != intent.MoveSchedules || when.Read(w.To, m.At).Found || when.Names(w.To)
	switch {
	case len(found) == 0 && !w.Named, !timed && w.To == "" && !w.Named && w.About == "", // "update the schedule"
		!timed && w.To != "" && (len(found) == 0 || !w.Named || w.About == ""): // "change the reminder to German"
		return "", nil, nil
	case len(found) == 0:
		return phrase.Say(lang, "schedule.unknown") + "\n\n" + s.lines(rows, lang), nil, nil
	}
	if err := s.Rules.MembersOnly(ctx, m.Thread, m.User, lang); err != nil {
		return "", nil, err
	}
	unsure := !sure || w.All && !w.Named || w.About == "" && (w.Do != intent.MoveSchedules || w.To == "") && !spokenOf(found[0], m) // "silence the alarm"
	if len(found) > 1 || unsure {
		return s.which(ctx, found, w, m, lang)
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

// meant returns the schedules that a wish may mean: those that say its words, or else the last that the person made in the conversation.
// Without either, all of the person's that are called reminders: which one is asked. What no noun calls says exactly those words, or is
// moved and of the conversation: "pause the deployment" is no word about "check the deployment". What runs is not resumed by such words,
// as "restart the server" may mean another. Of several in the conversation none is removed unasked, and none is changed unasked that the
// words only may call, see [intent.Calls].
func meant(rows []calendar.Row, w intent.ScheduleChange, m bot.Message) (found []calendar.Row, sure bool) {
	if w.About != "" {
		unlike := func(r calendar.Row) bool { likely, _ := calls(w, r, m); return !likely }
		unsure := func(r calendar.Row) bool { _, sure := calls(w, r, m); return !sure }
		if certain := slices.DeleteFunc(slices.Clone(rows), unsure); len(certain) > 0 {
			return certain, true
		}
		return slices.DeleteFunc(slices.Clone(rows), unlike), false
	}
	own := slices.DeleteFunc(slices.Clone(rows), func(r calendar.Row) bool { return r.Owner.ID != m.User.ID })
	if w.All {
		return own, true
	}
	here := slices.DeleteFunc(slices.Clone(own), func(r calendar.Row) bool { return !spokenOf(r, m) })
	switch {
	case len(here) > 1 && w.Do == intent.DropSchedules:
		return here, true
	case len(here) > 0 && (!top(m) || len(here) == 1):
		last := slices.MaxFunc(here, func(a, b calendar.Row) int { return a.Created.Compare(b.Created) })
		return []calendar.Row{last}, true
	case w.Named:
		return own, true
	}
	return nil, false
}

// calls reports whether a wish may call a schedule by its words, and whether that is sure.
func calls(w intent.ScheduleChange, r calendar.Row, m bot.Message) (likely, sure bool) {
	exact, timed := strings.EqualFold(strings.TrimSpace(r.Text), w.About), when.Called(w.About, r.Due, m.At.In(zoneOf(r)))
	switch {
	case !w.Bare, w.Do == intent.MoveSchedules && spokenOf(r, m):
		likely, sure = intent.Calls(r.Text, w.About)
		return timed || likely, timed || sure
	case w.Do == intent.ResumeSchedules && r.State != calendar.Paused:
		return false, false
	}
	exact = exact || timed && spokenOf(r, m)
	return exact, exact
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

// which asks which of several schedules is meant.
func (s *Schedules) which(ctx context.Context, found []calendar.Row, w intent.ScheduleChange, m bot.Message, lang string) (string, []bot.Button, error) {
	verb := string(w.Do)
	if w.Do == intent.MoveSchedules {
		verb = "edit"
	}
	text := phrase.Say(lang, "schedule.which")
	var buttons []bot.Button
	if w.All && verb != "edit" {
		b, asks, err := s.allOf(ctx, found, verb, m, lang)
		if err != nil {
			return "", nil, err
		}
		text, buttons = asks, []bot.Button{b}
	}
	single := found[:min(len(found), choices-len(buttons))]
	for _, r := range single {
		b := button(r, verb, lang)
		b.Label = fit.Clip(fit.OneLine(fit.Visible(r.Text)), 60)
		buttons = append(buttons, b)
	}
	text += "\n\n" + s.lines(found, lang)
	switch {
	case len(single) == len(found):
	case verb == "edit":
		text += "\n\n" + phrase.Say(lang, "schedule.more_move")
	default:
		text += "\n\n" + phrase.Say(lang, "schedule.more", verb)
	}
	return text, buttons, nil
}

// allOf returns the button that changes all of some schedules, and the question about it. The button carries out a note of their IDs: it
// changes those that were shown, whatever is there by then.
func (s *Schedules) allOf(ctx context.Context, found []calendar.Row, verb string, m bot.Message, lang string) (b bot.Button, asks string, err error) {
	note := s.note("all", m, lang)
	note.Wish = &calendar.Wish{Verb: verb}
	for _, r := range found {
		note.Wish.IDs = append(note.Wish.IDs, r.ID)
	}
	if _, err := s.Store.PutSchedule(ctx, note, calendar.Limits{}); err != nil && !errors.Is(err, calendar.ErrChanged) {
		return b, "", fmt.Errorf("store which schedules are meant: %w", err)
	}
	b = bot.Button{ID: Control + note.ID, Verb: verb}
	switch verb {
	case "pause":
		b.Label, asks = phrase.Say(lang, "schedule.button.pause_all"), phrase.Say(lang, "schedule.pause_all")
	case "resume":
		b.Label, asks = phrase.Say(lang, "schedule.button.resume_all"), phrase.Say(lang, "schedule.resume_all")
	default:
		b.Label, asks = phrase.Say(lang, "schedule.button.delete_all"), phrase.Say(lang, "schedule.drop_all")
		b.Style = bot.ButtonDanger
	}
	return b, asks, nil
}

// changeAll changes the schedules of a note that are still there.
func (s *Schedules) changeAll(ctx context.Context, note calendar.Row, a bot.Action, lang string) (bot.Answer, error) {
	if a.Verb != note.Wish.Verb {
		return told((&bot.Error{Code: bot.CodeUnknown}).Text(lang), lang), nil
	}
	var texts []string
	for _, id := range note.Wish.IDs {
		r, err := s.Store.ScheduleByID(ctx, id)
		switch {
		case errors.Is(err, bot.ErrNotFound):
			continue
		case err != nil:
			return bot.Answer{}, fmt.Errorf("read a schedule: %w", err)
		case !s.mayChange(r, a.Thread, a.User):
			continue
		}
		text, err := s.change(ctx, r, a.Verb, a.User, lang)
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
		return phrase.Say(lang, "schedule.move_how", literal(r.Text)), []bot.Button{button(r, "edit", lang)}, nil
	case err != nil:
		return s.refusal(err, lang), []bot.Button{button(r, "edit", lang)}, nil
	}
	r.Rule = rule
	return s.once(ctx, r, string(w.Do), m, lang)
}
