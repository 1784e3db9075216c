package desk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/outside"
	"maru/bot/receipt"
	"maru/phrase"
	"maru/phrase/fit"
)

// Limits of requests.
const (
	maxTitle   = 200   // characters
	maxDetail  = 8_000 // characters
	maxKey     = 200   // bytes
	maxPeople  = 20
	maxNeeded  = 10
	minExpires = time.Minute
	maxExpires = 30 * day
)

// Wanted is an approval that a program asks for.
type Wanted struct {
	Title     string        `json:"title"`            // one line: what is to be approved
	Text      string        `json:"text,omitempty"`   // Markdown: exactly what would happen
	Effect    agent.Effect  `json:"effect,omitempty"` // "" is unknown, which counts as the gravest
	Channel   string        `json:"channel,omitempty"`
	People    []string      `json:"people,omitempty"` // who may decide; with a channel and nobody: its approvers, else its members; without a channel one person, "" for the caller's
	Approvers int           `json:"approvers,omitempty"`
	ExpiresIn time.Duration `json:"expires_in,omitempty"`
	Callback  string        `json:"callback,omitempty"` // address that is told how it ended, "" for none
	Key       string        `json:"-"`                  // idempotency key, "" for none
}

// shown is what a digest is of: exactly what people are shown, in this order.
type shown struct {
	Title     string       `json:"title"`
	Text      string       `json:"text"`
	Effect    agent.Effect `json:"effect"`
	Approvers int          `json:"approvers"`
}

// digest is the SHA-256 of what is shown, as JSON without spaces and without escapes that JSON does not need: programs
// in any language can compute it.
func (w Wanted) digest() (string, error) {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	err := enc.Encode(shown{w.Title, w.Text, w.Effect, w.Approvers})
	return "sha256:" + bot.Digest(bytes.TrimSuffix(raw.Bytes(), []byte("\n"))), err
}

// States of a [Status].
const (
	Pending   = "pending"
	Approved  = receipt.Approved
	Rejected  = receipt.Rejected
	Expired   = "expired"
	Withdrawn = "withdrawn"
)

// Status is how a request is.
type Status struct {
	ID      string           `json:"id"`
	State   string           `json:"state"`
	Posted  bool             `json:"posted"` // people can see it
	Digest  string           `json:"digest"`
	Place   string           `json:"place"`
	Needs   int              `json:"needs,omitempty"`  // people who must agree
	Agreed  []receipt.Person `json:"agreed,omitempty"` // those who have decided so far
	Expires time.Time        `json:"expires,omitzero"`
	Text    string           `json:"text,omitempty"`    // what the deciders added in words
	Receipt string           `json:"receipt,omitempty"` // once it is approved or rejected
}

// bad is a fault of a request, for its program.
func bad(lang, key string, args ...any) *bot.Error {
	return &bot.Error{Code: bot.CodeBadAnswer, Say: phrase.Say(lang, key, args...)}
}

// check normalises a request.
func (w *Wanted) check(c Caller) error {
	w.Title, w.Text = fit.OneLine(strings.TrimSpace(fit.Clean(w.Title))), strings.TrimSpace(fit.Clean(w.Text))
	w.Effect = agent.Effect(cmp.Or(string(w.Effect), "unknown"))
	w.Approvers = max(w.Approvers, 1)
	effects := []agent.Effect{agent.EffectReads, agent.EffectSends, agent.EffectWrites, agent.EffectExecutes, "unknown"}
	switch {
	case fit.Blank(w.Title):
		return bad(c.Lang, "desk.no_title")
	case utf8.RuneCountInString(w.Title) > maxTitle:
		return bad(c.Lang, "desk.long_title", maxTitle)
	case utf8.RuneCountInString(w.Text) > maxDetail:
		return bad(c.Lang, "desk.long_text", maxDetail)
	case !slices.Contains(effects, w.Effect):
		return bad(c.Lang, "desk.bad_effect")
	case w.Approvers > maxNeeded || len(w.People) > maxPeople:
		return bad(c.Lang, "desk.many_people", maxNeeded, maxPeople)
	case len(w.Key) > maxKey:
		return bad(c.Lang, "desk.long_key", maxKey)
	case w.Callback != "" && !receivable(w.Callback):
		return bad(c.Lang, "desk.bad_callback")
	case w.ExpiresIn != 0 && (w.ExpiresIn < minExpires || w.ExpiresIn > maxExpires):
		return bad(c.Lang, "desk.bad_expiry")
	}
	return nil
}

