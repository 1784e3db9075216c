package bot

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"maru/agent"
)

// said is what a plain reply in a thread does about the questions that wait
// there.
type said int

// What a plain reply can be.
const (
	saidNothing said = iota // it is a message like any other
	saidDone                // it decided, or was answered
)

// reply takes a plain message as an answer to a question that waits in its
// thread, if its author may decide it. Everybody else's messages but a mere yes
// or no, and what is said to somebody else or brings files, are messages like any
// other.
func (b *Bot) reply(ctx context.Context, l Lease, it Item, m Message, rows []Approval, lang string) (said, error) {
	if len(m.Files) > 0 || addressesOther(m.Text) || strings.TrimSpace(m.Text) == "" {
		return saidNothing, nil
	}
	waiting, err := b.waitingFor(ctx, m, rows)
	if err != nil {
		return saidNothing, err
	}
	verb, number := verdictOf(m.Text)
	if len(waiting) == 1 && number > 1 {
		verb, number = "", 0 // "skip 2" is about the second step: there is no second question
	}
	if len(waiting) == 0 {
		return b.notTheirs(ctx, l, it, m, rows, verb, lang)
	}
	if verb == "" && beside(waiting, m.Text) {
		return saidNothing, nil
	}
	if number > len(waiting) || number == 0 && len(waiting) > 1 {
		return saidDone, b.tell(ctx, l, it, m, say(lang,
			"bot.several_questions_are_waiting_use"))
	}
	a := waiting[max(number-1, 0)]
	if _, whole := a.action(agent.VerbReject); !whole && a.kind == kindStep && isStopWord(m.Text) {
		verb = "" // no mere skip of this step: the agent is told to stop
	}
	d, code := a.spoken(verb, m.Text)
	if code != "" {
		return saidNothing, nil
	}
	act := Action{ID: a.row.ID, Verb: d.Verb, Thread: m.Thread, User: m.User, At: m.At}
	if a.tooLong() && !alone(d.Verb) {
		return saidDone, b.tell(ctx, l, it, m, (&Error{Code: CodeTooLong}).Text(lang))
	}
	if d, _, code = b.fits(a.w.Interrupt, d, act, lang); code != "" {
		return saidDone, b.tell(ctx, l, it, m, (&Error{Code: code}).Text(lang))
	}
	d.Spoken = true
	now, ans, err := b.decide(ctx, a.row, act, d)
	switch {
	case err != nil:
		return saidNothing, err
	case now.State != ApprovalDecided && ans.Card != nil:
		return saidDone, b.tell(ctx, l, it, m, ans.Card.Text)
	}
	return saidDone, b.cfg.Record.Finish(ctx, l, it.ID, Outcome{})
}

// notTheirs tells somebody who says yes or no to a question of others that it is
// not theirs to decide: as a task of its own the word means nothing. Whatever
// else they say is a message like any other.
func (b *Bot) notTheirs(ctx context.Context, l Lease, it Item, m Message, rows []Approval, verb, lang string) (said, error) {
	if verb == "" || len(rows) == 0 {
		return saidNothing, nil
	}
	for _, row := range rows {
		b.refused(ctx, row, Action{ID: row.ID, Verb: verb, Thread: m.Thread, User: m.User, At: m.At}, CodeNotAllowed)
	}
	return saidDone, b.tell(ctx, l, it, m, (&Error{Code: CodeNotAllowed, Detail: whoDecides(lang)}).Text(lang))
}

// changing are words with which people change what was proposed to them. A
// question with one of them is about the proposal ("can you drop step 2?").
var changing = regexp.MustCompile(`(?i)\d|단계|계획|순서|빼|바꾸|바꿔|바꿀|고치|고쳐|수정|추가|넣|대신|말고|취소|이거|이것|이건|그거|그건|` +
	`\b(?:steps?|plan|instead|remove|drop|change|add|swap|replace|move|without|skip|edit|it|this|that|these|those)\b`)

// beside reports whether a message asks about something else than the proposals
// that wait in its thread: a question in which nothing points at them. It is
// answered by a run of its own, and they go on waiting. What a clarification
// asked for may be anything, so everything answers it.
func beside(waiting []asked, text string) bool {
	for _, a := range waiting {
		if a.kind == kindClarification {
			return false
		}
	}
	t := strings.TrimSpace(text)
	first, _, _ := strings.Cut(strings.ToLower(t), " ")
	asks := strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") ||
		slices.Contains([]string{"what", "who", "when", "where", "why", "how", "which"}, first)
	return asks && !changing.MatchString(t)
}

