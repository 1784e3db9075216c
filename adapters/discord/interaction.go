package discord

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"maru/bot"
	"maru/phrase"
)

// Kinds of answers to interactions.
const (
	answerPong         = 1
	answerMessage      = 4
	answerDeferred     = 5
	answerSilent       = 6 // nothing changes
	answerAutocomplete = 8
	answerModal        = 9
)

const (
	callbackTries = 4
	tokenLife     = 15*time.Minute - 5*time.Second // of an interaction's token
)

// response is the first answer to an interaction.
type response struct {
	Type int `json:"type"`
	Data any `json:"data,omitempty"`
}

// answerer sends the first answer, over the API or as the answer to an HTTP
// request. A second one is refused.
type answerer interface {
	answer(ctx context.Context, r response) error
}

// errAnswered says that an interaction has had its first answer.
var errAnswered = errors.New("discord: the interaction was answered already")

// gatewayAnswer answers an interaction that came through the gateway, or one
// whose form is opened later.
type gatewayAnswer struct {
	a  *Adapter
	i  *interaction
	mu sync.Mutex
}

func (g *gatewayAnswer) answer(ctx context.Context, r response) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.a.wasAnswered(g.i.ID) {
		return errAnswered
	}
	err := g.a.callback(ctx, g.i.ID, g.i.Token, r)
	if err == nil {
		g.a.setAnswered(g.i.ID)
	}
	return err
}

// callback sends the first answer. That there is one already is another
// process's doing, unless it may have been a try of this call that worked and
// said it failed.
func (a *Adapter) callback(ctx context.Context, id, token string, r response) error {
	var err error
	for try := range callbackTries {
		if try > 0 && a.cfg.Wait(ctx, time.Duration(try)*100*time.Millisecond) != nil {
			return err
		}
		err = a.rest.do(ctx, call{
			method: http.MethodPost, path: "/interactions/" + id + "/" + token + "/callback",
			body: r, urgent: true, public: true,
		})
		if codeOf(err) == codeAcknowledged {
			if try > 0 {
				return nil
			}
			return errAnswered
		}
		if status := statusOf(err); err == nil || status != 0 && status < 500 {
			return err
		}
	}
	return err
}

func (a *Adapter) wasAnswered(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.replied.Get(id)
	return ok
}

func (a *Adapter) setAnswered(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replied.Add(id, true)
}

// claim makes an interaction this call's to handle; false if it is another's.
func (a *Adapter) claim(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, taken := a.claimed.Get(id); taken {
		return false
	}
	a.claimed.Add(id, true)
	return true
}

// visit is an interaction with its place, its person and the way to answer it.
type visit struct {
	i    *interaction
	at   bot.Thread
	u    bot.User
	out  answerer
	act  bot.Action // what a click or a form means
	late bool       // Discord has given it up: its token leads nowhere
}

// grant is a token with which a person can be told something privately.
type grant struct {
	token string
	until time.Time
}

// interact handles one interaction. Discord knows within three seconds that it
// arrived, whatever the bot does.
func (a *Adapter) interact(ctx context.Context, in bot.Intake, i *interaction, out answerer) {
	if !a.claim(i.ID) {
		return // it came before, by either way
	}
	late := false
	if i.Type == interactionCommand && a.isOurs(i.Data) {
		// Before anything that may take time. Where Discord has given it up, and shown so, a
		// command is carried out all the same: a question or a stop is not lost, and what
		// is to be said of it comes as a direct message.
		err := out.answer(ctx, response{Type: answerDeferred, Data: map[string]any{"flags": flagEphemeral}})
		if errors.Is(err, errAnswered) {
			return // another process has it
		}
		if err != nil {
			late = statusOf(err) == http.StatusNotFound
			a.log.WarnContext(ctx, "discord command came too late to be answered in its place", "err", err)
		}
	}
	guild := i.GuildID
	if i.Channel != nil {
		c := *i.Channel
		c.GuildID = first(c.GuildID, guild)
		a.places.setChannel(c)
	}
	at, _, err := a.place(ctx, i.ChannelID, guild)
	if err != nil {
		a.log.WarnContext(ctx, "discord interaction without a place", "err", err)
		at = bot.Thread{Platform: platform, Team: first(guild, teamDirect), Channel: i.ChannelID, Direct: guild == ""}
	}
	a.prove(at, i.User, i.Member, i.ID)
	u := a.person(guild, i.User, i.Member)
	u.Locale = i.Locale
	if !late {
		a.grantToken(at, u.ID, i.Token)
	}
	v := visit{i: i, at: at, u: u, out: out, late: late}
	switch i.Type {
	case interactionCommand:
		a.onCommand(ctx, in, v)
	case interactionComponent, interactionModal:
		a.onAction(ctx, in, v)
	case interactionAutocomplete:
		a.complete(ctx, in, v)
	}
}

func (a *Adapter) grantToken(at bot.Thread, u, token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := grant{token: token, until: a.cfg.Now().Add(tokenLife)}
	a.tokens.Add(at.Key()+" "+u, g)
}

// say sends a first answer; that it fails is logged, for nobody else would know.
func (a *Adapter) say(ctx context.Context, out answerer, r response) bool {
	err := out.answer(ctx, r)
	if err != nil && !errors.Is(err, errAnswered) {
		a.log.WarnContext(ctx, "discord interaction not answered", "kind", r.Type, "err", err)
	}
	return err == nil
}

// privately is a card as the first answer, seen by one person.
func privately(c bot.Card) (response, []part) {
	parts := render(c)
	return response{Type: answerMessage, Data: private(parts[0])}, parts[1:]
}