// File asks people for an approval: a card is posted where the request says. Filed again under the same key it returns
// the one that is there.
func (d *Desk) File(ctx context.Context, c Caller, w Wanted) (Status, error) {
	if err := c.may(outside.Request); err != nil {
		return Status{}, err
	}
	if len(d.cfg.Secrets) == 0 {
		return Status{}, &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(c.Lang, "desk.no_secret")}
	}
	if err := w.check(c); err != nil {
		return Status{}, err
	}
	contents, err1 := json.Marshal(w)
	digest, err2 := w.digest()
	if err := errors.Join(err1, err2); err != nil {
		return Status{}, fmt.Errorf("encode request: %w", err)
	}
	at, deciders, err := d.whom(ctx, c, w)
	if err != nil {
		return Status{}, err
	}
	now := d.cfg.Now()
	f := outside.Filed{
		ID: d.cfg.NewID(), Contents: bot.Digest(contents), Home: c.Home, Person: c.User.ID, By: c.Program, Token: c.Token, Thread: at, Digest: digest, Created: now,
		Callback: w.Callback,
	}
	f.Key = cmp.Or(w.Key, "own/"+f.ID)
	if w.ExpiresIn > 0 {
		f.Expires = now.Add(w.ExpiresIn)
	}
	m := d.message(ctx, c, w, &f, deciders)
	body, err := json.Marshal(m)
	if err != nil {
		return Status{}, fmt.Errorf("encode request: %w", err)
	}
	stored, fresh, err := d.cfg.Record.FileRequest(ctx, f, bot.Item{
		ID: m.Key(), Thread: at.Key(), Kind: bot.ItemMessage, Body: body,
		Entry: &bot.Entry{ID: m.Key(), Thread: at.Key(), Author: c.Program, User: c.User.ID, Text: m.Text, At: now},
	})
	if errors.Is(err, outside.ErrOther) {
		return Status{}, &bot.Error{Code: bot.CodeStale, Say: phrase.Say(c.Lang, "desk.other_request")}
	}
	if err != nil {
		return Status{}, fmt.Errorf("file request: %w", err)
	}
	if fresh {
		d.cfg.Rules.Audit(ctx, at, c.User, "program.requested", map[string]any{"request": f.ID, "digest": digest, "deciders": deciders, "token": c.Token, "program": c.Program})
		d.cfg.Wake(at.Key())
	}
	return d.status(ctx, stored)
}

// message is the message whose run asks.
func (d *Desk) message(ctx context.Context, c Caller, w Wanted, f *outside.Filed, deciders []string) bot.Message {
	effect := w.Effect
	if effect == "unknown" {
		effect = ""
	}
	lang := d.cfg.Rules.Language(ctx, f.Thread, c.User, w.Title+"\n"+w.Text) // as the rest of the card
	ask := agent.Ask{Question: phrase.Say(lang, "desk.asks", c.Program, cmp.Or(c.User.Name, c.User.ID)) + "\n\n**" + w.Title + "**", Detail: w.Text, Effect: effect, Approvers: w.Approvers}
	m := bot.Message{
		ID: "request-" + f.ID, Thread: f.Thread, User: c.User, Reach: bot.ReachMenu, Text: strings.TrimSpace(w.Title + "\n\n" + w.Text), At: f.Created,
		Request: &bot.Request{ID: f.ID, By: c.Program, Ask: ask, Deciders: deciders, Expires: f.Expires, Told: w.Callback != ""},
	}
	f.Run = m.Run()
	return m
}

// whom says where a request is asked, and who may decide it.
func (d *Desk) whom(ctx context.Context, c Caller, w Wanted) (bot.Thread, []string, error) {
	if w.Channel == "" {
		return d.one(ctx, c, w)
	}
	at, err := d.channel(ctx, c, w.Channel)
	if err != nil {
		return at, nil, err
	}
	set, err := d.cfg.Rules.SettingsNow(ctx, at, c.User)
	if err != nil {
		return at, nil, err
	}
	who := w.People
	switch members, ok := d.cfg.Adapters[at.Platform].(bot.Members); {
	case len(who) == 0 && len(set.Decisions.Approvers) > 0:
		return at, set.Decisions.Approvers, nil
	case len(who) == 0:
		return at, []string{bot.DeciderMembers}, nil
	case ok:
		for i, id := range who {
			if who[i], ok = d.known(id, at); !ok {
				return at, nil, bad(c.Lang, "desk.no_person", fit.Clip(fit.Visible(id), 100))
			}
			in, err := members.Member(ctx, at, who[i], "")
			if err != nil {
				return at, nil, fmt.Errorf("look up a decider: %w", err)
			}
			if !in {
				return at, nil, bad(c.Lang, "desk.not_there", fit.Clip(fit.Visible(id), 100))
			}
		}
	}
	if who = fit.Distinct(who); len(who) < d.needed(w, set.Decisions.TwoPeople) {
		return at, nil, bad(c.Lang, "desk.few_people", d.needed(w, set.Decisions.TwoPeople))
	}
	return at, who, nil
}

