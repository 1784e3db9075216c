package command

import (
	"context"
	"strings"

	"maru/bot"
	"maru/memory/longterm"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// Forgets finds the one thing that a person asks to have forgotten, "forget that I'm vegetarian", and asks before it is deleted.
// text is "" if the message is no such wish, or nothing of that kind is remembered. Before others nothing is
// looked up: an answer would tell them what is remembered.
func (me *Memory) Forgets(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error) {
	about, named, ok := intent.ForgetsOne(m.Text)
	if !ok || !m.Thread.Direct {
		return "", nil, nil
	}
	list, err := me.memory.Known(ctx, m.Thread.Person(m.User))
	if err != nil {
		return "", nil, err
	}
	var lines []string
	for _, r := range byTask(list, lang) {
		if r.task != "" || !means(r, about, named) || len(lines) == mostForgotten {
			continue
		}
		words := plainLine(longterm.Worded(r.words, lang), lang)
		lines = append(lines, "- "+fit.Literal(words))
		buttons = append(buttons, bot.Button{ID: ControlForget + m.User.ID, Verb: verbRecord + r.ID, Label: phrase.Say(lang, "bot.memory.forget_button", fit.Clip(words, 40)), Style: bot.ButtonDanger})
	}
	if len(lines) == 0 {
		return "", nil, nil
	}
	return phrase.Say(lang, "bot.memory.forget_ask") + "\n\n" + strings.Join(lines, "\n"), buttons, nil
}

// means reports whether words call a record: "forget my answers" does not mean a preference of short answers.
func means(r remembered, words string, named bool) bool {
	subject, value, _ := strings.Cut(r.words, ": ")
	return intent.MeansFact(words, named, subject, value, quoteOf(r.Record))
}

const (
	mostForgotten = 4         // records that one answer offers to delete
	verbRecord    = "record/" // and the ID of a record: the verb of such a button
)

// Own answers such a message without a model, which would see only the records that match
// the question. The list is shown in direct messages only. Words delete nothing; the answer
// names the commands that do.
func (me *Memory) Own(ctx context.Context, m bot.Message, lang string) (string, error) {
	if !m.Thread.Direct {
		return phrase.Say(lang, "bot.memory.private"), nil
	}
	card, err := me.list(ctx, bot.Invocation{Thread: m.Thread, User: m.User}, lang)
	if err != nil {
		return "", err
	}
	return phrase.MomentWords(fit.Paragraphs("**"+card.Title+"**\n\n"+strings.TrimSpace(card.Text), card.Footer)), nil
}
