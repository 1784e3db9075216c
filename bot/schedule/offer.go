package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/phrase/when"
)

// maxText limits the text of a schedule, in characters.
const maxText = 2000

// Offer stores the schedule that a message requests, or shows a card to confirm it: unambiguous reminders are
// stored at once, repeating and unclear ones after a click. text is "" if the message requests none.
func (s *Schedules) Offer(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error) {
	if m.Schedule != nil {
		return "", nil, nil
	}
	set, err := s.Rules.Settings(ctx, m.Thread, m.User)
	if err != nil {
		return "", nil, err
	}
	if text, buttons, err = s.manage(ctx, m, lang, set); text != "" || err != nil {
		return text, buttons, err
	}
	wish, r, zone, ok := s.wishOf(m.Text, m.At, m.Thread, m.User, set)
	if text, buttons, err = s.timed(ctx, m, lang, wish, r, zone); text != "" || err != nil || !ok {
		return text, buttons, err
	}
	if err := s.Rules.MembersOnly(ctx, m.Thread, m.User, lang); err != nil {
		return "", nil, err
	}
	if wish.Reminds && intent.PointsBack(wish.Body) { // "remind me again in 10 minutes"
		if said, err := s.saidLast(ctx, m); err != nil {
			return "", nil, err
		} else if said != "" {
			wish.Body = said
		}
	}
	row := s.fresh(idOf("", m.Run()), placeOf(m), m.User, lang)
	row.Rule, row.Text, row.Zone, row.Asked = r.Rule, bodyOr(wish.Body, lang), zone.String(), m.Text
	row.Channels = m.Channels
	row.Kind = calendar.Ask
	if wish.Reminds {
		row.Kind = calendar.Remind
	}
	if errors.Is(r.Err, when.ErrVague) && wish.Reminds && wish.Body != "" {
		return s.askTime(ctx, row, r.Again, lang)
	}
	if r.Err != nil {
		return s.refusal(r.Err, lang), nil, nil
	}
	text, buttons, err = s.offer(ctx, row, wish.Sure && wish.Elsewhere == "", lang)
	if err == nil && wish.Elsewhere != "" {
		text += "\n\n" + phrase.Say(lang, "schedule.here", wish.Elsewhere)
	}
	return text, buttons, err
}

// offer stores a row, or shows a card to confirm it: one that repeats, does something or was perhaps not asked for.
func (s *Schedules) offer(ctx context.Context, row calendar.Row, sure bool, lang string) (text string, buttons []bot.Button, err error) {
	row, refused, err := s.book(ctx, row, sure, lang)
	if refused != "" || err != nil {
		return refused, nil, err
	}
	text, buttons = s.booked(row, sure, lang)
	return text, buttons, nil
}

// book stores a row, as a draft if it is to be confirmed; refused says why it may not be stored.
func (s *Schedules) book(ctx context.Context, row calendar.Row, sure bool, lang string) (_ calendar.Row, refused string, err error) {
	zone := zoneOf(row)
	if err := row.Rule.Check(s.Now(), zone, s.Least); err != nil {
		if stored, e := s.Store.ScheduleByID(ctx, row.ID); e == nil && stored.State != calendar.Draft {
			return stored, "", nil // by a try at this message that was interrupted; its time has come since
		}
		return row, s.refusal(err, lang), nil
	}
	row.State = calendar.Draft
	if row.Kind == calendar.Remind && sure && !row.Rule.Repeats() {
		row.State, row.Due = calendar.Active, row.Rule.Next(s.Now(), zone)
	}
	if err := s.keep(ctx, row); refusable(err) {
		return row, s.refusal(err, lang), nil
	} else if err != nil && !errors.Is(err, calendar.ErrChanged) {
		return row, "", fmt.Errorf("store schedule: %w", err)
	}
	if row.State == calendar.Active {
		s.Rules.Audit(ctx, row.Thread, row.Owner, "scheduled.add", map[string]any{"schedule": row.ID})
	}
	return row, "", nil
}

