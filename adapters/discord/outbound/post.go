package outbound

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"maru/adapters/discord/place"
	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/bot"
	"maru/phrase"
)

const maxNonce = 25

// nonceOf returns the idempotency key of a message: with enforce_nonce, Discord answers
// a second send within some minutes with the first message.
func nonceOf(key string, part int) string {
	sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(part)))
	return strings.ToLower(base32.HexEncoding.EncodeToString(sum[:15]))[:maxNonce-1]
}

// Post implements bot.Adapter. A draft that the rate limit delays is skipped: its answer would
// wait behind it and cost an edit. Where the bot may not write, such as in a thread that was locked
// meanwhile, the answer goes to the asker as a direct message.
func (s *Sender) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	at, err := s.target(ctx, to)
	if err == nil {
		var ref bot.Ref
		ref, err = s.postAt(ctx, to, at, render.Card(c), filling{key: key, urgent: urgent(c)})
		if err == nil || !urgent(c) && rest.StatusOf(err) == http.StatusTooManyRequests {
			return ref, nil
		}
	}
	if blocked(err) && c.Final {
		s.log.WarnContext(ctx, "discord blocks an answer for its words", "channel", at.channel, "err", err)
		if ref, berr := s.postAt(ctx, to, at, render.Card(blockedCard(c)), filling{key: key, urgent: true}); berr == nil {
			return ref, nil
		}
	}
	answer := len(c.Buttons) == 0 // questions must be decided where they were asked
	if closed(err) && answer && to.User.ID != "" && !to.Thread.Direct && to.Thread.Team != place.TeamDirect {
		s.log.WarnContext(ctx, "discord answer sent directly: the bot may not write where it was asked", "channel", cmp.Or(at.channel, to.Thread.Channel), "err", err)
		if ref, derr := s.postDirectly(ctx, to, c, key); derr == nil {
			return ref, nil
		}
	}
	return bot.Ref{}, rest.Delivery("post", err)
}

// urgent reports whether a card waits for the rate limit. A growing draft does not, until it has a stop button.
func urgent(c bot.Card) bool { return c.Final || c.Kind != bot.CardProgress || len(c.Buttons) > 0 }

// closed reports whether the bot may not write in an existing place.
func closed(err error) bool {
	switch rest.CodeOf(err) {
	case rest.CodeLocked, rest.CodeNoAccess, rest.CodeNoPermission:
		return true
	}
	return false
}

// blocked reports whether Discord refuses a message's text, by the server's rules or its link filter: another
// channel or attempt would not help.
func blocked(err error) bool {
	switch rest.CodeOf(err) {
	case rest.CodeBlocked, rest.CodeBlockedTitle, rest.CodeHarmful, rest.CodeExplicit:
		return true
	}
	return false
}

// blockedCard replaces a card whose words are blocked.
func blockedCard(c bot.Card) bot.Card {
	return bot.Card{Kind: bot.CardNotice, Text: phrase.Say(c.Language, "discord.blocked"), Language: c.Language, Run: c.Run, Final: true}
}

// postDirectly answers the asker in a direct message and says why.
func (s *Sender) postDirectly(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	dm, err := s.open(ctx, to.User)
	if err != nil {
		return bot.Ref{}, err
	}
	why := render.Plain("-# " + phrase.Say(c.Language, "bot.answer.moved_here"))
	if _, err := s.send(ctx, spot{channel: dm}, why, nonceOf(key+" why", 0), true); err != nil {
		return bot.Ref{}, err
	}
	return s.postAt(ctx, to, spot{channel: dm}, render.Card(c), filling{key: key, urgent: true})
}

// postAt posts the parts of a reply. It edits what an earlier attempt has posted, so
// that nothing appears twice.
func (s *Sender) postAt(ctx context.Context, to bot.Target, at spot, parts []render.Part, how filling) (bot.Ref, error) {
	key := how.key
	ref, begun := s.ledger.takeBegun(key)
	if begun = begun && ref.Channel == at.channel; !begun {
		s.intend(ctx, at.channel, key, parts)
		ref = bot.Ref{Thread: to.Thread, Channel: at.channel}
	}
	ref, err := s.fill(ctx, at, ref, parts, how)
	switch {
	case begun && rest.CodeOf(err) == rest.CodeUnknownMessage: // it was deleted
		return s.postAt(ctx, to, at, parts, how)
	case err != nil:
		if !ref.IsZero() {
			s.ledger.begun.Add(key, ref)
		}
		return bot.Ref{}, err
	}
	s.remember(to.Thread, at, key, ref)
	return ref, nil
}

// filling says how fill posts a reply.
type filling struct {
	key    string // of a reply that is posted
	urgent bool
}

