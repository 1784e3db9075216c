package approval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// spokenWords is a plain message in a thread with pending questions.
type spokenWords struct {
	m    bot.Message
	lang string
	rows []bot.Approval // the questions
}

// Heard is the result for a plain message in a thread with pending questions.
type Heard struct {
	Taken bool   // it was about one of them
	Tell  string // reply to its author, "" for none
}

// told returns a Heard with a reply.
func told(text string) Heard { return Heard{Taken: true, Tell: text} }

// Hear interprets a plain message as an answer to a question in its thread, if the author may
// decide it, and reports whether it was one. Other people's messages apart from a plain yes or no,
// menu actions, messages to somebody else and messages with files are ordinary messages.
func (qs *Questions) Hear(ctx context.Context, m bot.Message, lang string, rows []bot.Approval) (Heard, error) {
	w := spokenWords{m: m, lang: lang, rows: rows}
	if m.Reach == bot.ReachMenu || len(m.Files) > 0 || m.NamesOther() || fit.Blank(m.Text) {
		return Heard{}, nil
	}
	waiting, err := qs.For(ctx, m, w.rows)
	if err != nil {
		return Heard{}, err
	}
	verdict, number := intent.Decide(m.Text)
	switch {
	case len(rows) == 0, len(waiting) == 0 && verdict == intent.None:
		return Heard{}, nil
	case len(waiting) > 0 && intent.Read(m.Text).Verdict == intent.None && beside(waiting, m.Text):
		return Heard{}, nil
	}
	if err := noteHeard(ctx, qs, m, rows); err != nil {
		return Heard{}, err
	}
	switch len(waiting) {
	case 0:
		return qs.notTheirs(ctx, w), nil
	case 1:
		return qs.replyTo(ctx, w, waiting[0], 1)
	}
	for i, a := range waiting {
		if r, found := a.byLabel(m.Text, i+1); found && r.Action != "" && strings.HasSuffix(strings.TrimSpace(m.Text), strconv.Itoa(i+1)) {
			number = i + 1
		}
	}
	if said := intent.Several(m.Text, len(waiting)); number == 0 && len(said) > 0 {
		return qs.replyToSeveral(ctx, w, waiting, said)
	}
	if number == 0 || number > len(waiting) {
		return told(phrase.Say(w.lang, "bot.approval.which")), nil
	}
	return qs.replyTo(ctx, w, waiting[number-1], number)
}

// replyTo applies a message to the question with this number on its card.
func (qs *Questions) replyTo(ctx context.Context, w spokenWords, a Asked, number int) (Heard, error) {
	reply, ok := a.read(w.m.Text, number)
	switch {
	case intent.Postpones(w.m.Text, a.kind == kindClarification) && (!ok || reply.Text == strings.TrimSpace(w.m.Text)): // no button's label, nor a verdict
		return told(phrase.Say(w.lang, "bot.approval.waits_for_you", place.Until(a.Row.Expires, qs.rules.ZoneOf(w.m.User)))), nil
	case !ok:
		return told(a.unread(w.lang)), nil
	}
	return qs.settle(ctx, w, a, reply)
}

// replyToSeveral decides several questions, each separately, if all of them can be decided as stated; otherwise
// none.
func (qs *Questions) replyToSeveral(ctx context.Context, w spokenWords, waiting []Asked, said map[int]intent.Verdict) (Heard, error) {
	numbers := slices.Sorted(maps.Keys(said))
	for _, n := range numbers {
		if waiting[n-1].offered(said[n]) == "" {
			return told(phrase.Say(w.lang, "bot.approval.which")), nil
		}
	}
	var tells []string
	for _, n := range numbers {
		a := waiting[n-1]
		one, err := qs.settle(ctx, w, a, agent.Reply{Action: a.offered(said[n])})
		if err != nil {
			return Heard{}, err
		}
		if one.Tell != "" && !slices.Contains(tells, one.Tell) {
			tells = append(tells, one.Tell)
		}
	}
	return told(strings.Join(tells, "\n\n")), nil
}

// settle decides one question according to a reply.
func (qs *Questions) settle(ctx context.Context, w spokenWords, a Asked, reply agent.Reply) (Heard, error) {
	m := w.m
	d, _, code := a.decided(reply)
	act := bot.Action{ID: a.Row.ID, Verb: d.Verb, Thread: m.Thread, User: m.User, At: m.At}
	if code == "" {
		if cut, err := unseen(ctx, qs, a, d.Verb); err != nil {
			return Heard{}, err
		} else if cut {
			code = bot.CodeTooLong
		}
	}
	if code == "" {
		d, _, code = qs.fits(a.About.Interrupt, d, act, w.lang)
	}
	if code != "" {
		return told(Refuse(code, w.lang).Card.Text), nil
	}
	d.Spoken = true
	now, ans, err := qs.decide(ctx, a.Row, act, d)
	switch {
	case err != nil:
		return Heard{}, err
	case ans.Card != nil && (now.State != bot.ApprovalDecided || now.By != qs.voter(now, act)):
		return told(ans.Card.Text), nil
	case slices.Contains(Verdicts, d.Verb) && qs.saidSince(ctx, m, a): // other words are answered by the question asked then, see pointBack
		return told(fit.Paragraphs(phrase.MomentWords(outcomeLine(now, w.lang, qs.rules.ZoneOf(m.User))), phrase.Say(w.lang, "bot.approval.continued_above"))), nil
	}
	return Heard{Taken: true}, nil
}

