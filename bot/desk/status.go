package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/approval"
	"maru/bot/outside"
	"maru/bot/receipt"
	"maru/phrase/fit"
)

// Status returns how a request of the caller's person is. While it is pending it waits, up to a time.
func (d *Desk) Status(ctx context.Context, c Caller, id string, wait time.Duration) (Status, error) {
	if err := c.may(outside.Request); err != nil {
		return Status{}, err
	}
	short, cancel := context.WithTimeout(ctx, min(max(wait, 0), maxWait))
	defer cancel()
	for {
		f, err := d.cfg.Record.FiledByID(ctx, id)
		if errors.Is(err, bot.ErrNotFound) || err == nil && (!f.Home.Thread().SharesTeam(c.Home.Thread()) || f.Person != c.User.ID) {
			return Status{}, &bot.Error{Code: bot.CodeNotFound}
		}
		if err != nil {
			return Status{}, fmt.Errorf("read request: %w", err)
		}
		s, err := d.status(ctx, f)
		if err != nil || s.State != Pending {
			return s, err
		}
		select {
		case <-short.Done():
			return s, ctx.Err()
		case <-time.After(look):
		}
	}
}

// Withdraw ends a pending request of the caller's person, whichever of the person's programs filed it: its card says
// so, and its callback is called. For an ended request it returns how it ended.
func (d *Desk) Withdraw(ctx context.Context, c Caller, id string) (Status, error) {
	s, err := d.Status(ctx, c, id, 0)
	if err != nil || s.State != Pending {
		return s, err
	}
	f, err := d.cfg.Record.FiledByID(ctx, id)
	if err != nil {
		return s, fmt.Errorf("read request: %w", err)
	}
	// Its message is deleted, so that a run that has not begun asks nobody.
	if err := d.cfg.Withdraw(ctx, bot.Change{Thread: f.Thread, Message: messageOf(f), Deleted: true, User: c.User, At: d.cfg.Now()}); err != nil {
		return s, fmt.Errorf("withdraw a request: %w", err)
	}
	if s, err = d.Status(ctx, c, id, 0); err == nil && s.State == Withdrawn {
		d.cfg.Rules.Audit(ctx, f.Thread, c.User, "program.withdrew", map[string]any{"request": f.ID, "token": c.Token, "program": c.Program})
	}
	return s, err
}

// status reads how a request is, and signs a receipt when it has been decided.
func (d *Desk) status(ctx context.Context, f outside.Filed) (Status, error) {
	s := Status{ID: f.ID, State: Pending, Digest: f.Digest, Place: f.Thread.TeamKey() + "/" + bot.Esc(f.Thread.Channel), Expires: f.Expires, Receipt: f.Receipt}
	rows, err := d.cfg.Record.RunApprovals(ctx, f.Thread.Key(), f.Run, approval.MaxAsked)
	if err != nil {
		return s, fmt.Errorf("read approval: %w", err)
	}
	i := slices.IndexFunc(rows, func(a bot.Approval) bool { return a.Kind == approval.KindRequest })
	if i < 0 && f.Receipt != "" { // it was decided so long ago that the question is gone
		keys, err1 := d.Keys(ctx)
		said, err2 := receipt.Check(f.Receipt, keys)
		s.State, s.Agreed, s.Text = said.Decision, said.By, said.Text
		return s, errors.Join(err1, err2)
	}
	if i < 0 { // its card is about to be posted, or it was withdrawn before
		asked, err := d.cfg.Record.Entry(ctx, f.Thread.Key(), bot.Message{ID: messageOf(f), Thread: f.Thread}.Key())
		if err != nil && !errors.Is(err, bot.ErrNotFound) {
			return s, fmt.Errorf("read request's message: %w", err)
		}
		if asked.Deleted {
			s.State = Withdrawn
			return s, nil
		}
		reply, err := d.cfg.Record.Reply(ctx, f.Run)
		switch {
		case err != nil && !errors.Is(err, bot.ErrNotFound):
			return s, fmt.Errorf("read reply: %w", err)
		case err == nil && reply.State != bot.ReplyOpen:
			s.State = Withdrawn
		}
		return s, nil
	}
	row := rows[i]
	s.Posted, s.Needs, s.Expires = !row.Ref.IsZero(), max(row.Needs, 1), row.Expires
	s.Agreed = people(row, f, func(bot.Agreement) bool { return true })
	switch row.State {
	case bot.ApprovalExpired:
		s.State = Expired
	case bot.ApprovalRevoked:
		s.State = Withdrawn
	case bot.ApprovalDecided:
		return d.decided(ctx, f, row, s)
	}
	return s, nil
}

// people returns those who have voted as wanted.
func people(row bot.Approval, f outside.Filed, wanted func(bot.Agreement) bool) []receipt.Person {
	var out []receipt.Person
	for _, g := range row.Agreed {
		if !wanted(g) {
			continue
		}
		p := receipt.Person{ID: g.By, At: g.At.UTC()}
		if strings.Count(g.By, "/") != 2 {
			p.ID = f.Thread.Person(bot.User{ID: g.By})
		}
		if d, err := approval.ReadDecision(g.Decision); err == nil {
			p.Name = fit.Visible(d.Name)
		}
		out = append(out, p)
	}
	return out
}

// decided adds the decision, with its receipt.
func (d *Desk) decided(ctx context.Context, f outside.Filed, row bot.Approval, s Status) (Status, error) {
	made, err := approval.ReadDecision(row.Decision)
	if err != nil {
		return s, err
	}
	s.State, s.Text = Rejected, made.Said
	if made.Verb == approval.VerbAccept {
		s.State = Approved
	}
	if f.Receipt != "" {
		return s, nil
	}
	last := row.Agreed[len(row.Agreed)-1]
	key, err := Keyring{Notes: d.cfg.Record, Secrets: d.cfg.Secrets, Now: d.cfg.Now}.Signing(ctx)
	if err != nil {
		return s, fmt.Errorf("sign a receipt: %w", err)
	}
	text, err := receipt.Sign(receipt.Claims{
		Issuer: d.cfg.Issuer, Request: f.ID, Digest: f.Digest, Decision: s.State, Decided: row.Decided.UTC(), For: f.Home.Thread().Person(bot.User{ID: f.Person}), Program: f.By,
		Place: s.Place, Text: s.Text, By: people(row, f, func(g bot.Agreement) bool { return g.Key == last.Key }),
	}, key)
	if err == nil {
		s.Receipt, err = d.cfg.Record.Receipted(ctx, f.ID, text)
	}
	return s, err
}

// Keys returns the public keys of receipts. There is one as soon as receipts can be signed.
func (d *Desk) Keys(ctx context.Context) (receipt.Keys, error) {
	ring := Keyring{Notes: d.cfg.Record, Secrets: d.cfg.Secrets, Now: d.cfg.Now}
	if len(d.cfg.Secrets) > 0 {
		if _, err := ring.Signing(ctx); err != nil {
			return receipt.Keys{}, err
		}
	}
	return ring.Public(ctx)
}