func private(p part) outgoing {
	o := newOutgoing(p)
	o.Flags |= flagEphemeral
	return o
}

// followUp sends more to who an interaction came from.
func (a *Adapter) followUp(ctx context.Context, token string, parts []part) error {
	for _, p := range parts {
		err := a.rest.do(ctx, call{
			method: http.MethodPost, path: "/webhooks/" + a.application() + "/" + token,
			bucket: "followup/" + token, body: private(p), urgent: true, public: true,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// original replaces what an interaction was first answered with.
func (a *Adapter) original(ctx context.Context, token, method string, body any) error {
	return a.rest.do(ctx, call{
		method: method, path: "/webhooks/" + a.application() + "/" + token + "/messages/@original",
		bucket: "original/" + token, body: body, again: true, urgent: true, public: true,
	})
}

// onAction hands a click or a submitted form to the bot and shows what it says.
func (a *Adapter) onAction(ctx context.Context, in bot.Intake, v visit) {
	i, at, u, out := v.i, v.at, v.u, v.out
	id, verb, ok := parseCustomID(i.Data.chosen())
	if ok && id == draftID && i.Type == interactionComponent {
		a.reopen(ctx, v, verb)
		return
	}
	if !ok {
		r, _ := privately(bot.Card{Kind: bot.CardNotice, Text: phrase.Say(u.Locale, "discord.this_button_is_no_longer")})
		a.say(ctx, out, r)
		return
	}
	act := bot.Action{ID: id, Verb: verb, Thread: at, User: u, Values: formValues(i.Data), At: idTime(i.ID)}
	if i.Message != nil {
		act.Message = i.Message.ID
		act.Thread = a.threadOf(at, i.Message)
	}
	if d, ok := a.draftOf(keptAs(i.Data.CustomID), u.ID); ok && i.Type == interactionModal { // opened by a message of its own
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
		o.err = a.survived(ctx, "action", func() (err error) {
			o.answer, err = in.Action(ctx, act)
			return err
		})
		decided <- o
	})
	t := time.NewTimer(a.cfg.AnswerWithin)
	defer t.Stop()
	select {
	case o := <-decided:
		a.react(ctx, v, a.outcome(ctx, u, o.answer, o.err), false)
	case <-t.C:
		a.say(ctx, out, a.hold(i))
		select {
		case o := <-decided:
			a.react(ctx, v, a.outcome(ctx, u, o.answer, o.err), true)
		case <-ctx.Done():
		}
	}
}

// threadOf finds the conversation of a message in a channel that carries a
// button.
func (a *Adapter) threadOf(at bot.Thread, m *message) bot.Thread {
	if at.ID == "" && !at.Direct && !a.cfg.ChannelAnswers && m.Flags&flagEphemeral == 0 { // what one person sees begins no thread
		m.ChannelID = first(m.ChannelID, at.Channel)
		at.ID = a.rootOf(m)
	}
	return at
}

// outcome makes an answer of a failure.
func (a *Adapter) outcome(ctx context.Context, u bot.User, ans bot.Answer, err error) bot.Answer {
	if err == nil {
		return ans
	}
	a.log.ErrorContext(ctx, "action not committed", "err", err)
	return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: phrase.Say(u.Locale,
		"discord.that_could_not_be_saved")}}
}

// hold tells Discord to wait.
func (a *Adapter) hold(i *interaction) response {
	if i.Type == interactionComponent || i.Message != nil {
		return response{Type: answerSilent}
	}
	return response{Type: answerDeferred, Data: map[string]any{"flags": flagEphemeral}}
}

// react shows what the bot answered to a click.
func (a *Adapter) react(ctx context.Context, v visit, ans bot.Answer, held bool) {
	i, out := v.i, v.out
	card := ans.Card
	switch {
	case len(ans.Errors) > 0:
		card = a.flawed(v.act, ans.Form, ans.Errors)
	case ans.Form != nil && !held && i.Type == interactionComponent:
		a.say(ctx, out, response{Type: answerModal, Data: modal(*ans.Form, "", a.places.isRole)})
		return
	case ans.Form != nil:
		card = a.belated(v.act, *ans.Form)
	}
	switch {
	case card == nil && held:
	case card == nil:
		a.say(ctx, out, a.hold(i))
	case held:
		if err := a.followUp(ctx, i.Token, render(*card)); err != nil {
			a.log.WarnContext(ctx, "answer to a click not shown", "err", err)
		}
	default:
		r, more := privately(*card)
		if a.say(ctx, out, r) && len(more) > 0 {
			if err := a.followUp(ctx, i.Token, more); err != nil {
				a.log.WarnContext(ctx, "answer to a click not shown whole", "err", err)
			}
		}
	}
}

// formValues reads what a person entered: the values of a form's inputs, in any
// nesting, or of a list they chose from.
func formValues(d interactionData) map[string]string {
	values := map[string]string{}
	if len(d.Values) > 0 && d.chosen() == d.CustomID {
		values["value"] = d.Values[0]
	}
	collect(d.Components, values, 0)
	if len(values) == 0 {
		return nil
	}
	return values
}

// collect reads one component or a list of them. A kind that nobody asked for, or
// that is newer than this program, costs the values of no other.
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
	case f.Values != nil: // none of a list is an answer as well
		into[f.CustomID] = strings.Join(f.Values, ", ")
	}
	collect(f.Components, into, depth+1)
	collect(f.Component, into, depth+1)
}
