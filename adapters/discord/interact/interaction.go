package interact

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"maru/adapters/discord/place"
	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase"
)

// Types of interaction responses.
const (
	answerPong         = 1
	answerMessage      = 4
	answerDeferred     = 5
	answerSilent       = 6 // deferred, shows nothing
	answerAutocomplete = 8
	answerModal        = 9
)

// response is the first answer to an interaction.
type response struct {
	Type int `json:"type"`
	Data any `json:"data,omitempty"`
}

// visit is an interaction with its place, its actor and its answerer.
type visit struct {
	i    *wire.Interaction
	at   bot.Thread
	u    bot.User
	out  answerer
	act  bot.Action // the action of a click or form
	late bool       // expired: its token is unusable
}

// grant is a token for private messages to a person.
type grant struct {
	token string
	until time.Time
}

// Gateway handles an interaction from the gateway.
func (h *Handler) Gateway(ctx context.Context, in bot.Intake, i *wire.Interaction) {
	h.tasks.Spawn(ctx, func(ctx context.Context) { h.interact(ctx, in, i, &gatewayAnswer{w: h.hooks, i: i}) })
}

// WasAnswered reports whether an interaction was answered.
func (h *Handler) WasAnswered(id string) bool { return h.hooks.wasAnswered(id) }

// interact handles one interaction. It is acknowledged within three seconds, even if the bot
// is not done.
func (h *Handler) interact(ctx context.Context, in bot.Intake, i *wire.Interaction, out answerer) {
	if !h.hooks.claim(i.ID) {
		return // duplicate delivery
	}
	late := false
	if i.Type == wire.InteractionCommand && h.isOurs(i.Data) {
		// Acknowledge before slow work. If the interaction has expired, its command still
		// runs: a question or a stop must not be lost, and the answer goes out as a direct
		// message.
		err := out.answer(ctx, response{Type: answerDeferred, Data: map[string]any{"flags": wire.FlagEphemeral}})
		if errors.Is(err, errAnswered) {
			return // another process handles it
		}
		if err != nil {
			late = rest.StatusOf(err) == http.StatusNotFound
			h.log.WarnContext(ctx, "discord command came too late to be answered in its place", "err", err)
		}
	}
	guild := i.GuildID
	if i.Channel != nil {
		c := *i.Channel
		c.GuildID = cmp.Or(c.GuildID, guild)
		h.places.SetChannel(c)
	}
	at, _, err := h.places.Conversation(ctx, i.ChannelID, guild)
	if err != nil {
		h.log.WarnContext(ctx, "discord interaction without a place", "err", err)
		at = bot.Thread{Platform: place.Platform, Team: cmp.Or(guild, place.TeamDirect), Channel: i.ChannelID, Direct: guild == ""}
	}
	h.places.Prove(at, i.User, i.Member, i.ID)
	u := h.places.User(guild, i.User, i.Member)
	u.Locale = i.Locale
	if !late {
		h.grantToken(at, u.ID, i.Token)
	}
	v := visit{i: i, at: at, u: u, out: out, late: late}
	switch i.Type {
	case wire.InteractionCommand:
		h.onCommand(ctx, in, v)
	case wire.InteractionComponent, wire.InteractionModal:
		h.onAction(ctx, in, v)
	case wire.InteractionAutocomplete:
		h.complete(ctx, in, v)
	}
}

func (h *Handler) grantToken(at bot.Thread, u, token string) {
	g := grant{token: token, until: h.now().Add(tokenLife)}
	h.tokens.Add(at.Key()+" "+u, g)
}

// sendFirst sends a first answer and logs a failure.
func (h *Handler) sendFirst(ctx context.Context, out answerer, r response) bool {
	err := out.answer(ctx, r)
	if err != nil && !errors.Is(err, errAnswered) {
		h.log.WarnContext(ctx, "discord interaction not answered", "kind", r.Type, "err", err)
	}
	return err == nil
}

// privately returns a card as an ephemeral first answer.
func privately(c bot.Card) (response, []render.Part) {
	parts := render.Card(c)
	return response{Type: answerMessage, Data: private(parts[0])}, parts[1:]
}

func private(p render.Part) render.Outgoing {
	o := render.NewOutgoing(p)
	o.Flags |= wire.FlagEphemeral
	return o
}

