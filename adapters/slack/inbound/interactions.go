package inbound

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/render"
	"maru/adapters/slack/reply"
	"maru/adapters/slack/web"
	"maru/bot"
)

// interactions pass clicks, forms and shortcuts to the bot, and show its answers.
type interactions struct {
	web       *web.Client
	door      door
	users     persons
	members   prover
	asides    *reply.Asides
	homes     *homes
	commands  *commands
	shortcuts *shortcuts
}

// handleInteraction dispatches clicks, forms and shortcuts.
func (i *interactions) handleInteraction(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	team, ok := i.web.Whoami().ClickTeam(env.Body)
	if !ok {
		i.web.Log.WarnContext(ctx, "slack interaction for another workspace than the token's")
		return gateway.Result{}, nil
	}
	if i.namesake(ctx, env.Body) {
		i.web.Log.WarnContext(ctx, "slack interaction by a person of another workspace with the ID of a person here", "user", env.Body.Obj("user").Str("id"))
		return gateway.Result{}, nil
	}
	switch env.Body.Str("type") {
	case "block_actions":
		return i.handleClick(ctx, in, team, env.Body)
	case "view_submission":
		return i.handleSubmission(ctx, in, env.Body)
	case "view_closed":
		return gateway.Result{}, i.handleClosed(ctx, in, env.Body)
	case "message_action":
		return i.shortcuts.handleShortcut(ctx, in, team, env.Body)
	case "shortcut":
		return i.shortcuts.handleGlobal(ctx, in, team, env.Body)
	}
	return gateway.Result{}, nil
}

// namesake reports whether a person claims another workspace than Slack's directory has for
// their ID. Slack guarantees IDs to be unique only within a workspace, and permissions depend
// on them. In an Enterprise Grid an ID is the same in all workspaces.
func (i *interactions) namesake(ctx context.Context, body payload.Object) bool {
	id, who := i.web.Whoami(), body.Obj("user")
	home := who.Str("team_id")
	if id == nil || id.Org || home == "" || home == id.Team || home == id.Enterprise || body.Obj("enterprise").Str("id") != "" {
		return false
	}
	known := i.users.Get(ctx, who.Str("id"), i.web.AskWithin)
	return known.Name != "" && !known.External
}

// handleClick passes a button click or a list choice to the bot.
func (i *interactions) handleClick(ctx context.Context, in bot.Intake, team string, body payload.Object) (gateway.Result, error) {
	for _, ac := range body.List("actions") {
		if !strings.HasPrefix(ac.Str("action_id"), render.ActionPrefix) {
			continue
		}
		id, verb, ok := render.ParseButton(cmp.Or(ac.Str("value"), ac.Obj("selected_option").Str("value")))
		if !ok {
			continue
		}
		at := i.asides.PlaceOf(team, body)
		act := bot.Action{
			ID: id, Verb: verb, Thread: at.Thread, Message: at.Message, Home: at.Home,
			User: i.commands.clicker(ctx, body), Trigger: body.Str("trigger_id"), At: actionTime(ac, i.web.Now()),
		}
		i.asides.Remember(act.Trigger, at)
		i.asides.RememberFor(at.Thread.Channel, act.User.ID, at.Reply)
		i.members.Prove(at.Thread, act.User.ID, act.At)
		return i.act(ctx, in, act, at)
	}
	return gateway.Result{}, nil
}

// act commits an action and prepares the answer to the clicker. Slack does not retry
// unacknowledged clicks, so on failure the person is asked to click again.
func (i *interactions) act(ctx context.Context, in bot.Intake, act bot.Action, at reply.Place) (gateway.Result, error) {
	var ans bot.Answer
	err := i.door.Commit(ctx, func(ctx context.Context) (err error) {
		ans, err = in.Action(ctx, act)
		return err
	})
	if err != nil {
		return gateway.Result{After: func(ctx context.Context) { i.asides.Tell(ctx, at, act.User, reply.Sorry(act.User.Locale)) }}, err
	}
	return gateway.Result{After: func(ctx context.Context) { i.follow(ctx, in, act, at, ans) }}, nil
}

// follow opens the form, or posts the private text, that answers a click.
func (i *interactions) follow(ctx context.Context, in bot.Intake, act bot.Action, at reply.Place, ans bot.Answer) {
	if ans.Form != nil {
		if err := i.asides.OpenForm(ctx, act.Trigger, *ans.Form); err != nil {
			i.web.Log.WarnContext(ctx, "slack form was not opened", "err", err.Error())
			i.asides.Tell(ctx, at, act.User, reply.Late(act.User.Locale))
		}
	}
	switch {
	case at.Home && ans.Form == nil:
		i.homes.publish(ctx, in, at, act.User, ans.Card)
	case ans.Card != nil:
		i.asides.Tell(ctx, at, act.User, *ans.Card)
	}
}