// booked says that a row was stored, or asks to confirm it.
func (s *Schedules) booked(row calendar.Row, sure bool, lang string) (string, []bot.Button) {
	if row.State != calendar.Draft {
		return s.waits(row, lang, phrase.Say(lang, "schedule.kept", described(row, lang, s.Now()))), []bot.Button{button(row, "delete", lang), button(row, "edit", lang)}
	}
	buttons := []bot.Button{button(row, "confirm", lang), button(row, "edit", lang), button(row, "cancel", lang)}
	if !sure {
		buttons = append(buttons, button(row, "answer", lang))
	}
	return s.waits(row, lang, phrase.Say(lang, "schedule.ask", described(row, lang, s.Now()))), buttons
}

// waits adds to a sentence about a row that it waits in a conversation that nobody reads.
func (s *Schedules) waits(r calendar.Row, lang, text string) string {
	if p, ok := s.Adapters[r.Thread.Platform].(absent); ok && p.Away(r.Thread) {
		text += "\n\n" + phrase.Say(lang, "schedule.away", r.Thread.ID)
	}
	return text
}

// wishOf parses a request with a time, in the right time zone: reminders for a person in theirs, all else in the
// channel's.
func (s *Schedules) wishOf(text string, at time.Time, t bot.Thread, u bot.User, set config.Resolved) (intent.Wish, when.Reading, *time.Location, bool) {
	zone := s.Rules.ZoneFor(set, u, t.Direct)
	wish, r, ok := read(text, at.In(zone))
	if r.Zone != nil {
		return wish, r, r.Zone, ok
	}
	if own := s.Rules.ZoneFor(set, u, true); ok && wish.Personal && own.String() != zone.String() {
		zone = own
		wish, r, ok = read(text, at.In(zone))
	}
	return wish, r, zone, ok
}

// read parses a request with a time. One whose time is only of the thing to do is asked for its own: "회의 끝나고 12월 3일 자료 보내라고 알려줘".
func read(text string, now time.Time) (intent.Wish, when.Reading, bool) {
	r := when.Read(text, now)
	w, ok := wished(r)
	if ok = ok && r.Found; !ok && !r.Exact {
		if body, untimed := intent.RemindsUntimed(text); untimed {
			r.Err = when.ErrVague
			return intent.Wish{Reminds: true, Body: body, Sure: true}, r, true
		}
	}
	w.Sure = w.Sure && !r.Doubt
	past := errors.Is(r.Err, when.ErrPast) && !w.Sure // "who deployed yesterday at 5"
	return w, r, ok && !past && (w.Reminds || together(text, now))
}

// wished parses what a request with a time wants.
func wished(r when.Reading) (intent.Wish, bool) {
	return intent.Schedules(intent.Timed{
		Rest: r.Rest, Before: r.Before, Repeats: r.Again, Exact: r.Exact, Lead: r.Lead, Tail: r.Tail, Particle: r.Particle, Ahead: r.Ahead,
	})
}

// together reports whether the time of a task is in the sentence that asks for it, or alone. A pasted contract with "매월 5일에
// 지급한다" above "요약해줘" asks for no schedule.
func together(text string, now time.Time) bool {
	return slices.ContainsFunc(prose.Sentences(text), func(sentence string) bool {
		r := when.Read(sentence, now)
		_, ok := wished(r)
		return r.Found && (ok || strings.Trim(r.Rest, " .!?,:~") == "")
	})
}

// fresh returns a new row.
func (s *Schedules) fresh(id string, t bot.Thread, u bot.User, lang string) calendar.Row {
	return calendar.Row{ID: id, Thread: t, Owner: u, Lang: lang, Created: s.Now()}
}

func bodyOr(body, lang string) string {
	if body = strings.TrimSpace(body); body == "" {
		return phrase.Say(lang, "schedule.nothing")
	}
	return body
}

// mentioned are people, roles and channels in escaped text: platforms show them by their names.
var mentioned = pattern.New(`\\<((?:@[!&]?|#)\w{1,64}>)`)

// literal shows people's words as they are written on a card: no mark of Markdown and no invisible character hides any.
func literal(text string) string {
	return mentioned.ReplaceAllString(fit.Literal(fit.Visible(phrase.MomentWords(text))), "<$1")
}