// needed is how many people must agree.
func (d *Desk) needed(w Wanted, two bool) int {
	if two && w.Effect != agent.EffectReads {
		return max(w.Approvers, 2)
	}
	return w.Approvers
}

// one is the direct conversation of the only person who decides.
func (d *Desk) one(ctx context.Context, c Caller, w Wanted) (bot.Thread, []string, error) {
	if len(w.People) > 1 {
		return bot.Thread{}, nil, bad(c.Lang, "desk.channel_needed")
	}
	u := c.User
	if len(w.People) == 1 {
		id, ok := d.known(w.People[0], c.Home.Thread())
		dir, people := d.cfg.Adapters[c.Home.Platform].(People)
		if u = (bot.User{ID: id}); ok && people {
			var err error
			if u, ok, err = dir.PersonNow(ctx, c.Home.Thread(), id); err != nil {
				return bot.Thread{}, nil, fmt.Errorf("look up a decider: %w", err)
			}
		}
		if !ok || u.Bot || u.Stranger() || !people && id != c.User.ID {
			return bot.Thread{}, nil, bad(c.Lang, "desk.no_person", fit.Clip(fit.Visible(w.People[0]), 100))
		}
	}
	at, _, err := d.alone(ctx, c, u)
	if err != nil {
		return at, nil, err
	}
	if _, ok := d.cfg.Adapters[at.Platform].(bot.Direct); !ok {
		at.ID = "r" + d.cfg.NewID()
	}
	set, err := d.cfg.Rules.SettingsNow(ctx, at, c.User)
	if err == nil && d.needed(w, set.Decisions.TwoPeople) > 1 {
		err = bad(c.Lang, "desk.few_people", d.needed(w, set.Decisions.TwoPeople))
	}
	return at, []string{u.ID}, err
}

// known returns the id of a person of a place, given that or their whole name.
func (d *Desk) known(who string, at bot.Thread) (string, bool) {
	if p := strings.Split(who, "/"); len(p) == 3 {
		if !at.SharesTeam(bot.Thread{Platform: bot.Unesc(p[0]), Team: bot.Unesc(p[1])}) {
			return "", false
		}
		who = bot.Unesc(p[2])
	}
	if p, ok := d.cfg.Adapters[at.Platform].(bot.Picker); ok && !p.IsID(who) {
		return "", false
	}
	return who, who != "" && !strings.Contains(who, "/")
}

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

// Withdraw ends a request of the caller's person that nobody has decided yet: its card says so, and its callback is told. Of one that
// has ended it returns how it ended.
func (d *Desk) Withdraw(ctx context.Context, c Caller, id string) (Status, error) {
	s, err := d.Status(ctx, c, id, 0)
	if err != nil || s.State != Pending {
		return s, err
	}
	f, err := d.cfg.Record.FiledByID(ctx, id)
	if err != nil {
		return s, fmt.Errorf("read request: %w", err)
	}
	d.cfg.Rules.Audit(ctx, f.Thread, c.User, "program.withdrew", map[string]any{"request": f.ID, "token": c.Token, "program": c.Program})
	d.cfg.Withdraw(ctx, f.Thread.Key(), f.Run)
	return d.Status(ctx, c, id, 0)
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

// people are those who have voted as wanted.
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

// Keys are the public keys of receipts. There is one as soon as receipts can be signed.
func (d *Desk) Keys(ctx context.Context) (receipt.Keys, error) {
	ring := Keyring{Notes: d.cfg.Record, Secrets: d.cfg.Secrets, Now: d.cfg.Now}
	if len(d.cfg.Secrets) > 0 {
		if _, err := ring.Signing(ctx); err != nil {
			return receipt.Keys{}, err
		}
	}
	return ring.Public(ctx)
}
