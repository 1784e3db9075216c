package gap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"maru/bot"
	"maru/bot/note"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// Control begins the ID of every button and form of a gap; the run's ID follows. It grants nothing.
const Control = "gap/"

const (
	week         = 7
	answerable   = 4   // gaps of a card that have a button
	maxAnswer    = 700 // characters
	maxQuestion  = 200 // of a question in a note or a list
	fieldAnswer  = "answer"
	verbAnswer   = "answer"
	verbDocument = "document"
	verbSave     = "save"
)

// Command carries out "/maru gaps": the gaps of the last week, or "weekly" and "off" for a report every Monday.
func (gs *Gaps) Command(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	if !gs.Rules.May(c.Thread, c.User, config.ChannelAdmin) {
		return nil, &bot.Error{Code: bot.CodeMayNot, Detail: phrase.Say(lang, "bot.refused.ask_admin")}
	}
	switch phrase.Choice(cmp.Or(strings.TrimSpace(c.Args), c.Options["action"], "list"), "gap.also.", "list", "weekly", "off") {
	case "list":
		return gs.card(ctx, c.Thread, lang)
	case "weekly":
		return gs.weekly(ctx, c, true, lang)
	case "off":
		return gs.weekly(ctx, c, false, lang)
	}
	return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "gap.how")}
}

// card shows the gaps of a channel of the last week.
func (gs *Gaps) card(ctx context.Context, channel bot.Thread, lang string) (*bot.Card, error) {
	gaps, err := gs.Of(ctx, channel, gs.Now().AddDate(0, 0, -week))
	if err != nil {
		return nil, err
	}
	card := &bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "gap.title"), Language: lang, Final: true, Footer: phrase.Say(lang, "gap.how")}
	card.Text, card.Buttons = shown(gaps, lang)
	return card, nil
}

// shown formats gaps for people, with buttons to answer the first ones.
func shown(gaps []Gap, lang string) (text string, buttons []bot.Button) {
	if len(gaps) == 0 {
		return phrase.Say(lang, "gap.none"), nil
	}
	var lines []string
	for i, g := range gaps[:min(len(gaps), maxGaps)] {
		line := fmt.Sprintf("%d. **%s**", i+1, plain(g.Question))
		var why []string
		if g.NotFound > 0 {
			why = append(why, phrase.Say(lang, "gap.not_found", g.NotFound))
		}
		if g.Down > 0 {
			why = append(why, fmt.Sprintf("👎 %d", g.Down))
		}
		line += " — " + fit.Dots(why...)
		for _, o := range g.Others[max(0, len(g.Others)-2):] {
			line += "\n   - " + plain(o)
		}
		lines = append(lines, line)
		if i < answerable {
			buttons = append(buttons, bot.Button{ID: Control + g.Run, Verb: verbAnswer, Label: phrase.Say(lang, "gap.button.answer", i+1)})
		}
	}
	if more := len(gaps) - maxGaps; more > 0 {
		lines = append(lines, phrase.Say(lang, "bot.list.more", more))
	}
	buttons = append(buttons, bot.Button{ID: Control + gaps[0].Run, Verb: verbDocument, Label: phrase.Say(lang, "gap.button.document")})
	return strings.Join(lines, "\n"), buttons
}

// plain formats a question on one line without Markdown.
func plain(text string) string {
	return fit.Clip(strings.NewReplacer("*", "·", "`", "'").Replace(fit.Visible(fit.OneLine(text))), maxQuestion)
}

// Action carries out a click under a gap, or its form.
func (gs *Gaps) Action(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	run := strings.TrimPrefix(a.ID, Control)
	t, question, err := gs.question(ctx, run)
	switch {
	case errors.Is(err, bot.ErrNotFound):
		return told(phrase.Say(lang, "gap.gone"), lang), nil
	case err != nil:
		return bot.Answer{}, err
	}
	if may, err := gs.mayAnswer(ctx, a, t); err != nil || !may {
		return told((&bot.Error{Code: bot.CodeNotAllowed}).Text(lang), lang), err
	}
	switch a.Verb {
	case verbDocument:
		return told(phrase.Say(lang, "gap.upload"), lang), nil
	case verbAnswer:
		return bot.Answer{Form: form(run, question, lang)}, nil
	}
	answer := fit.OneLine(a.Values[fieldAnswer])
	if fit.Blank(answer) {
		return bot.Answer{Form: form(run, question, lang).Typed(a.Values), Errors: map[string]string{fieldAnswer: phrase.Say(lang, "bot.form.required")}}, nil
	}
	text, _, err := gs.Notes.Put(ctx, t, a.User, note.Said{Key: noteKey(run), Text: plain(question) + " " + answer, At: gs.Now()}, lang)
	return told(text, lang), err
}

// question returns the present text of a run's question and its thread; ErrNotFound if it was deleted.
func (gs *Gaps) question(ctx context.Context, run string) (bot.Thread, string, error) {
	reply, err := gs.Record.Reply(ctx, run)
	if err != nil {
		return bot.Thread{}, "", fmt.Errorf("find a question: %w", err)
	}
	e, err := gs.Record.Entry(ctx, reply.Thread, reply.Item)
	if err == nil && (e.Deleted || fit.Blank(e.Text)) {
		err = bot.ErrNotFound
	}
	if err != nil {
		return bot.Thread{}, "", fmt.Errorf("read a question: %w", err)
	}
	t, err := bot.ParseThread(reply.Thread)
	return t, e.Text, err
}

// mayAnswer reports whether the person who clicked is an admin of the question's channel and can read it, since
// reports are read in direct messages as well.
func (gs *Gaps) mayAnswer(ctx context.Context, a bot.Action, t bot.Thread) (bool, error) {
	if t.Platform != a.Thread.Platform {
		return false, nil
	}
	if a.Thread.Direct && a.Thread.SharesChannel(t.Key()) {
		return true, nil // their own conversation
	}
	if !gs.Rules.May(t, a.User, config.ChannelAdmin) {
		return false, nil
	}
	members, ok := gs.Adapters[t.Platform].(bot.Members)
	if a.Thread.SharesChannel(t.Key()) || !ok {
		return a.Thread.SharesChannel(t.Key()), nil
	}
	may, err := members.Member(ctx, t, a.User.ID, "")
	if err != nil {
		return false, fmt.Errorf("check the readers of a question's channel: %w", err)
	}
	return may, nil
}

// form asks for the answer to a question.
func form(run, question, lang string) *bot.Form {
	return &bot.Form{ID: Control + run, Verb: verbSave, Title: phrase.Say(lang, "gap.form"), Submit: phrase.Say(lang, "gap.form.submit"), Inputs: []bot.Input{
		{ID: fieldAnswer, Label: phrase.Say(lang, "gap.form.answer"), Hint: fit.Clip(plain(question), 140), Long: true, Required: true, Max: maxAnswer},
	}}
}

func told(text, lang string) bot.Answer {
	return bot.Answer{Card: bot.NewNotice(text, lang)}
}