// described formats a schedule's action and time, in two or three lines.
func described(r calendar.Row, lang string, now time.Time) phrase.Timed {
	zone := zoneOf(r)
	text := "**" + r.Rule.Words(lang, zone) + "** (" + zoneName(r, now) + ")\n"
	key := "schedule.does_ask"
	switch {
	case r.Source != "":
		text += phrase.Say(lang, "schedule.does_run", r.Agent, literal(r.Text))
	default:
		if r.Kind == calendar.Remind {
			key = "schedule.does_remind"
		}
		text += phrase.Say(lang, key, literal(r.Text))
	}
	if next := r.Rule.Next(now, zone); r.Rule.Repeats() && !next.IsZero() {
		text += "\n" + phrase.Say(lang, "schedule.next", when.Local(next, lang, zone))
	}
	return phrase.Timed(text)
}

// refusal explains why a schedule cannot be stored.
func (s *Schedules) refusal(err error, lang string) string {
	var off when.OffDay
	switch {
	case errors.Is(err, when.ErrPast):
		return phrase.Say(lang, "schedule.past")
	case errors.Is(err, when.ErrNever):
		return phrase.Say(lang, "schedule.never")
	case errors.Is(err, when.ErrTooOften):
		return phrase.Say(lang, "schedule.too_often", int(s.Least.Minutes()))
	case errors.Is(err, when.ErrInterval):
		return phrase.Say(lang, "schedule.interval")
	case errors.Is(err, when.ErrCron):
		return phrase.Say(lang, "schedule.bad_cron")
	case errors.Is(err, when.ErrHoliday):
		return phrase.Say(lang, "schedule.holiday")
	case errors.Is(err, when.ErrExcept):
		return phrase.Say(lang, "schedule.except")
	case errors.As(err, &off):
		date, weekday := off.Words(lang)
		return phrase.Say(lang, "schedule.weekday", date, weekday)
	case errors.Is(err, when.ErrWithin):
		return phrase.Say(lang, "schedule.within")
	case errors.Is(err, when.ErrBounds):
		return phrase.Say(lang, "schedule.bounds")
	case errors.Is(err, when.ErrEve):
		return phrase.Say(lang, "schedule.eve")
	case errors.Is(err, when.ErrOrder):
		return phrase.Say(lang, "schedule.order")
	case errors.Is(err, when.ErrVague):
		return phrase.Say(lang, "schedule.vague")
	case errors.Is(err, when.ErrSeveral):
		return phrase.Say(lang, "schedule.several")
	case errors.Is(err, when.ErrEvent):
		return phrase.Say(lang, "schedule.event")
	case errors.Is(err, when.ErrZone):
		return phrase.Say(lang, "schedule.zone")
	case errors.Is(err, errOff):
		return phrase.Say(lang, "schedule.off")
	}
	if f := (full{}); errors.As(err, &f) {
		return phrase.Say(lang, f.key, f.most)
	}
	return phrase.Say(lang, "schedule.no_time")
}

// button returns a card's button for a verb.
func button(r calendar.Row, verb, lang string) bot.Button {
	b := bot.Button{ID: Control + r.ID, Verb: verb}
	switch verb {
	case "confirm":
		b.Label, b.Style = phrase.Say(lang, "schedule.button.confirm"), bot.ButtonPrimary
	case "edit":
		b.Label = phrase.Say(lang, "schedule.button.edit")
	case "cancel":
		b.Label = phrase.Say(lang, "schedule.button.cancel")
	case "answer":
		b.Label = phrase.Say(lang, "schedule.button.answer")
	case "delete":
		b.Label, b.Style = phrase.Say(lang, "schedule.button.delete"), bot.ButtonDanger
	}
	return b
}

// mayChange reports whether a person may change a row where they are.
func (s *Schedules) mayChange(r calendar.Row, t bot.Thread, u bot.User) bool {
	if !r.Thread.SharesTeam(t) {
		return false
	}
	return r.Owner.ID == u.ID || r.State != calendar.Draft && r.Thread.Channel == t.Channel && s.Rules.May(r.Thread, u, config.ChannelAdmin)
}
