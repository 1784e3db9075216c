package slack

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"maru/bot"
)

// Ids of the shortcuts in the manifest.
const (
	shortcutAsk       = "maru_ask"
	shortcutDocs      = "maru_docs"
	shortcutSummarise = "maru_summarise"
	shortcutAnywhere  = "maru_anywhere"
)

// askForm is the form of the global shortcut, the only one of the adapter's own;
// the bot's ids are opaque and have no dots.
const (
	askForm     = "adapter.ask"
	askQuestion = "question"
)

// handleShortcut turns a shortcut on a message into a question about it, asked
// in its thread by who used it. The name of any other shortcut is a command.
func (a *Adapter) handleShortcut(ctx context.Context, in bot.Intake, team string, body object) (result, error) {
	at, msg, u := a.placeOf(team, body), body.obj("message"), a.clicker(ctx, body)
	a.replies.remember(body.str("trigger_id"), at)
	a.replies.rememberFor(at.thread.Channel, u.ID, at.reply)
	m := bot.Message{
		ID: first(body.str("action_ts"), a.nowTS()), Thread: at.thread, User: u, Reach: bot.ReachMention, At: a.cfg.Now(),
	}
	m.Order = m.ID
	said := strings.TrimSpace(a.decode(ctx, a.said(msg)))
	switch body.str("callback_id") {
	case shortcutAsk:
		m.Text, m.Files = about(said, u.Locale), filesOf(msg)
	case shortcutSummarise:
		m.Text = word(u.Locale, "이 스레드에서 나눈 이야기를 요약해 주세요.", "Please summarise what was said in this thread.")
	case shortcutDocs:
		m.Text, m.Files = word(u.Locale, "이 파일을 문서에 추가해 주세요.", "Please add this file to the documents."), filesOf(msg)
		if len(m.Files) == 0 {
			c := note(u.Locale, "이 메시지에는 추가할 파일이 없어요. 파일이 있는 메시지에서 다시 해 주세요.", "This message has no file to add. Please use this on a message with a file.")
			return result{after: func(ctx context.Context) { a.tell(ctx, at, u, c) }}, nil
		}
	default:
		return a.handleNamed(ctx, in, at, u, body)
	}
	return a.submit(ctx, in, m, at)
}

// about is a message as a question of its own, or as what is asked about.
func about(said, locale string) string {
	if said == "" || strings.ContainsAny(said, "?？") {
		return said
	}
	return word(locale, "이 메시지에 대해 알려 주세요.", "Tell me about this message.") + "\n\n> " + strings.ReplaceAll(said, "\n", "\n> ")
}

// submit commits a question that came without a message of its own, and tells
// who asked that it was taken.
func (a *Adapter) submit(ctx context.Context, in bot.Intake, m bot.Message, at place) (result, error) {
	err := a.commit(ctx, func(ctx context.Context) error { return in.Message(ctx, m) })
	c := note(m.User.Locale, "답을 준비하고 있어요.", "Your answer is on its way.")
	if err != nil {
		c = sorry(m.User.Locale)
	}
	return result{after: func(ctx context.Context) { a.tell(ctx, at, m.User, c) }}, err
}

// handleNamed turns a shortcut into the command of its name, with the message it
// was used on.
func (a *Adapter) handleNamed(ctx context.Context, in bot.Intake, at place, u bot.User, body object) (result, error) {
	inv := bot.Invocation{
		Name: strings.TrimPrefix(body.str("callback_id"), "maru_"), Args: a.decode(ctx, a.said(body.obj("message"))),
		Thread: at.thread, User: u, ID: body.str("trigger_id"), Trigger: body.str("trigger_id"), At: a.cfg.Now(),
	}
	if at.message != "" {
		inv.Options = map[string]string{"message": at.message}
	}
	card, err := in.Command(ctx, inv)
	if err != nil {
		return result{after: func(ctx context.Context) { a.tell(ctx, at, u, sorry(u.Locale)) }}, err
	}
	if card == nil {
		return result{}, nil
	}
	return result{after: func(ctx context.Context) { a.tell(ctx, at, u, *card) }}, nil
}

