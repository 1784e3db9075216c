package slack

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"maru/bot"
)

// handleCommand hands a slash command to the bot and answers its caller alone.
func (a *Adapter) handleCommand(ctx context.Context, in bot.Intake, env envelope) (result, error) {
	body := env.body
	team, ok := a.interactionTeam(object{"team": mustObject("id", body.str("team_id"))})
	if !ok {
		return result{}, nil
	}
	channel := body.str("channel_id")
	at := place{
		thread: bot.Thread{
			Platform: Platform, Team: team, Channel: channel,
			Direct: strings.HasPrefix(channel, "D") || body.str("channel_name") == "directmessage",
		},
		reply: a.newReplyURL(body.str("response_url")),
	}
	name, args := a.words(ctx, in, body.str("text"))
	inv := bot.Invocation{
		Name: first(name, "help"), Args: args, Thread: at.thread,
		User: a.clicker(ctx, body), ID: body.str("trigger_id"), Trigger: body.str("trigger_id"), At: a.cfg.Now(),
	}
	a.prove(at.thread, inv.User.ID, inv.At)
	a.replies.remember(inv.Trigger, at)
	a.replies.rememberFor(channel, inv.User.ID, at.reply)
	card, err := in.Command(ctx, inv) // once: a command may have posted something
	if err != nil {
		// Slack does not repeat a command: say so instead of leaving it unanswered.
		a.log.ErrorContext(ctx, "slack command was not committed", "err", err.Error())
		c := sorry(inv.User.Locale)
		card = &c
	}
	if card == nil {
		return result{}, nil
	}
	if len(card.Files) > 0 {
		return result{after: func(ctx context.Context) { a.handOver(ctx, at, inv, *card) }}, nil
	}
	return a.answerCommand(at, inv.User, *card)
}

// words splits what was typed behind the command into the command's name and the
// rest, in plain words. Where people and groups are named, their mentions stay as
// they are: only those say who is meant.
func (a *Adapter) words(ctx context.Context, in bot.Intake, text string) (name, args string) {
	name, args, _ = strings.Cut(strings.TrimSpace(text), " ")
	named := slices.ContainsFunc(in.Commands(), func(c bot.Command) bool {
		return c.Is(strings.ToLower(name)) && slices.ContainsFunc(c.Args, func(g bot.Arg) bool { return g.Kind == bot.ArgPeople })
	})
	if named {
		return strings.ToLower(name), strings.TrimSpace(args)
	}
	name, args, _ = strings.Cut(strings.TrimSpace(a.decode(ctx, text)), " ")
	return strings.ToLower(name), strings.TrimSpace(args)
}

// answerCommand puts a short answer into the acknowledgement itself and sends a
// long one after it.
func (a *Adapter) answerCommand(at place, u bot.User, c bot.Card) (result, error) {
	parts := render(c)
	if len(parts) == 1 {
		ack, err := json.Marshal(replyBody(parts[0]))
		if err == nil && len(ack) < maxAckSize {
			return result{ack: ack}, nil
		}
	}
	return result{after: func(ctx context.Context) { a.tell(ctx, at, u, c) }}, nil
}

func mustObject(k, v string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{k: v})
	if err != nil {
		return nil
	}
	return raw
}