// pointBack says below somebody's words that the question they were about waits
// again: its card stands above them, where nobody looks for an answer.
func (b *Bot) pointBack(ctx context.Context, c conclusion, list []asked) {
	i := slices.IndexFunc(list, func(a asked) bool { return a.row.Ref.IsZero() }) // the one that was asked after the words
	if i < 0 {
		return
	}
	said := say(c.lang, "bot.waits_again_above")
	if notes := list[i].Notes; len(notes) > 0 {
		said = joinParagraphs(visible(notes[len(notes)-1]), said)
	}
	card := Card{Kind: CardNotice, Text: said, Language: c.lang, Final: true}
	to := Target{Thread: c.m.Thread, ReplyTo: c.m.ReplyTo, User: c.m.User}
	if _, err := b.adapters[c.m.Thread.Platform].Post(ctx, to, card, "again-"+list[i].row.ID); err != nil {
		b.log.WarnContext(ctx, "point back at a question", "approval", list[i].row.ID, "err", err)
	}
}

// waitingFor returns those of the questions that wait in a message's thread that
// its author may decide.
func (b *Bot) waitingFor(ctx context.Context, m Message, rows []Approval) ([]asked, error) {
	var list []asked
	for _, row := range rows {
		a, err := readAsked(row)
		if err != nil {
			return nil, err
		}
		may, err := b.mayDecide(ctx, row, m.Thread, m.User)
		if err != nil {
			return nil, err
		}
		if may {
			list = append(list, a)
		}
	}
	return list, nil
}

// waitingRows returns the approvals of runs that wait in the thread of an item's
// message, but for those of the message's own run, and the log of that one if it
// has some.
func (b *Bot) waitingRows(ctx context.Context, it Item, m Message) (rows []Approval, own bool, log string, err error) {
	if it.Unasked {
		return nil, false, "", nil
	}
	all, err := b.cfg.Record.PendingApprovals(ctx, m.Thread.Key(), maxAsked)
	if err != nil {
		return nil, false, "", fmt.Errorf("read approvals: %w", err)
	}
	for _, row := range all {
		switch {
		case row.Kind == approvalFiles:
		case row.Run == m.run():
			a, err := readAsked(row)
			if err != nil {
				return nil, false, "", err
			}
			own, log = true, a.w.Log
		default:
			rows = append(rows, row)
		}
	}
	return rows, own, log, nil
}

// spoken is what words decide about a question: yes and no where it has them,
// anything else where it takes words.
func (a asked) spoken(verb, text string) (decision, Code) {
	if _, ok := a.action(verb); !ok && verb == agent.VerbReject {
		verb = agent.VerbSkip // a step cannot be refused but left out
	}
	reply := agent.Reply{Action: verb}
	if _, ok := a.action(verb); verb == "" || !ok {
		words, ok := a.inWords()
		if !ok {
			return decision{}, CodeUnknown
		}
		reply = agent.Reply{Action: words.Verb, Text: strings.TrimSpace(text)}
	}
	d, _, code := a.decided(reply)
	return d, code
}

// tell answers an item with a sentence of the bot's own.
func (b *Bot) tell(ctx context.Context, l Lease, it Item, m Message, text string) error {
	lang := b.language(ctx, m.Thread, m.User, m.Text)
	p, err := b.present(ctx, l, it, m, look{lang: lang, still: true})
	if err != nil {
		return err
	}
	defer p.close()
	if p.delivered {
		return b.cfg.Record.Finish(ctx, l, it.ID, Outcome{Reply: &p.reply})
	}
	reply := p.finish(ctx, Card{Kind: CardNotice, Text: text, Language: lang, Final: true})
	if err := p.broken; err != nil {
		return err
	}
	if ctx.Err() != nil && reply.State != ReplyFinal {
		return context.Cause(ctx)
	}
	return b.cfg.Record.Finish(ctx, l, it.ID, Outcome{Reply: &reply})
}

// aside names the log of a run that is asked for while another run of its thread
// waits for people: in the thread's own log it would end that one. The name is
// kept, so that the run goes on there after a crash.
func (b *Bot) aside(ctx context.Context, m Message) (string, error) {
	log := m.Thread.Key() + "#aside-" + m.run()
	if err := b.cfg.Record.SetNote(ctx, asideNote(m), log); err != nil {
		return "", fmt.Errorf("note an aside: %w", err)
	}
	return log, nil
}

// asidePrefix begins the notes that name the logs of asides, by their run.
const asidePrefix = "aside/"

func asideNote(m Message) string { return asidePrefix + m.run() }

// asideTurns bounds what an aside is told of the thread.
const asideTurns = 20

// recent is what was said in a thread, for a run that has no log of it.
func (b *Bot) recent(ctx context.Context, m Message) ([]agent.Turn, error) {
	entries, err := b.cfg.Record.Transcript(ctx, m.Thread.Key(), asideTurns)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	var turns []agent.Turn
	for _, e := range entries {
		if e.ID != m.Key() && !e.Deleted && e.Text != "" {
			turns = append(turns, agent.Turn{Author: e.Author, Own: e.Own, Text: e.Text, At: e.At})
		}
	}
	return turns, nil
}
