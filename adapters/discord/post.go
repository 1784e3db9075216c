package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"maru/bot"
	"maru/phrase"
)

// Flags of messages.
const (
	flagSuppressEmbeds = int(discordgo.MessageFlagsSuppressEmbeds)
	flagEphemeral      = int(discordgo.MessageFlagsEphemeral)
	flagV2             = int(discordgo.MessageFlagsIsComponentsV2) // a message of components
)

// outgoing is a message as it is sent. Mentions are allowed for nobody and
// previews are off, always: there is no other way to make one than newOutgoing.
type outgoing struct {
	Content      *string         `json:"content"` // nil in a message of components
	Mentions     allowedMentions `json:"allowed_mentions"`
	Flags        int             `json:"flags"`
	Components   []component     `json:"components"`
	Attachments  []attached      `json:"attachments,omitempty"`
	Nonce        string          `json:"nonce,omitempty"`
	EnforceNonce bool            `json:"enforce_nonce,omitempty"`
	Reference    *replyReference `json:"message_reference,omitempty"`
}

type allowedMentions struct {
	Parse       []string `json:"parse"`
	RepliedUser bool     `json:"replied_user"`
}

// replyReference ties an answer to a message, and does without if that is gone.
type replyReference struct {
	MessageID       string `json:"message_id"`
	FailIfNotExists bool   `json:"fail_if_not_exists"`
}

func newOutgoing(p part) outgoing {
	o := outgoing{Mentions: allowedMentions{Parse: []string{}}, Flags: flagSuppressEmbeds, Components: p.blocks}
	if p.v2() {
		o.Flags |= flagV2
		return o
	}
	o.Content, o.Components = &p.content, p.rows
	if o.Components == nil {
		o.Components = []component{}
	}
	return o
}

// nonceOf makes the name under which Discord knows a message again: with
// enforce_nonce a second send of it within some minutes gives the first one.
func nonceOf(key string, part int) string {
	sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(part)))
	return strings.ToLower(base32.HexEncoding.EncodeToString(sum[:15]))[:maxNonce-1]
}

// Post implements bot.Adapter. Where the bot may not write, as in a thread that
// was locked meanwhile, who asked is answered directly.
func (a *Adapter) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	at, err := a.target(ctx, to)
	if err == nil {
		var ref bot.Ref
		if ref, err = a.postAt(ctx, to, at, render(c), key); err == nil {
			return ref, nil
		}
	}
	if blocked(err) && c.Final {
		a.log.WarnContext(ctx, "discord blocks an answer for its words", "channel", at.channel, "err", err)
		if ref, berr := a.postAt(ctx, to, at, render(blockedCard(c)), key); berr == nil {
			return ref, nil
		}
	}
	answer := len(c.Buttons) == 0 // what is asked is decided where it was asked
	if closed(err) && answer && to.User.ID != "" && !to.Thread.Direct && to.Thread.Team != teamDirect {
		a.log.WarnContext(ctx, "discord answer sent directly: the bot may not write where it was asked", "channel", first(at.channel, to.Thread.Channel), "err", err)
		if ref, derr := a.postDirectly(ctx, to, c, key); derr == nil {
			return ref, nil
		}
	}
	return bot.Ref{}, delivery("post", err)
}

// closed reports whether nothing can be written in a place that is there.
func closed(err error) bool {
	switch codeOf(err) {
	case codeLocked, codeNoAccess, codeNoPermission:
		return true
	}
	return false
}

// blocked reports whether a message's words are refused, by the server's own rules or
// by Discord's filter of links: another place or another try changes nothing.
func blocked(err error) bool {
	switch codeOf(err) {
	case codeBlocked, codeBlockedTitle, codeHarmful, codeExplicit:
		return true
	}
	return false
}

// blockedCard stands where the words of c may not.
func blockedCard(c bot.Card) bot.Card {
	return bot.Card{Kind: bot.CardNotice, Text: phrase.Say(c.Language, "discord.blocked"), Language: c.Language, Run: c.Run, Final: true}
}

// postDirectly answers in the direct channel of who asked, and says why.
func (a *Adapter) postDirectly(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	dm, err := a.direct(ctx, to.User)
	if err != nil {
		return bot.Ref{}, err
	}
	why := part{content: "-# " + phrase.Say(c.Language, "bot.i_may_not_write_where")}
	if _, err := a.send(ctx, spot{channel: dm}, why, nonceOf(key+" why", 0)); err != nil {
		return bot.Ref{}, err
	}
	return a.postAt(ctx, to, spot{channel: dm}, render(c), key)
}

// postAt posts the parts of a reply. What an earlier try posted of it is changed, so
// that nothing stands there twice.
func (a *Adapter) postAt(ctx context.Context, to bot.Target, at spot, parts []part, key string) (bot.Ref, error) {
	ref, begun := a.ledger.takeBegun(key)
	if begun = begun && ref.Channel == at.channel; !begun {
		a.intend(ctx, at.channel, key, parts)
		ref = bot.Ref{Thread: to.Thread, Channel: at.channel}
	}
	ref, err := a.fill(ctx, at, ref, parts, filling{key: key, urgent: true})
	switch {
	case begun && codeOf(err) == codeUnknownMessage: // somebody deleted it
		return a.postAt(ctx, to, at, parts, key)
	case err != nil:
		if !ref.IsZero() {
			a.ledger.begun.Add(key, ref)
		}
		return bot.Ref{}, err
	}
	a.remember(to.Thread, at, key, ref)
	return ref, nil
}

// filling is how the messages of a reply come to show its parts.
type filling struct {
	key    string // of a reply that is posted
	urgent bool
}