// handleGlobal opens a form for a question from anywhere in Slack.
func (a *Adapter) handleGlobal(ctx context.Context, in bot.Intake, team string, body object) (result, error) {
	u := a.clicker(ctx, body)
	if body.str("callback_id") != shortcutAnywhere {
		return a.handleNamed(ctx, in, a.placeOf(team, body), u, body)
	}
	trigger, l := body.str("trigger_id"), u.Locale
	f := bot.Form{
		ID: askForm, Verb: "ask", Title: word(l, "마루에게 묻기", "Ask Maru"), Submit: word(l, "보내기", "Send"),
		Inputs: []bot.Input{{
			ID: askQuestion, Label: word(l, "무엇이 궁금하세요?", "What would you like to know?"), Long: true, Required: true,
			Hint: word(l, "답은 저와의 대화에서 드려요.", "I answer in our direct conversation."),
		}},
	}
	a.replies.remember(trigger, place{thread: bot.Thread{Platform: Platform, Team: team}})
	return result{after: func(ctx context.Context) {
		if err := a.OpenForm(ctx, trigger, f); err != nil {
			a.log.WarnContext(ctx, "slack form was not opened", "error", err.Error())
		}
	}}, nil
}

// handleAsked takes the question of the global shortcut: it is posted in the
// direct conversation, and answered below.
func (a *Adapter) handleAsked(ctx context.Context, in bot.Intake, act bot.Action, view string) (result, error) {
	question, l := strings.TrimSpace(act.Values[askQuestion]), act.User.Locale
	switch n := utf8.RuneCountInString(question); {
	case n == 0:
		return fieldError(askQuestion, word(l, "질문을 적어 주세요.", "Please write your question."))
	case n > maxInput:
		return fieldError(askQuestion, fmt.Sprintf(word(l, "%d자까지 쓸 수 있어요.", "Please use at most %d characters."), maxInput))
	}
	t := bot.Thread{Platform: Platform, Team: act.Thread.Team, Direct: true}
	err := a.gates.do(ctx, job{method: "conversations.open", urgent: true}, func(ctx context.Context) error {
		ch, _, _, err := a.api().OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{act.User.ID}})
		if err == nil {
			t.Channel = ch.ID
		}
		return err
	})
	if err != nil {
		a.log.WarnContext(ctx, "slack direct conversation was not opened", "code", first(errorCode(err), "network"))
		return fieldError(askQuestion, sorry(l).Text)
	}
	asked := bot.Card{Kind: bot.CardText, Text: "**" + first(act.User.Name, word(l, "질문", "Question")) + "**: " + question, Final: true}
	ref, err := a.Post(ctx, bot.Target{Thread: t, User: act.User}, asked, "ask-"+view)
	if err != nil || ref.IsZero() {
		return fieldError(askQuestion, sorry(l).Text)
	}
	t.ID = ref.Messages[0]
	a.noteNew(t)
	m := bot.Message{ID: "ask-" + view, Order: t.ID, Thread: t, User: act.User, Reach: bot.ReachCommand, Text: question, At: act.At}
	if err := a.commit(ctx, func(ctx context.Context) error { return in.Message(ctx, m) }); err != nil {
		return result{}, err // the form stays open; its question is posted once, whatever happens
	}
	return result{}, nil
}

// fieldError keeps a form open with a word at a field.
func fieldError(field, say string) (result, error) {
	ack, err := formAnswer(bot.Answer{Errors: map[string]string{field: say}}, formMeta{})
	return result{ack: ack}, err
}

// nowTS is the present as the ts of a message.
func (a *Adapter) nowTS() string {
	us := a.cfg.Now().UnixMicro()
	return fmt.Sprintf("%d.%06d", us/1e6, us%1e6)
}
