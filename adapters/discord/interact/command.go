package interact

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// isOurs reports whether an interaction's command is one of the adapter's.
func (h *Handler) isOurs(d wire.InteractionData) bool {
	if d.Type == commandMessage {
		_, ok := menuOf(d.Name)
		return ok
	}
	return d.Name == h.command || d.Name == AdminCommand(h.command)
}

// given returns the table's name and the options of a slash command.
func given(d wire.InteractionData) (name string, options []wire.CommandOption) {
	options = d.Options
	var names []string
	for len(options) == 1 && (options[0].Type == optionSubcommand || options[0].Type == optionGroup) {
		names, options = append(names, options[0].Name), options[0].Options
	}
	return strings.Join(names, " "), options
}

// invocation converts a slash command. Args are the options' values in the table's order, as
// if typed. It has no trigger: Discord accepts a form only as the first answer, and the first
// answer to a command is its acknowledgement. Forms open from a button's click.
func invocation(table []bot.Command, i *wire.Interaction, at bot.Thread, u bot.User) bot.Invocation {
	inv := bot.Invocation{Thread: at, User: u, ID: i.ID, At: wire.IDTime(i.ID), Before: bot.Bound{Order: i.ID, At: wire.IDTime(i.ID)}}
	name, options := given(i.Data)
	inv.Name = name
	inv.Options = make(map[string]string, len(options))
	for _, o := range options {
		inv.Options[o.Name] = o.Text()
	}
	var args []string
	for _, c := range table {
		if c.Name != inv.Name {
			continue
		}
		for _, arg := range c.Args {
			if v := inv.Options[arg.Name]; v != "" {
				args = append(args, v)
			}
		}
	}
	inv.Args = strings.Join(args, " ")
	return inv
}

// nameChannels replaces the channels that a command mentions by their names, as messages have them. Mentions of people stay: only
// they identify a person.
func (h *Handler) nameChannels(inv bot.Invocation) bot.Invocation {
	if inv.Channels = h.reader.Channels(inv.Args); len(inv.Channels) > 0 {
		inv.Args = h.reader.NameChannels(inv.Args)
		for name, value := range inv.Options {
			inv.Options[name] = h.reader.NameChannels(value)
		}
	}
	return inv
}

// complete returns the autocompletion of the argument being typed.
func (h *Handler) complete(ctx context.Context, in bot.Intake, v visit) {
	thinking, cancel := context.WithTimeout(ctx, h.within/2)
	defer cancel()
	offers := h.offers(thinking, in, v)
	if offers == nil {
		offers = []choice{}
	}
	h.sendFirst(ctx, v.out, response{Type: answerAutocomplete, Data: map[string]any{"choices": offers}})
}

func (h *Handler) offers(ctx context.Context, in bot.Intake, v visit) []choice {
	table := in.Commands()
	name, options := given(v.i.Data)
	for _, c := range table {
		for _, arg := range c.Args {
			for _, o := range options {
				if c.Name != name || arg.Name != o.Name || !o.Focused {
					continue
				}
				completer, ok := in.(bot.Completer)
				if !arg.Complete || !ok {
					return fixedChoices(arg.Choices, o.Text())
				}
				return choicesOf(completer.Complete(ctx, invocation(table, v.i, v.at, v.u), arg.Name))
			}
		}
	}
	return nil
}

func choicesOf(list []bot.Option) []choice {
	var out []choice
	seen := map[string]bool{}
	for _, o := range list {
		value := fit.Cut(o.Value, maxOptionText)
		if value == "" || seen[value] || len(out) == maxChoices {
			continue
		}
		seen[value] = true
		out = append(out, choice{Name: fit.Clip(cmp.Or(render.OneLine(o.Label), value), maxOptionText), Value: value})
	}
	return out
}

// onCommand runs an acknowledged slash command and shows the answer.
func (h *Handler) onCommand(ctx context.Context, in bot.Intake, v visit) {
	if !h.isOurs(v.i.Data) {
		c := bot.Card{Kind: bot.CardNotice, Text: phrase.Say(v.u.Locale, "discord.command.unknown")}
		r, _ := privately(c)
		h.sendFirst(ctx, v.out, r)
		return
	}
	var card *bot.Card
	err := h.tasks.Guard(ctx, "command", func() (err error) {
		if v.i.Data.Type == commandMessage {
			card, err = h.onMenu(ctx, in, v)
		} else {
			card, err = in.Command(ctx, h.nameChannels(invocation(in.Commands(), v.i, v.at, v.u)))
		}
		return err
	})
	if err != nil {
		h.log.ErrorContext(ctx, "command not carried out", "command", v.i.Data.Name, "err", err)
		card = &bot.Card{Kind: bot.CardNotice, Text: phrase.Say(v.u.Locale, "discord.failed")}
	}
	switch { // without a card the answer arrives as a message
	case card == nil && v.late:
		return
	case card == nil:
		err = h.hooks.original(ctx, v.i.Token, http.MethodDelete, nil)
	case v.late:
		err = h.direct.SendDirect(ctx, v.u, *card)
	default:
		err = h.finish(ctx, v.i, v.u, *card)
	}
	if err == nil && card != nil && len(card.Files) > 0 {
		err = h.sendFiles(ctx, v, *card)
	}
	if err != nil {
		h.log.WarnContext(ctx, "command's answer not shown", "err", err)
	}
}

// finish replaces a command's "thinking" with a card. The interaction's token expires after
// 15 minutes; later cards go out as direct messages.
func (h *Handler) finish(ctx context.Context, i *wire.Interaction, u bot.User, c bot.Card) error {
	parts := render.Card(c)
	body := render.NewOutgoing(parts[0])
	err := h.hooks.original(ctx, i.Token, http.MethodPatch, body)
	for _, d := range []time.Duration{100 * time.Millisecond, 400 * time.Millisecond, time.Second} { // the first answer, over HTTP, may not have arrived yet
		if rest.CodeOf(err) == rest.CodeUnknownWebhook && h.now().Sub(wire.IDTime(i.ID)).Abs() < time.Minute && h.wait(ctx, d) == nil {
			err = h.hooks.original(ctx, i.Token, http.MethodPatch, body)
		}
	}
	if err == nil {
		return h.hooks.followUp(ctx, i.Token, parts[1:])
	}
	if code := rest.CodeOf(err); code == rest.CodeInvalidToken || code == rest.CodeUnknownWebhook || rest.StatusOf(err) == http.StatusNotFound {
		return h.direct.SendDirect(ctx, u, c)
	}
	return err
}
