package outbound

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
)

// Tell posts Discord Markdown in a channel, idempotently by key.
func (s *Sender) Tell(ctx context.Context, channel, text, key string) error {
	_, err := s.send(ctx, spot{channel: channel}, render.Plain(text), nonceOf(key, 0), true)
	return err
}

// send posts one message and returns its ID. If the nonce's message can no longer be edited,
// it posts another, once. A message that is not urgent is refused if it would have to wait.
func (s *Sender) send(ctx context.Context, at spot, p render.Part, nonce string, urgent bool) (string, error) {
	id, err := s.sendAs(ctx, at, p, nonce, urgent)
	if c := rest.CodeOf(err); id != "" && (c == rest.CodeUnknownMessage || c == rest.CodeOldEdits) {
		return s.sendAs(ctx, at, p, nonceOf(nonce+" "+id, 0), urgent)
	}
	return id, err
}

// sendAs posts a message. A second send with the same nonce returns the first message, which
// may show an older text.
func (s *Sender) sendAs(ctx context.Context, at spot, p render.Part, nonce string, urgent bool) (string, error) {
	var m wire.Message
	try := func(ctx context.Context, p render.Part) error {
		body := render.NewOutgoing(p)
		body.Nonce, body.EnforceNonce = nonce, true
		if at.replyTo != "" {
			body.Reference = &render.ReplyReference{MessageID: at.replyTo}
		}
		return s.api.Do(ctx, rest.Call{
			Method: http.MethodPost, Path: "/channels/" + at.channel + "/messages",
			Bucket: "post/" + at.channel, Body: body, Out: &m, Again: true, Urgent: urgent,
		})
	}
	err := s.persist(ctx, at.channel, p, try)
	if rest.CodeOf(err) == rest.CodeCannotReply && at.replyTo != "" { // without access to the answered message, post without a reference
		at.replyTo = ""
		err = s.persist(ctx, at.channel, p, try)
	}
	if err != nil {
		return "", err
	}
	if m.ID == "" {
		return "", errors.New("discord: the API gave no message id")
	}
	s.setForm(m.ID, p.V2() || m.Flags&wire.FlagV2 != 0)
	if shown := m.Text(); shown != "" && strings.TrimSpace(shown) != strings.TrimSpace(p.Text()) {
		if m.Flags&wire.FlagV2 != 0 {
			p = p.AsV2()
		}
		if err := s.patch(ctx, at.channel, m.ID, p, true); err != nil {
			return m.ID, err
		}
	}
	s.setShown(m.ID, p.Digest())
	return m.ID, nil
}

// persist sends a part, unarchiving the thread if necessary, and as plain text if Discord
// rejects its components.
func (s *Sender) persist(ctx context.Context, channel string, p render.Part, try func(context.Context, render.Part) error) error {
	err := try(ctx, p)
	if rest.CodeOf(err) == rest.CodeArchived {
		if err := s.unarchive(ctx, channel); err != nil {
			return err
		}
		err = try(ctx, p)
	}
	if rest.CodeOf(err) == rest.CodeInvalidBody {
		s.log.ErrorContext(ctx, "discord refused a message's layout, sending its text", "err", err)
		err = try(ctx, p.Plainer())
	}
	return err
}
