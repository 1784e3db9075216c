package inbound

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/render"
	"maru/adapters/slack/reply"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/phrase"
)

// commands pass commands to the bot and show the answer to the caller.
type commands struct {
	web     *web.Client
	door    door
	users   persons
	members prover
	files   bot.Uploader
	speech  *speech
	asides  *reply.Asides
	writer  poster
}

// handleCommand passes a slash command to the bot and answers only its caller.
func (k *commands) handleCommand(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	body := env.Body
	team, ok := k.web.Whoami().ClickTeam(payload.Object{"team": payload.With("id", body.Str("team_id"))})
	if !ok {
		return gateway.Result{}, nil
	}
	channel := body.Str("channel_id")
	at := reply.Place{
		Thread: bot.Thread{
			Platform: payload.Platform, Team: team, Channel: channel,
			Direct: strings.HasPrefix(channel, "D") || body.Str("channel_name") == "directmessage",
		},
		Reply: k.asides.NewReplyURL(body.Str("response_url")),
	}
	name, args := k.splitCommand(ctx, in, body.Str("text"))
	now := k.web.Now()
	inv := bot.Invocation{
		Name: cmp.Or(name, "help"), Args: args, Channels: channelsIn(body.Str("text")), Thread: at.Thread,
		User: k.clicker(ctx, body), ID: body.Str("trigger_id"), Trigger: body.Str("trigger_id"),
		Order: payload.TS(now), At: now, Before: undated(now),
	}
	k.members.Prove(at.Thread, inv.User.ID, inv.At)
	k.asides.Remember(inv.Trigger, at)
	k.asides.RememberFor(channel, inv.User.ID, at.Reply)
	card, rest := k.runCommand(ctx, in, inv, at)
	if ack := asAck(card); ack != nil {
		return gateway.Result{Ack: ack}, nil
	}
	if card == nil && rest.After != nil { // the command continues after the acknowledgement
		c := reply.Note(inv.User.Locale, "slack.on_its_way")
		rest.Ack = asAck(&c)
	}
	return rest, nil
}

// clocksDiffer is the allowed skew between this clock and Slack's.
const clocksDiffer = time.Minute

// undated bounds what a command ends: Slack does not date commands.
func undated(now time.Time) bot.Bound {
	latest := now.Add(clocksDiffer)
	return bot.Bound{Order: payload.TS(latest), At: latest}
}

// runCommand runs a command once, since it may post messages. The answer is returned if it is
// ready before the acknowledgement is due, and shown afterwards otherwise.
func (k *commands) runCommand(ctx context.Context, in bot.Intake, inv bot.Invocation, at reply.Place) (*bot.Card, gateway.Result) {
	done := make(chan *bot.Card, 1)
	k.door.Spawn(ctx, gateway.FollowUp, func(ctx context.Context) {
		var card *bot.Card
		err := gateway.Survived(func() (err error) {
			card, err = in.Command(ctx, inv)
			return err
		})
		if err != nil { // Slack does not retry commands: report the failure
			k.web.Log.ErrorContext(ctx, "slack command not committed", "command", inv.Name, "err", err.Error())
			c := reply.Sorry(inv.User.Locale)
			card = &c
		}
		done <- card
	})
	select {
	case card := <-done:
		if card == nil {
			return nil, gateway.Result{}
		}
		return card, gateway.Result{After: func(ctx context.Context) { k.showAnswer(ctx, at, inv, *card) }}
	case <-ctx.Done():
	}
	return nil, gateway.Result{After: func(ctx context.Context) {
		select {
		case card := <-done:
			if card != nil {
				k.showAnswer(ctx, at, inv, *card)
			}
		case <-ctx.Done():
		}
	}}
}

// showAnswer shows a command's answer to its caller.
func (k *commands) showAnswer(ctx context.Context, at reply.Place, inv bot.Invocation, c bot.Card) {
	if len(c.Files) > 0 {
		k.sendFiles(ctx, at, inv, c)
		return
	}
	k.asides.Tell(ctx, at, inv.User, c)
}

// splitCommand splits a command's text into the command's name and its plain-text arguments.
// Commands that name people or groups keep the mentions: only those identify them.
func (k *commands) splitCommand(ctx context.Context, in bot.Intake, text string) (name, args string) {
	name, args, _ = strings.Cut(strings.TrimSpace(text), " ")
	named := slices.ContainsFunc(in.Commands(), func(c bot.Command) bool {
		return c.Is(strings.ToLower(name)) && slices.ContainsFunc(c.Args, func(g bot.Arg) bool { return g.Kind == bot.ArgPeople })
	})
	if named {
		return strings.ToLower(name), strings.TrimSpace(args)
	}
	name, args, _ = strings.Cut(strings.TrimSpace(k.speech.decode(ctx, text)), " ")
	return strings.ToLower(name), strings.TrimSpace(args)
}

// asAck encodes a short answer as the acknowledgement body; nil for longer answers, which
// follow it.
func asAck(c *bot.Card) json.RawMessage {
	if c == nil || len(c.Files) > 0 {
		return nil
	}
	parts := render.Card(*c)
	if len(parts) != 1 {
		return nil
	}
	ack, err := json.Marshal(reply.ReplyBody(parts[0]))
	if err != nil || len(ack) >= gateway.MaxAck {
		return nil
	}
	return ack
}

// sendFiles posts the files of a command's answer into the caller's direct conversation and
// then shows the answer: both stay private.
func (k *commands) sendFiles(ctx context.Context, at reply.Place, inv bot.Invocation, c bot.Card) {
	to, err := k.writer.DirectWith(ctx, at.Thread.Team, inv.User)
	if err == nil {
		err = k.files.Upload(ctx, bot.Parcel{To: to, Files: c.Files, Text: c.Title, Key: "handed-" + inv.ID})
	}
	c.Files, c.Footer = nil, phrase.Say(c.Language, "slack.file_in_dm")
	if err != nil {
		k.web.Log.WarnContext(ctx, "slack file of a command was not delivered", "err", err.Error())
		c.Text, c.Footer = phrase.Say(c.Language, "bot.files.not_delivered"), ""
	}
	k.asides.Tell(ctx, at, inv.User, c)
}