// saidLately is the number of messages searched for later ones.
const saidLately = 20

// saidSince reports whether the thread has messages since a question was asked: its card is then out of sight for
// a person who decides it by a message.
func (qs *Questions) saidSince(ctx context.Context, m bot.Message, a Asked) bool {
	entries, err := qs.record.Transcript(ctx, m.Thread.Key(), saidLately)
	if err != nil {
		qs.log.WarnContext(ctx, "read transcript", "err", err) // the decision stands
		return false
	}
	return slices.ContainsFunc(entries, func(e bot.Entry) bool {
		return e.At.After(a.Row.Created) && e.ID != m.Key() && e.ID != a.About.Message.Key() && e.Run != a.Row.Run
	})
}

// notTheirs answers a yes or no from a person who may not decide. It would mean nothing as a task.
func (qs *Questions) notTheirs(ctx context.Context, w spokenWords) Heard {
	for _, row := range w.rows {
		qs.refused(ctx, row, bot.Action{ID: row.ID, Thread: w.m.Thread, User: w.m.User, At: w.m.At}, bot.CodeNotAllowed)
	}
	return told((&bot.Error{Code: bot.CodeNotAllowed, Detail: place.WhoDecides(w.lang)}).Text(w.lang))
}

// beside reports whether a message asks about something else than the waiting proposals: a
// question without a reference to them. It gets its own run, and they keep waiting. A
// clarification may ask for anything, so every message answers it.
func beside(waiting []Asked, text string) bool {
	for _, a := range waiting {
		names := func(n int) bool { return n > 0 && n <= len(a.Steps) }
		if a.kind == kindClarification || slices.ContainsFunc(intent.Numbers(text), names) {
			return false
		}
	}
	return intent.Question(text) && !intent.Points(text)
}

// PointBack posts a link to a question's card below a message about it that left it pending, since the card is
// above.
func (qs *Questions) PointBack(ctx context.Context, m bot.Message, lang string, list []Asked) {
	i := slices.IndexFunc(list, func(a Asked) bool { return a.Row.Ref.IsZero() }) // asked after the message
	if i < 0 {
		return
	}
	said := fit.Paragraphs(list[i].lastNote(), phrase.Say(lang, "bot.approval.waits_above"))
	card := bot.Card{Kind: bot.CardNotice, Text: said, Language: lang, Final: true}
	to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, User: m.User}
	ref, err := qs.adapters[m.Thread.Platform].Post(ctx, to, card, "again-"+list[i].Row.ID)
	if err != nil {
		qs.log.WarnContext(ctx, "point back at a question", "approval", list[i].Row.ID, "err", err)
		return
	}
	noted, done := chore.AtTheEnd(ctx)
	defer done()
	qs.notePointer(noted, pointNote(list[i].Row.ID), ref)
}

// lastNote returns the question's note on the last message about it.
func (q question) lastNote() string {
	if len(q.Notes) == 0 {
		return ""
	}
	return fit.Visible(q.Notes[len(q.Notes)-1])
}

// For returns the questions waiting in a message's thread that its author may decide.
func (qs *Questions) For(ctx context.Context, m bot.Message, rows []bot.Approval) ([]Asked, error) {
	var list []Asked
	for _, row := range rows {
		a, err := Read(row)
		if err != nil {
			return nil, err
		}
		may, err := qs.MayDecide(ctx, row, m.Thread, m.User)
		if err != nil {
			return nil, err
		}
		if may {
			list = append(list, a)
		}
	}
	return list, nil
}

// Waiting holds the pending questions of a message's thread.
type Waiting struct {
	Rows  []bot.Approval // of other runs than the message's own
	Heard bool           // an earlier attempt found the message to be about Rows, and may have decided some of them
	Own   bool           // the message's own run waits as well
	Log   string         // of the message's own run, if it has some
}

// In returns the pending questions in the thread of an item's message.
func (qs *Questions) In(ctx context.Context, it bot.Item, m bot.Message) (Waiting, error) {
	var w Waiting
	if it.Kind == bot.ItemMessage && it.Attempts > 0 {
		if rows, err := heard(ctx, qs, m); len(rows) > 0 || err != nil {
			return Waiting{Rows: rows, Heard: true}, err
		}
	}
	if it.Unasked {
		return w, nil
	}
	all, err := qs.record.PendingApprovals(ctx, m.Thread.Key(), MaxAsked)
	if err != nil {
		return w, fmt.Errorf("read approvals: %w", err)
	}
	for _, row := range all {
		switch {
		case IsOffer(row.Kind):
		case row.Run == m.Run():
			a, err := Read(row)
			if err != nil {
				return w, err
			}
			w.Own, w.Log = true, a.About.Log
		default:
			w.Rows = append(w.Rows, row)
		}
	}
	return w, nil
}
