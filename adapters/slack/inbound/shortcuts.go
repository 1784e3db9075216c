package inbound

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/render"
	"maru/adapters/slack/reply"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/phrase"
)

// IDs of the manifest's shortcuts.
const (
	shortcutAsk       = "maru_ask"
	shortcutDocs      = "maru_docs"
	shortcutSummarise = "maru_summarise"
	shortcutAnywhere  = "maru_anywhere"
)

// askForm is the form of the global shortcut, the adapter's only own form; the bot's IDs are
// opaque and contain no dots.
const (
	askForm     = "adapter.ask"
	askQuestion = "question"
)

// shortcuts convert shortcuts to questions and commands.
type shortcuts struct {
	web      *web.Client
	door     door
	files    attacher
	speech   *speech
	asides   *reply.Asides
	writer   poster
	signs    titles
	commands *commands
}

// handleShortcut converts a message shortcut to a question about that message, asked in its
// thread by the person who used it. Any other shortcut is a command with its name.
func (sc *shortcuts) handleShortcut(ctx context.Context, in bot.Intake, team string, body payload.Object) (gateway.Result, error) {
	at, msg, u := sc.asides.PlaceOf(team, body), body.Obj("message"), sc.commands.clicker(ctx, body)
	sc.asides.Remember(body.Str("trigger_id"), at)
	sc.asides.RememberFor(at.Thread.Channel, u.ID, at.Reply)
	m := bot.Message{
		ID: cmp.Or(body.Str("action_ts"), sc.nowTS()), Thread: at.Thread, User: u, Reach: bot.ReachMenu,
	}
	m.Order, m.At = m.ID, payload.Time(m.ID)
	words := sc.speech.read(ctx, team, msg)
	said := words.text
	switch body.Str("callback_id") {
	case shortcutAsk:
		m.Text, m.Files = questionAbout(said, u.Locale), append(sc.files.Attached(ctx, team, msg), words.files...)
	case shortcutSummarise:
		m.Text = phrase.Say(u.Locale, "slack.menu.summarise_request")
	case shortcutDocs:
		m.Text, m.Files = phrase.Say(u.Locale, "slack.menu.add_request"), append(sc.files.Attached(ctx, team, msg), words.files...)
		if len(m.Files) == 0 {
			c := reply.Note(u.Locale, "slack.menu.no_file")
			return gateway.Result{After: func(ctx context.Context) { sc.asides.Tell(ctx, at, u, c) }}, nil
		}
	default:
		return sc.handleNamed(ctx, in, at, u, body)
	}
	return sc.submit(ctx, in, m, at)
}

// questionAbout returns the question about a message: its own text if that is a question, else a
// request to explain it.
func questionAbout(said, locale string) string {
	if said == "" || strings.ContainsAny(said, "?？") {
		return said
	}
	return phrase.Say(locale, "slack.menu.about_request") + "\n\n> " + strings.ReplaceAll(said, "\n", "\n> ")
}

// submit commits a question that has no message of its own, and confirms it to the asker.
func (sc *shortcuts) submit(ctx context.Context, in bot.Intake, m bot.Message, at reply.Place) (gateway.Result, error) {
	err := sc.door.Commit(ctx, func(ctx context.Context) error { return in.Message(ctx, m) })
	c := reply.Note(m.User.Locale, "slack.on_its_way")
	if err != nil {
		c = reply.Sorry(m.User.Locale)
	}
	return gateway.Result{After: func(ctx context.Context) { sc.asides.Tell(ctx, at, m.User, c) }}, err
}

// handleNamed converts a shortcut to the command of its name, with the message as its target.
func (sc *shortcuts) handleNamed(ctx context.Context, in bot.Intake, at reply.Place, u bot.User, body payload.Object) (gateway.Result, error) {
	inv := bot.Invocation{
		Name: strings.TrimPrefix(body.Str("callback_id"), "maru_"), Args: sc.speech.read(ctx, at.Thread.Team, body.Obj("message")).text,
		Thread: at.Thread, User: u, ID: body.Str("trigger_id"), Trigger: body.Str("trigger_id"), At: sc.web.Now(),
	}
	if at.Message != "" {
		inv.Options = map[string]string{"message": at.Message}
	}
	_, rest := sc.commands.runCommand(ctx, in, inv, at)
	return rest, nil
}

