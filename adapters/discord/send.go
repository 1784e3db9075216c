package discord

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

// send posts one message and returns its id. Where the message of that nonce is not to
// be changed any more, it posts another, once.
func (a *Adapter) send(ctx context.Context, at spot, p part, nonce string) (string, error) {
	id, err := a.sendAs(ctx, at, p, nonce)
	if c := codeOf(err); id != "" && (c == codeUnknownMessage || c == codeOldEdits) {
		return a.sendAs(ctx, at, p, nonceOf(nonce+" "+id, 0))
	}
	return id, err
}

// sendAs posts a message. Sent again with the same nonce it is the same message, which then
// may still show an older text.
func (a *Adapter) sendAs(ctx context.Context, at spot, p part, nonce string) (string, error) {
	var m message
	try := func(ctx context.Context, p part) error {
		body := newOutgoing(p)
		body.Nonce, body.EnforceNonce = nonce, true
		if at.replyTo != "" {
			body.Reference = &replyReference{MessageID: at.replyTo}
		}
		return a.rest.do(ctx, call{
			method: http.MethodPost, path: "/channels/" + at.channel + "/messages",
			bucket: "post/" + at.channel, body: body, out: &m, again: true, urgent: true,
		})
	}
	err := a.persist(ctx, at.channel, p, try)
	if codeOf(err) == codeCannotReply && at.replyTo != "" { // what is answered may not be read here; it stands above all the same
		at.replyTo = ""
		err = a.persist(ctx, at.channel, p, try)
	}
	if err != nil {
		return "", err
	}
	if m.ID == "" {
		return "", errors.New("discord: the API gave no message id")
	}
	a.setForm(m.ID, p.v2() || m.Flags&flagV2 != 0)
	if shown := m.text(); shown != "" && strings.TrimSpace(shown) != strings.TrimSpace(p.text()) {
		if m.Flags&flagV2 != 0 {
			p = p.asV2()
		}
		if err := a.patch(ctx, at.channel, m.ID, p, true); err != nil {
			return m.ID, err
		}
	}
	a.setShown(m.ID, p.digest())
	return m.ID, nil
}

// persist sends a part, opening the thread if it was archived, and with its
// words alone if Discord refuses its form.
func (a *Adapter) persist(ctx context.Context, channel string, p part, try func(context.Context, part) error) error {
	err := try(ctx, p)
	if codeOf(err) == codeArchived {
		if err := a.unarchive(ctx, channel); err != nil {
			return err
		}
		err = try(ctx, p)
	}
	if codeOf(err) == codeInvalidBody {
		a.log.ErrorContext(ctx, "discord refused a message's form; sending its words alone", "err", err)
		err = try(ctx, p.plainer())
	}
	return err
}