// fill makes the messages of a reply show its parts: it edits existing messages, posts
// missing ones and removes surplus ones. The returned reference is valid even with an
// error.
func (s *Sender) fill(ctx context.Context, at spot, ref bot.Ref, parts []render.Part, how filling) (out bot.Ref, err error) {
	out = ref
	out.Messages = slices.Clone(ref.Messages)
	defer func() { out.Stream = s.forms(out.Messages) }()
	for i, p := range parts {
		if i < len(out.Messages) {
			if err := s.show(ctx, at.channel, out.Messages[i], p, how.urgent); err != nil {
				return out, err
			}
			continue
		}
		nonce := nonceOf(how.key, i)
		if i > 0 { // whether it is posted or an edit makes the reply longer
			nonce = nonceOf(out.Messages[0], i)
		}
		id, err := s.send(ctx, at, p, nonce, how.urgent)
		if id != "" {
			out.Messages = append(out.Messages, id)
		}
		if err != nil {
			return out, err
		}
	}
	for len(out.Messages) > len(parts) {
		last := len(out.Messages) - 1
		if err := s.remove(ctx, at.channel, out.Messages[last]); err != nil {
			return out, err
		}
		out.Messages = out.Messages[:last]
	}
	return out, nil
}

// remember stores a reply's data for later events and edits.
func (s *Sender) remember(t bot.Thread, at spot, key string, ref bot.Ref) {
	s.ledger.refs.Add(key, ref)
	for _, id := range ref.Messages {
		switch {
		case t.ID == "" && !t.Direct:
			s.dir.NoteQuestion(id) // a thread can be made from it
		case at.channel == t.Channel && t.ID != "":
			s.dir.NoteRoot(id, t.ID)
		}
	}
}

// patch makes a message show p.
func (s *Sender) patch(ctx context.Context, channel, id string, p render.Part, urgent bool) error {
	return s.persist(ctx, channel, p, func(ctx context.Context, p render.Part) error {
		return s.api.Do(ctx, rest.Call{
			Method: http.MethodPatch, Path: "/channels/" + channel + "/messages/" + id,
			Bucket: "edit/" + channel, Body: render.NewOutgoing(p), Again: true, Urgent: urgent,
		})
	})
}

// Edit implements bot.Editor. Unless it is final, an edit that the rate limit delays is
// refused with the time to wait.
func (s *Sender) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	out, err := s.edit(ctx, ref, c)
	if blocked(err) && c.Final {
		s.log.WarnContext(ctx, "discord blocks an answer for its words", "channel", ref.Channel, "err", err)
		return s.edit(ctx, out, blockedCard(c))
	}
	return out, err
}

func (s *Sender) edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	if ref.IsZero() {
		return ref, &bot.DeliveryError{Op: "edit", Err: errors.New("discord: no message to edit")}
	}
	channel := cmp.Or(ref.Channel, ref.Thread.ID, ref.Thread.Channel)
	s.learnForms(ref)
	out, err := s.fill(ctx, spot{channel: channel}, ref, render.Card(c), filling{urgent: urgent(c)})
	if channel == ref.Thread.Channel && ref.Thread.ID != "" {
		for _, id := range out.Messages {
			s.dir.NoteRoot(id, ref.Thread.ID)
		}
	}
	if err != nil {
		return out, rest.Delivery("edit", err)
	}
	return out, nil
}

// show edits a message unless it already shows p.
func (s *Sender) show(ctx context.Context, channel, id string, p render.Part, urgent bool) error {
	now, _ := s.shown.Get(id)
	if v2, _ := s.v2.Get(id); v2 {
		p = p.AsV2()
	}
	digest := p.Digest()
	if now == digest {
		return nil
	}
	err := s.patch(ctx, channel, id, p, urgent)
	if rest.CodeOf(err) == rest.CodeInvalidBody && !p.V2() { // it may be one of components after all
		p = p.AsV2()
		err = s.patch(ctx, channel, id, p, urgent)
	}
	if err != nil {
		return err
	}
	s.setForm(id, p.V2())
	s.setShown(id, p.Digest())
	return nil
}

// formsV2 is the prefix of a reference's list of component messages: one digit per
// message, "1" for those that consist of components.
const formsV2 = "v2:"

// forms lists which messages consist of components, or "" if none does.
func (s *Sender) forms(ids []string) string {
	note, some := []byte(formsV2), false
	for _, id := range ids {
		v2, _ := s.v2.Get(id)
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

// learnForms reads the list that an earlier process wrote.
func (s *Sender) learnForms(ref bot.Ref) {
	note, ok := strings.CutPrefix(ref.Stream, formsV2)
	if !ok {
		return
	}
	for i, id := range ref.Messages {
		if i < len(note) && note[i] == '1' {
			s.setForm(id, true)
		}
	}
}

func (s *Sender) setForm(id string, v2 bool) {
	if !v2 {
		return
	}
	s.v2.Add(id, true)
}

func (s *Sender) setShown(id, digest string) {
	s.shown.Add(id, digest)
}

// remove deletes one of the bot's messages; a message that is already gone is not an error.
func (s *Sender) remove(ctx context.Context, channel, id string) error {
	err := s.api.Do(ctx, rest.Call{
		Method: http.MethodDelete, Path: "/channels/" + channel + "/messages/" + id,
		Bucket: "delete/" + channel, Again: true, Urgent: true,
	})
	if rest.CodeOf(err) == rest.CodeUnknownMessage {
		return nil
	}
	return err
}