// handleGlobal opens a form for a question from anywhere in Slack.
func (sc *shortcuts) handleGlobal(ctx context.Context, in bot.Intake, team string, body payload.Object) (gateway.Result, error) {
	u := sc.commands.clicker(ctx, body)
	if body.Str("callback_id") != shortcutAnywhere {
		return sc.handleNamed(ctx, in, sc.asides.PlaceOf(team, body), u, body)
	}
	trigger, l := body.Str("trigger_id"), u.Locale
	f := bot.Form{
		ID: askForm, Verb: "ask", Title: phrase.Say(l, "slack.ask_maru"), Submit: phrase.Say(l, "slack.form.send"),
		Inputs: []bot.Input{{
			ID: askQuestion, Label: phrase.Say(l, "slack.form.question_hint"), Long: true, Required: true,
			Hint: phrase.Say(l, "slack.answer_in_dm"),
		}},
	}
	sc.asides.Remember(trigger, reply.Place{Thread: bot.Thread{Platform: payload.Platform, Team: team}})
	return gateway.Result{After: func(ctx context.Context) {
		if err := sc.asides.OpenForm(ctx, trigger, f); err != nil {
			sc.web.Log.WarnContext(ctx, "slack form was not opened", "err", err.Error())
		}
	}}, nil
}

// handleAsked posts the global shortcut's question in the direct conversation, where it is
// answered in a thread.
func (sc *shortcuts) handleAsked(ctx context.Context, in bot.Intake, act bot.Action, view string) (gateway.Result, error) {
	question, l := strings.TrimSpace(act.Values[askQuestion]), act.User.Locale
	switch n := utf8.RuneCountInString(question); {
	case n == 0:
		return fieldError(askQuestion, phrase.Say(l, "slack.form.question_missing"))
	case n > render.MaxInput:
		return fieldError(askQuestion, phrase.Say(l, "slack.form.too_long", render.MaxInput))
	}
	to, err := sc.writer.DirectWith(ctx, act.Thread.Team, act.User)
	if err != nil {
		sc.web.Log.WarnContext(ctx, "slack direct conversation was not opened", "code", cmp.Or(web.Code(err), "network"))
		return fieldError(askQuestion, reply.Sorry(l).Text)
	}
	asked := bot.Card{Kind: bot.CardText, Text: "**" + cmp.Or(act.User.Name, phrase.Say(l, "slack.form.question")) + "**: " + question, Final: true}
	ref, err := sc.writer.Post(ctx, to, asked, "ask-"+view)
	if err != nil || ref.IsZero() {
		return fieldError(askQuestion, reply.Sorry(l).Text)
	}
	t := to.Thread
	t.ID = ref.Messages[0]
	sc.signs.NoteNew(t)
	m := bot.Message{ID: "ask-" + view, Order: t.ID, Thread: t, User: act.User, Reach: bot.ReachCommand, Text: question, At: payload.Time(t.ID)}
	if err := sc.door.Commit(ctx, func(ctx context.Context) error { return in.Message(ctx, m) }); err != nil {
		return gateway.Result{}, err // the form stays open; its question is posted only once
	}
	return gateway.Result{}, nil
}

// fieldError keeps a form open with an error at a field.
func fieldError(field, say string) (gateway.Result, error) {
	ack, err := formAnswer(bot.Answer{Errors: map[string]string{field: say}}, render.FormMeta{})
	return gateway.Result{Ack: ack}, err
}

// nowTS returns the current time as a message's ts.
func (sc *shortcuts) nowTS() string { return payload.TS(sc.web.Now()) }