// clicker returns the person who clicked, with a freshly loaded role: permissions depend on
// it.
func (k *commands) clicker(ctx context.Context, body payload.Object) bot.User {
	who := body.Obj("user")
	u := k.users.Get(ctx, cmp.Or(who.Str("id"), body.Str("user_id")), k.web.AskWithin)
	u.Name = cmp.Or(u.Name, who.Str("name"), who.Str("username"), body.Str("user_name"))
	return u
}

func actionTime(ac payload.Object, now time.Time) time.Time {
	if t := payload.Time(ac.Str("action_ts")); !t.IsZero() {
		return t
	}
	return now
}

// handleSubmission passes a submitted form to the bot. Errors of a field are shown at the
// field while the form stays open.
func (i *interactions) handleSubmission(ctx context.Context, in bot.Intake, body payload.Object) (gateway.Result, error) {
	view := body.Obj("view")
	meta, ok := render.ReadFormMeta(view.Str("private_metadata"))
	if !ok {
		return gateway.Result{}, nil
	}
	act := bot.Action{
		ID: meta.ID, Verb: meta.Verb, Thread: meta.Thread, Message: meta.Message, Home: meta.Home, User: i.commands.clicker(ctx, body),
		Values: render.FormValues(view.Obj("state").Obj("values")), Trigger: body.Str("trigger_id"), At: i.web.Now(),
	}
	if meta.ID == askForm {
		return i.shortcuts.handleAsked(ctx, in, act, view.Str("id"))
	}
	// A submitted form has no response_url. That of the click which opened it works where the bot is not a member.
	at := reply.Place{Thread: meta.Thread, Message: meta.Message, Home: meta.Home, Reply: i.asides.ReplyFor(meta.Thread.Channel, act.User.ID)}
	i.asides.Remember(act.Trigger, at)
	var ans bot.Answer
	err := i.door.Commit(ctx, func(ctx context.Context) (err error) {
		ans, err = in.Action(ctx, act)
		return err
	})
	if err != nil {
		return gateway.Result{}, err // the form stays open, with its values
	}
	ack, err := formAnswer(ans, meta)
	if err != nil || len(ack) > gateway.MaxAck {
		return gateway.Result{}, errors.Join(errors.New("slack: answer to a form"), err)
	}
	res := gateway.Result{Ack: ack}
	switch {
	case at.Home && len(ans.Errors) == 0 && ans.Form == nil:
		res.After = func(ctx context.Context) { i.homes.publish(ctx, in, at, act.User, ans.Card) }
	case ans.Card != nil:
		res.After = func(ctx context.Context) { i.asides.Tell(ctx, at, act.User, *ans.Card) }
	}
	return res, nil
}

// formAnswer returns the acknowledgement of a submitted form: nil closes it. Errors are shown at the open form, or, if a form with
// another verb replaces it, as that form's hints.
func formAnswer(ans bot.Answer, meta render.FormMeta) ([]byte, error) {
	switch {
	case len(ans.Errors) > 0 && (ans.Form == nil || ans.Form.Verb == meta.Verb):
		errs := make(map[string]string, len(ans.Errors))
		for k, v := range ans.Errors {
			errs[render.Clip(k, render.MaxID)] = render.Clip(v, render.MaxHint)
		}
		return json.Marshal(map[string]any{"response_action": "errors", "errors": errs})
	case ans.Form != nil:
		view, err := render.Form(ans.Form.Flawed(ans.Errors), meta)
		if err != nil {
			return nil, err
		}
		return json.Marshal(map[string]any{"response_action": "update", "view": view})
	}
	return nil, nil
}

// verbClosed is the verb of the action for a form that was closed without submission.
const verbClosed = "closed"

// handleClosed reports a closed form to the bot; it shows no answer.
func (i *interactions) handleClosed(ctx context.Context, in bot.Intake, body payload.Object) error {
	meta, ok := render.ReadFormMeta(body.Obj("view").Str("private_metadata"))
	if !ok || meta.ID == askForm {
		return nil
	}
	act := bot.Action{
		ID: meta.ID, Verb: verbClosed, Thread: meta.Thread, Message: meta.Message,
		User: i.commands.clicker(ctx, body), At: i.web.Now(),
	}
	return i.door.Commit(ctx, func(ctx context.Context) error {
		_, err := in.Action(ctx, act)
		return err
	})
}
