package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/when"
)

// Action carries out a click on a schedule's card, or its form.
func (s *Schedules) Action(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	id := strings.TrimPrefix(a.ID, Control)
	if a.Verb == "save" {
		return s.save(ctx, id, a, lang)
	}
	if id == fresh && a.Verb == "edit" {
		return bot.Answer{Form: form(calendar.Row{}, lang)}, nil
	}
	r, err := s.Store.ScheduleByID(ctx, id)
	switch {
	case errors.Is(err, bot.ErrNotFound):
		return told(phrase.Say(lang, "schedule.gone"), lang), nil
	case err != nil:
		return bot.Answer{}, fmt.Errorf("read a schedule: %w", err)
	case !s.mayChange(r, a.Thread, a.User):
		return told((&bot.Error{Code: bot.CodeNotAllowed}).Text(lang), lang), nil
	}
	if r.Owner.ID == a.User.ID { // a click has no words that tell the language
		lang = r.Lang
	}
	if r.Wish != nil {
		return s.changeAll(ctx, r, a, lang)
	}
	switch a.Verb {
	case "edit":
		return bot.Answer{Form: form(r, lang)}, nil
	case "answer":
		return s.answerNow(ctx, r, lang)
	case "confirm":
		if r.State != calendar.Draft {
			return told(phrase.Say(lang, "schedule.kept", described(r, lang, s.Now())), lang), nil
		}
	}
	text, err := s.change(ctx, r, a.Verb, a.User, lang)
	return told(text, lang), err
}

func told(text, lang string) bot.Answer {
	return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: text, Language: lang, Final: true, Own: true}}
}

// change pauses, resumes, confirms, moves, runs or removes a row, and says so.
func (s *Schedules) change(ctx context.Context, r calendar.Row, verb string, u bot.User, lang string) (string, error) {
	now := s.Now()
	switch verb {
	case "confirm", "resume", "enable", "move":
		if r.State == calendar.Done {
			return phrase.Say(lang, "schedule.past"), nil
		}
		if err := r.Rule.Check(now, zoneOf(r), s.Least); err != nil {
			return s.refusal(err, lang), nil
		}
		if verb == "move" && r.State == calendar.Paused { // a new time does not resume it
			break
		}
		r.State, r.Due, r.Why, r.Asked = calendar.Active, s.next(r), "", ""
	case "pause":
		r.State, r.Due, r.Why = calendar.Paused, time.Time{}, ""
	case "cancel", "delete":
		if _, err := s.Store.DropSchedule(ctx, r.ID); err != nil {
			return "", fmt.Errorf("remove a schedule: %w", err)
		}
		s.Rules.Audit(ctx, r.Thread, u, "scheduled.delete", map[string]any{"schedule": r.ID})
		return phrase.Say(lang, "schedule.deleted", literal(r.Text)), nil
	case "run":
		lost, err := s.lost(ctx, s.Adapters[r.Thread.Platform], r)
		if err != nil {
			return "", fmt.Errorf("look up the owner's rights: %w", err)
		}
		if lost.why != "" {
			r.State, r.Due, r.Why = calendar.Paused, time.Time{}, phrase.Say(r.Lang, lost.why)
			return phrase.Say(lang, lost.notice, literal(r.Owner.Name), literal(r.Text)), s.keep(ctx, r)
		}
		r.Ran = r.Version
	default:
		return (&bot.Error{Code: bot.CodeUnknown}).Text(lang), nil
	}
	var err error
	if verb == "run" {
		err = s.put(ctx, r, due(r, nowKey(r.Version), now, note(r, 0, 0)))
	} else {
		err = s.keep(ctx, r)
	}
	switch {
	case refusable(err):
		return s.refusal(err, lang), nil
	case errors.Is(err, calendar.ErrChanged):
		return phrase.Say(lang, "schedule.changed"), nil
	case err != nil:
		return "", fmt.Errorf("change a schedule: %w", err)
	}
	s.Rules.Audit(ctx, r.Thread, u, "scheduled."+verb, map[string]any{"schedule": r.ID})
	return s.changed(r, verb, lang), nil
}

// changed returns the confirmation of a change to a schedule.
func (s *Schedules) changed(r calendar.Row, verb, lang string) string {
	switch {
	case verb == "run":
		return phrase.Say(lang, "schedule.runs", literal(r.Text))
	case verb == "pause":
		return phrase.Say(lang, "schedule.is_paused", literal(r.Text))
	case verb == "move" && r.State == calendar.Paused:
		return phrase.Say(lang, "schedule.moved_paused", r.Rule.Words(lang, zoneOf(r)), literal(r.Text))
	case verb == "enable":
		return phrase.Say(lang, "schedule.enabled", described(r, lang, s.Now()))
	}
	return phrase.Say(lang, "schedule.kept", described(r, lang, s.Now()))
}

// answerNow drops a draft and has its message answered like any other.
func (s *Schedules) answerNow(ctx context.Context, r calendar.Row, lang string) (bot.Answer, error) {
	if r.State != calendar.Draft {
		return told(phrase.Say(lang, "schedule.gone"), lang), nil
	}
	ask := r
	ask.Text, ask.State = r.Asked, calendar.Done
	if err := s.put(ctx, ask, item(ask, "answer", s.Now(), ask.Text, bot.Due{ID: r.ID})); errors.Is(err, calendar.ErrChanged) {
		return told(phrase.Say(lang, "schedule.changed"), lang), nil
	} else if err != nil {
		return bot.Answer{}, fmt.Errorf("answer instead of a schedule: %w", err)
	}
	return told(phrase.Say(lang, "bot.answer.on_its_way"), lang), nil
}

