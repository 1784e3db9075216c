// Package desk lets other programs work with Maru in a person's name: they ask, search documents, see and decide what
// waits for the person, and ask people for approvals, of which they get signed receipts.
//
// Its invariants:
//
//   - A program has the rights that the platform gives its person now, never an admin's, and of those only its token's
//     scopes. Tokens are kept as hashes, end by themselves, and are listed and revoked by their person.
//   - A question is asked in the direct conversation of its person, who sees it there: an ordinary run.
//   - A request for an approval is an ordinary question on a card, committed with the request in one transaction. Only the
//     people that it names decide it, and no program decides what a program of the same person has asked for.
//   - A receipt is signed once for a decision, with a key that the record keeps sealed; old keys stay published.
//
// It must not know how programs reach it: that is maru/adapters/mcp's.
package desk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/outside"
	"maru/bot/place"
	"maru/phrase"
	"maru/rag"
)

// Record is the part of the record that the desk reads beside its own.
type Record interface {
	outside.Store
	Note(ctx context.Context, key string) (string, error)
	FirstNote(ctx context.Context, key, value string) (string, error)
	ApprovalByID(ctx context.Context, id string) (bot.Approval, error)
	Entry(ctx context.Context, thread, id string) (bot.Entry, error)
	Reply(ctx context.Context, run string) (bot.Reply, error)
	RunApprovals(ctx context.Context, thread, run string, limit int) ([]bot.Approval, error)
}

// People is implemented by adapters that know a person as the platform says at this moment.
type People interface {
	// PersonNow returns a person of the thread's workspace; false if there is none, or the account was closed.
	PersonNow(ctx context.Context, t bot.Thread, id string) (bot.User, bool, error)
}

// Library finds passages.
type Library interface {
	Search(ctx context.Context, q rag.Query) ([]rag.Hit, error)
}

// Questions are what waits for people, and their decisions.
type Questions interface {
	WaitingFrom(ctx context.Context, t bot.Thread, u bot.User) ([]bot.Approval, error)
	Rule(ctx context.Context, r bot.Ruling) (bot.Ruled, error)
}

// Config holds a desk's dependencies. All fields are required except those that say what zero means.
type Config struct {
	Record    Record
	Rules     *place.Rules
	Questions Questions
	Adapters  bot.Platforms
	Library   Library // nil: nothing is found
	Wake      func(thread string)
	Withdraw  func(ctx context.Context, c bot.Change) error // of a message that was deleted
	Message   func(ctx context.Context, m bot.Message) error
	Follow    func(ctx context.Context, t bot.Thread, u bot.User, run string, show func(bot.Feed) error) error
	Secrets   [][]byte     // seal the keys of receipts, the newest first; none: there are no receipts, and no requests
	Client    *http.Client // tells programs how their requests ended; nil: nobody is told
	Issuer    string       // public address of the program, "" if it has none
	Log       *slog.Logger
	Now       func() time.Time
	NewID     func() string // opaque, unguessable
}

// Desk serves other programs. It is safe for concurrent use and keeps nothing in memory.
type Desk struct{ cfg Config }

// New returns a Desk.
func New(c Config) *Desk { return &Desk{cfg: c} }

// Caller is a program that works in a person's name.
type Caller struct {
	Home    outside.Home
	User    bot.User // as the platform says now, without the rights of an admin
	Scopes  []outside.Scope
	Token   string // id of its token, "" if the platform vouches for the person
	Program string // its name
	Lang    string

	operator bool // the person runs this program
}

// may returns an error for people unless the caller has a scope.
func (c Caller) may(s outside.Scope) error {
	if slices.Contains(c.Scopes, s) {
		return nil
	}
	return &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(c.Lang, "desk.no_scope", string(s))}
}

// person returns a caller's person as they are now.
func (d *Desk) person(ctx context.Context, c Caller) (Caller, error) {
	if dir, ok := d.cfg.Adapters[c.Home.Platform].(People); ok {
		now, there, err := dir.PersonNow(ctx, c.Home.Thread(), c.User.ID)
		if err != nil {
			return c, fmt.Errorf("look a person up: %w", err)
		}
		if !there || now.Bot {
			return c, ErrToken
		}
		c.User = now
	} else if d.cfg.Adapters[c.Home.Platform] == nil {
		return c, ErrToken
	}
	c.operator = c.User.Operator
	c.User.Admin, c.User.Operator = false, false
	c.Lang = d.cfg.Rules.Language(ctx, c.Home.Thread(), c.User, "")
	if err := d.cfg.Rules.MembersOnly(ctx, c.Home.Thread(), c.User, c.Lang); err != nil {
		return c, err
	}
	return c, nil
}

