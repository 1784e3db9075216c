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

// shown is the content of a digest: exactly what people are shown, in this order.
type shown struct {
	Title     string       `json:"title"`
	Text      string       `json:"text"`
	Effect    agent.Effect `json:"effect"`
	Approvers int          `json:"approvers"`
}

// digest returns the SHA-256 of what is shown, as JSON without spaces and without escapes that JSON does not need: programs
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

// bad returns a fault of a request, for its program.
func bad(lang, key string, args ...any) *bot.Error {
	return &bot.Error{Code: bot.CodeBadAnswer, Say: phrase.Say(lang, key, args...)}
}

// check normalises a request.
func (w *Wanted) check(c Caller) error {
	w.Title, w.Text = fit.OneLine(strings.TrimSpace(fit.Clean(w.Title))), strings.TrimSpace(fit.Clean(w.Text))
	w.Effect = agent.Effect(cmp.Or(string(w.Effect), "unknown"))
	few := w.Approvers < 0
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
	case few:
		return bad(c.Lang, "desk.few_approvers")
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

// messageOf returns the ID of the message whose run asks.
func messageOf(f outside.Filed) string { return "request-" + f.ID }

// message returns the message whose run asks.
func (d *Desk) message(ctx context.Context, c Caller, w Wanted, f *outside.Filed, deciders []string) bot.Message {
	effect := w.Effect
	if effect == "unknown" {
		effect = ""
	}
	lang := d.cfg.Rules.Language(ctx, f.Thread, c.User, w.Title+"\n"+w.Text) // as the rest of the card
	ask := agent.Ask{Question: phrase.Say(lang, "desk.asks", c.Program, cmp.Or(c.User.Name, c.User.ID)) + "\n\n**" + w.Title + "**", Detail: w.Text, Effect: effect, Approvers: w.Approvers}
	m := bot.Message{
		ID: messageOf(*f), Thread: f.Thread, User: c.User, Reach: bot.ReachMenu, Text: strings.TrimSpace(w.Title + "\n\n" + w.Text), At: f.Created,
		Request: &bot.Request{ID: f.ID, By: c.Program, Ask: ask, Deciders: deciders, Expires: f.Expires, Told: w.Callback != ""},
	}
	f.Run = m.Run()
	return m
}

// whom returns the thread in which a request is asked, and who may decide it.
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

// needed returns how many people must agree.
func (d *Desk) needed(w Wanted, two bool) int {
	if two && w.Effect != agent.EffectReads {
		return max(w.Approvers, 2)
	}
	return w.Approvers
}

// one returns the direct conversation of the only person who decides.
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