// The fields of the form.
const (
	fieldWhen = "when"
	fieldText = "text"
	fieldKind = "kind"
)

// times returns the time of a row as the form shows it.
func times(r calendar.Row, lang string) string {
	switch {
	case r.Rule.Step > 1:
		return r.Rule.Words(lang, zoneOf(r))
	case r.Rule.Repeats() || r.Rule.IsZero():
		return r.Rule.Cron
	}
	return r.Rule.At.In(zoneOf(r)).Format("2006-01-02 15:04")
}

// form shows a row to be changed; one without an ID is a new one.
func form(r calendar.Row, lang string) *bot.Form {
	id := r.ID
	if id == "" {
		id = fresh
	}
	kind := r.Kind
	if kind == "" {
		kind = calendar.Remind
	}
	return &bot.Form{ID: Control + id, Verb: "save", Title: phrase.Say(lang, "schedule.form"), Submit: phrase.Say(lang, "schedule.button.confirm"), Inputs: []bot.Input{
		{ID: fieldWhen, Label: phrase.Say(lang, "schedule.form.when"), Hint: phrase.Say(lang, "schedule.form.when_hint"), Value: times(r, lang), Required: true, Max: 200},
		{ID: fieldText, Label: phrase.Say(lang, "schedule.form.text"), Value: r.Text, Long: true, Required: true, Max: maxText},
		{ID: fieldKind, Label: phrase.Say(lang, "schedule.form.kind"), Value: string(kind), Options: []bot.Option{
			{Value: string(calendar.Remind), Label: phrase.Say(lang, "schedule.form.remind")},
			{Value: string(calendar.Ask), Label: phrase.Say(lang, "schedule.form.ask")},
		}},
	}}
}

// formRow returns the row that a form is about: a stored one, or a fresh one where id is [fresh]. refused says why it may not be
// changed.
func (s *Schedules) formRow(ctx context.Context, id string, a bot.Action, lang string) (r calendar.Row, refused string, err error) {
	if id == fresh {
		if err := s.Rules.MembersOnly(ctx, a.Thread, a.User, lang); err != nil {
			return r, bot.AsError(err).Text(lang), nil
		}
		set, err := s.Rules.Settings(ctx, a.Thread, a.User)
		if err != nil {
			return r, "", err
		}
		r = s.fresh(s.NewID(), a.Thread, a.User, lang)
		r.Zone = s.Rules.ZoneFor(set, a.User, a.Thread.Direct).String()
		return r, "", nil
	}
	switch r, err = s.Store.ScheduleByID(ctx, id); {
	case errors.Is(err, bot.ErrNotFound):
		return r, phrase.Say(lang, "schedule.gone"), nil
	case err != nil:
		return r, "", fmt.Errorf("read a schedule: %w", err)
	case !s.mayChange(r, a.Thread, a.User):
		return r, (&bot.Error{Code: bot.CodeNotAllowed}).Text(lang), nil
	case r.Source != "":
		return r, phrase.Say(lang, "schedule.of_workflow", r.Agent), nil
	}
	return r, "", nil
}

// save stores what a form says.
func (s *Schedules) save(ctx context.Context, id string, a bot.Action, lang string) (bot.Answer, error) {
	r, refused, err := s.formRow(ctx, id, a, lang)
	if err != nil {
		return bot.Answer{}, err
	}
	if refused != "" {
		return told(refused, lang), nil
	}
	r.Kind, r.Text = calendar.Remind, fit.Clip(strings.TrimSpace(a.Values[fieldText]), maxText)
	if a.Values[fieldKind] == string(calendar.Ask) {
		r.Kind = calendar.Ask
	}
	rule := r.Rule
	if rule.IsZero() || strings.TrimSpace(a.Values[fieldWhen]) != times(r, lang) { // what was left as it is keeps its first week
		var zone *time.Location
		if rule, zone, err = ruleOf(a.Values[fieldWhen], s.Now().In(zoneOf(r))); zone != nil {
			r.Zone = zone.String()
		}
	}
	if err == nil {
		err = rule.Check(s.Now(), zoneOf(r), s.Least)
	}
	bad := map[string]string{}
	if err != nil {
		bad[fieldWhen] = s.refusal(err, lang)
	}
	if fit.Blank(r.Text) {
		bad[fieldText] = phrase.Say(lang, "bot.form.required")
	}
	if len(bad) > 0 {
		return bot.Answer{Form: form(r, lang).Typed(a.Values), Errors: bad}, nil
	}
	r.Rule = rule
	text, err := s.change(ctx, r, "confirm", a.User, lang)
	return told(text, lang), err
}

// ruleOf reads a field that says only a time: words, a cron expression or a date; and the time zone, nil if it names none.
func ruleOf(text string, now time.Time) (when.Rule, *time.Location, error) {
	if rule, err := when.ParseCron(text); err == nil {
		return rule, nil, nil
	}
	r := when.Read(text, now)
	switch {
	case r.Err != nil:
		return when.Rule{}, nil, r.Err
	case !r.Found && len(strings.Fields(text)) == 5:
		return when.Rule{}, nil, when.ErrCron
	case !r.Found || r.Rest != "":
		return when.Rule{}, nil, when.ErrTime
	}
	return r.Rule, r.Zone, nil
}