// fill makes the messages of a reply show its parts: it changes those that are there,
// posts what is missing and removes what is over. What it returns stands there, with
// an error too.
func (a *Adapter) fill(ctx context.Context, at spot, ref bot.Ref, parts []part, how filling) (out bot.Ref, err error) {
	out = ref
	out.Messages = slices.Clone(ref.Messages)
	defer func() { out.Stream = a.forms(out.Messages) }()
	for i, p := range parts {
		if i < len(out.Messages) {
			if err := a.show(ctx, at.channel, out.Messages[i], p, how.urgent); err != nil {
				return out, err
			}
			continue
		}
		nonce := nonceOf(how.key, i)
		if i > 0 { // whether it is posted or an edit makes the reply longer
			nonce = nonceOf(out.Messages[0], i)
		}
		id, err := a.send(ctx, at, p, nonce)
		if id != "" {
			out.Messages = append(out.Messages, id)
		}
		if err != nil {
			return out, err
		}
	}
	for len(out.Messages) > len(parts) {
		last := len(out.Messages) - 1
		if err := a.remove(ctx, at.channel, out.Messages[last]); err != nil {
			return out, err
		}
		out.Messages = out.Messages[:last]
	}
	return out, nil
}

// remember keeps what later events and edits need to know of a reply.
func (a *Adapter) remember(t bot.Thread, at spot, key string, ref bot.Ref) {
	a.ledger.refs.Add(key, ref)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range ref.Messages {
		switch {
		case t.ID == "" && !t.Direct:
			a.questions.Add(id, true) // a thread can be made from it
		case at.channel == t.Channel && t.ID != "":
			a.roots.Add(id, t.ID)
		}
	}
}

// patch makes a message show p.
func (a *Adapter) patch(ctx context.Context, channel, id string, p part, urgent bool) error {
	return a.persist(ctx, channel, p, func(ctx context.Context, p part) error {
		return a.rest.do(ctx, call{
			method: http.MethodPatch, path: "/channels/" + channel + "/messages/" + id,
			bucket: "edit/" + channel, body: newOutgoing(p), again: true, urgent: urgent,
		})
	})
}

// Edit implements bot.Editor. An edit that would have to wait for Discord's
// limits is refused with the time to wait, unless it is the final one.
func (a *Adapter) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	out, err := a.edit(ctx, ref, c)
	if blocked(err) && c.Final {
		a.log.WarnContext(ctx, "discord blocks an answer for its words", "channel", ref.Channel, "err", err)
		return a.edit(ctx, out, blockedCard(c))
	}
	return out, err
}

func (a *Adapter) edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	if ref.IsZero() {
		return ref, &bot.DeliveryError{Op: "edit", Err: errors.New("discord: no message to edit")}
	}
	channel := first(ref.Channel, ref.Thread.ID, ref.Thread.Channel)
	a.learnForms(ref)
	out, err := a.fill(ctx, spot{channel: channel}, ref, render(c), filling{urgent: c.Final || len(c.Buttons) > 0})
	a.mu.Lock()
	defer a.mu.Unlock()
	if channel == ref.Thread.Channel && ref.Thread.ID != "" {
		for _, id := range out.Messages {
			a.roots.Add(id, ref.Thread.ID)
		}
	}
	if err != nil {
		return out, delivery("edit", err)
	}
	return out, nil
}

// show edits a message unless it shows p already.
func (a *Adapter) show(ctx context.Context, channel, id string, p part, urgent bool) error {
	a.mu.Lock()
	now, _ := a.shown.Get(id)
	if v2, _ := a.v2.Get(id); v2 {
		p = p.asV2()
	}
	a.mu.Unlock()
	digest := p.digest()
	if now == digest {
		return nil
	}
	err := a.patch(ctx, channel, id, p, urgent)
	if codeOf(err) == codeInvalidBody && !p.v2() { // it may be one of components after all
		p = p.asV2()
		err = a.patch(ctx, channel, id, p, urgent)
	}
	if err != nil {
		return err
	}
	a.setForm(id, p.v2())
	a.setShown(id, p.digest())
	return nil
}

// formsV2 begins a reference's note of which of its messages consist of
// components: a letter each, "1" for those that do.
const formsV2 = "v2:"

// forms notes which messages consist of components; "" if none does.
func (a *Adapter) forms(ids []string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	note, some := []byte(formsV2), false
	for _, id := range ids {
		v2, _ := a.v2.Get(id)
		some = some || v2
		if v2 {
			note = append(note, '1')
		} else {
			note = append(note, '0')
		}
	}
	if !some {
		return ""
	}
	return string(note)
}

// learnForms takes over what an earlier process noted.
func (a *Adapter) learnForms(ref bot.Ref) {
	note, ok := strings.CutPrefix(ref.Stream, formsV2)
	if !ok {
		return
	}
	for i, id := range ref.Messages {
		if i < len(note) && note[i] == '1' {
			a.setForm(id, true)
		}
	}
}

func (a *Adapter) setForm(id string, v2 bool) {
	if !v2 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.v2.Add(id, true)
}

func (a *Adapter) setShown(id, digest string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shown.Add(id, digest)
}

// remove deletes one of the bot's messages; that it is gone is as good.
func (a *Adapter) remove(ctx context.Context, channel, id string) error {
	err := a.rest.do(ctx, call{
		method: http.MethodDelete, path: "/channels/" + channel + "/messages/" + id,
		bucket: "delete/" + channel, again: true, urgent: true,
	})
	if codeOf(err) == codeUnknownMessage {
		return nil
	}
	return err
}
