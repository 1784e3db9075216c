package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"maru/bot"
	"maru/phrase"
)

// Demo begins the demo: a task of an agent whose model plays a script.
type Demo struct {
	platforms bot.Platforms
	turns     Turns
	agent     string // "" if the program has none
}

// demo begins it where the person is alone with the bot: here, or in their direct conversation.
func (d *Demo) demo(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	if d.agent == "" {
		return nil, &bot.Error{Code: bot.CodeNoAgent}
	}
	intro := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "demo.title"), Text: phrase.Say(lang, "demo.intro"), Language: lang, Final: true}
	m := bot.Message{
		ID: c.ID, Order: c.Order, Thread: c.Thread, User: c.User, Reach: bot.ReachCommand, Text: phrase.Say(lang, "demo.task"), At: c.At, Agent: d.agent,
	}
	said := intro
	if a, ok := d.platforms[c.Thread.Platform].(bot.Direct); ok {
		if err := d.open(ctx, a, &m, intro); err != nil {
			return nil, err
		}
		said = bot.Card{Kind: bot.CardNotice, Text: phrase.Say(lang, "demo.sent"), Language: lang, Final: true}
	}
	if err := d.turns.Message(ctx, m); err != nil {
		return nil, err
	}
	return &said, nil
}

// open posts the explanation of the demo in the person's direct conversation, with the task, and moves the message
// there.
func (d *Demo) open(ctx context.Context, o bot.Direct, m *bot.Message, intro bot.Card) error {
	at, threads, err := o.OpenDirect(ctx, m.Thread, m.User)
	if err == nil {
		intro.Text += "\n\n**" + cmp.Or(m.User.Name, phrase.Say(intro.Language, "bot.ask.title")) + "**: " + m.Text
		var ref bot.Ref
		if ref, err = d.platforms[at.Platform].Post(ctx, bot.Target{Thread: at, User: m.User}, intro, "demo-"+m.ID); err == nil {
			if ref.IsZero() {
				return &bot.Error{Code: bot.CodeInternal, Err: errors.New("the platform gave no message id")}
			}
			m.Thread, m.ReplyTo, m.Order = at, ref.Messages[0], ref.Messages[0]
			if threads {
				m.Thread.ID = ref.Messages[0]
			}
			if dated, ok := d.platforms[at.Platform].(bot.Dater); ok {
				m.At = dated.Dated(m.Order)
			}
			return nil
		}
	}
	if errors.Is(err, bot.ErrForbidden) || errors.Is(err, bot.ErrGone) {
		return &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(intro.Language, "demo.no_direct"), Noted: true, Err: err}
	}
	return fmt.Errorf("open direct conversation: %w", err)
}