// onAction passes a click or submitted form to the bot and shows the answer.
func (h *Handler) onAction(ctx context.Context, in bot.Intake, v visit) {
	i, at, u, out := v.i, v.at, v.u, v.out
	id, verb, ok := render.ParseCustomID(chosen(i.Data))
	if ok && id == draftID && i.Type == wire.InteractionComponent {
		h.reopen(ctx, v, verb)
		return
	}
	if !ok {
		r, _ := privately(bot.Card{Kind: bot.CardNotice, Text: phrase.Say(u.Locale, "discord.button_unused")})
		h.sendFirst(ctx, out, r)
		return
	}
	act := bot.Action{ID: id, Verb: verb, Thread: at, User: u, Values: formValues(i.Data), At: wire.IDTime(i.ID)}
	if i.Message != nil {
		act.Message = i.Message.ID
		act.Thread = h.threadOf(at, i.Message)
		act.Guess = act.Thread.ID != at.ID
	}
	if d, ok := h.drafts.of(keptAs(i.Data.CustomID), u.ID); ok && i.Type == wire.InteractionModal { // opened from its own message
		act.Thread, act.Message = d.thread, d.message
	}
	v.act = act
	type outcome struct {
		answer bot.Answer
		err    error
	}
	decided := make(chan outcome, 1)
	var asking sync.WaitGroup
	defer asking.Wait()
	asking.Go(func() {
		var o outcome
		o.err = h.tasks.Guard(ctx, "action", func() (err error) {
			o.answer, err = in.Action(ctx, act)
			return err
		})
		decided <- o
	})
	t := time.NewTimer(h.within)
	defer t.Stop()
	select {
	case o := <-decided:
		h.react(ctx, v, h.outcome(ctx, u, o.answer, o.err), false)
	case <-t.C:
		h.sendFirst(ctx, out, h.hold(i))
		select {
		case o := <-decided:
			h.react(ctx, v, h.outcome(ctx, u, o.answer, o.err), true)
		case <-ctx.Done():
		}
	}
}

// threadOf resolves the conversation of a message with a button in a channel.
func (h *Handler) threadOf(at bot.Thread, m *wire.Message) bot.Thread {
	if at.ID == "" && !at.Direct && !h.inChannel && m.Flags&wire.FlagEphemeral == 0 { // ephemeral messages start no thread
		m.ChannelID = cmp.Or(m.ChannelID, at.Channel)
		at.ID = h.places.RootOf(m)
	}
	return at
}

// outcome converts a failure to an answer.
func (h *Handler) outcome(ctx context.Context, u bot.User, ans bot.Answer, err error) bot.Answer {
	if err == nil {
		return ans
	}
	h.log.ErrorContext(ctx, "action not committed", "err", err)
	return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: phrase.Say(u.Locale,
		"discord.not_saved")}}
}

// hold returns the deferred response.
func (h *Handler) hold(i *wire.Interaction) response {
	if i.Type == wire.InteractionComponent || i.Message != nil {
		return response{Type: answerSilent}
	}
	return response{Type: answerDeferred, Data: map[string]any{"flags": wire.FlagEphemeral}}
}

// react shows the bot's answer to a click.
func (h *Handler) react(ctx context.Context, v visit, ans bot.Answer, held bool) {
	i, out := v.i, v.out
	card := ans.Card
	switch {
	case len(ans.Errors) > 0:
		card = h.flawed(v.act, ans.Form, ans.Errors)
	case ans.Form != nil && !held && i.Type == wire.InteractionComponent:
		h.sendFirst(ctx, out, response{Type: answerModal, Data: render.Modal(*ans.Form, "", h.places.IsRole)})
		return
	case ans.Form != nil:
		card = h.belated(v.act, *ans.Form)
	}
	switch {
	case card == nil && held:
	case card == nil:
		h.sendFirst(ctx, out, h.hold(i))
	case held:
		if err := h.hooks.followUp(ctx, i.Token, render.Card(*card)); err != nil {
			h.log.WarnContext(ctx, "answer to a click not shown", "err", err)
		}
	default:
		r, more := privately(*card)
		if h.sendFirst(ctx, out, r) && len(more) > 0 {
			if err := h.hooks.followUp(ctx, i.Token, more); err != nil {
				h.log.WarnContext(ctx, "answer to a click not shown whole", "err", err)
			}
		}
	}
}

// formValues returns the submitted values of a form's inputs, in any nesting, or of a select
// menu.
func formValues(d wire.InteractionData) map[string]string {
	values := map[string]string{}
	if len(d.Values) > 0 && chosen(d) == d.CustomID {
		values["value"] = d.Values[0]
	}
	collect(d.Components, values, 0)
	if len(values) == 0 {
		return nil
	}
	return values
}

// collect reads one component or a list of them. Unknown kinds are skipped without losing
// other values.
func collect(raw json.RawMessage, into map[string]string, depth int) {
	if len(raw) == 0 || depth > 12 {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, one := range list {
			collect(one, into, depth+1)
		}
		return
	}
	var f struct {
		CustomID   string          `json:"custom_id"`
		Value      json.RawMessage `json:"value"`
		Values     []string        `json:"values"`
		Components json.RawMessage `json:"components"`
		Component  json.RawMessage `json:"component"`
	}
	if json.Unmarshal(raw, &f) != nil {
		return
	}
	var text *string
	switch {
	case f.CustomID == "":
	case json.Unmarshal(f.Value, &text) == nil && text != nil:
		into[f.CustomID] = *text
	case f.Values != nil: // an empty selection is a value too
		into[f.CustomID] = strings.Join(f.Values, ", ")
	}
	collect(f.Components, into, depth+1)
	collect(f.Component, into, depth+1)
}

// chosen returns the custom ID of a click: for a select menu, that of the chosen option.
func chosen(d wire.InteractionData) string {
	if id, _, ok := render.ParseCustomID(d.CustomID); ok && id == render.SelectID && len(d.Values) == 1 {
		return d.Values[0]
	}
	return d.CustomID
}