// Vouched returns the caller of a request that a platform has signed in a person's name. It decides nothing: the platform's
// own buttons do.
func (d *Desk) Vouched(ctx context.Context, platform, team, user, program string) (Caller, error) {
	if team == "" || user == "" {
		return Caller{}, ErrToken
	}
	return d.person(ctx, Caller{
		Home: outside.Home{Platform: platform, Team: team}, User: bot.User{ID: user}, Program: program,
		Scopes: []outside.Scope{outside.Ask, outside.Search, outside.Request},
	})
}

// alone returns the direct conversation of a person of the caller's workspace with the bot. threads reports whether a message
// there begins a thread.
func (d *Desk) alone(ctx context.Context, c Caller, u bot.User) (at bot.Thread, threads bool, err error) {
	direct, ok := d.cfg.Adapters[c.Home.Platform].(bot.Direct)
	if !ok {
		return bot.Thread{Platform: c.Home.Platform, Team: c.Home.Team, Channel: c.Home.Alone, Direct: true}, false, nil
	}
	at, threads, err = direct.OpenDirect(ctx, c.Home.Thread(), u)
	if errors.Is(err, bot.ErrForbidden) || errors.Is(err, bot.ErrGone) {
		return at, threads, &bot.Error{Code: bot.CodeMayNot, Say: phrase.Say(c.Lang, "desk.no_direct"), Err: err}
	}
	return at, threads, err
}

// Waiting is a question that waits for a person.
type Waiting struct {
	Approval string         `json:"approval"`
	Kind     string         `json:"kind"`
	Question string         `json:"question"`
	Detail   string         `json:"detail,omitempty"`
	Actions  []agent.Action `json:"actions"`
	Place    string         `json:"place"`
	Expires  time.Time      `json:"expires"`
	// Own says that a program of the same person asked for it: only a person can decide it.
	Own bool `json:"own_request,omitempty"`
}

// Pending lists what waits for the caller's person, the oldest first.
func (d *Desk) Pending(ctx context.Context, c Caller) ([]Waiting, error) {
	if err := c.may(outside.Decide); err != nil {
		return nil, err
	}
	rows, err := d.cfg.Questions.WaitingFrom(ctx, c.Home.Thread(), c.User)
	if err != nil {
		return nil, err
	}
	out := []Waiting{}
	for _, row := range rows {
		if row.State != bot.ApprovalPending || approval.IsOffer(row.Kind) {
			continue
		}
		a, err := approval.Read(row)
		if err != nil {
			return nil, err
		}
		out = append(out, Waiting{
			Approval: row.ID, Kind: row.Kind, Question: a.Question, Detail: a.Detail, Actions: a.Offered(),
			Place: a.About.Message.Thread.Key(), Expires: row.Expires, Own: c.asked(row),
		})
	}
	return out, nil
}

// asked reports whether a program of the caller's person has asked for an approval.
func (c Caller) asked(row bot.Approval) bool {
	t, err := bot.ParseThread(row.Thread)
	return row.Kind == approval.KindRequest && (err != nil || t.SharesTeam(c.Home.Thread()) && row.Allowed[0] == c.User.ID)
}

// Decide decides what waits for the caller's person.
func (d *Desk) Decide(ctx context.Context, c Caller, id, action, text string) (bot.Ruled, error) {
	if err := c.may(outside.Decide); err != nil {
		return bot.Ruled{}, err
	}
	row, err := d.cfg.Record.ApprovalByID(ctx, id)
	if errors.Is(err, bot.ErrNotFound) {
		return bot.Ruled{}, &bot.Error{Code: bot.CodeNotFound}
	}
	if err != nil {
		return bot.Ruled{}, fmt.Errorf("read approval: %w", err)
	}
	if c.asked(row) {
		return bot.Ruled{}, &bot.Error{Code: bot.CodeNotAllowed, Say: phrase.Say(c.Lang, "desk.own_request")}
	}
	ruled, err := d.cfg.Questions.Rule(ctx, bot.Ruling{Run: row.Run, Approval: row.ID, Action: action, Text: text, Thread: c.Home.Thread(), User: c.User})
	if e := (*bot.Error)(nil); errors.As(err, &e) && e.Code == bot.CodeNotAllowed { // nor learn that it exists
		return bot.Ruled{}, &bot.Error{Code: bot.CodeNotFound}
	}
	if err == nil {
		d.cfg.Rules.Audit(ctx, c.Home.Thread(), c.User, "program.decided", map[string]any{"approval": row.ID, "token": c.Token, "program": c.Program})
	}
	return ruled, err
}
