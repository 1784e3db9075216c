// Package outside has the words of other programs that work with Maru in a person's name: the tokens that they show, the
// requests for approval that they file, and [Store], the part of the record that keeps both.
//
// It knows no protocol, no platform and no sentence; maru/bot/desk decides with it.
package outside

import (
	"context"
	"errors"
	"slices"
	"time"

	"maru/bot"
)

// Scope is something that a token allows.
type Scope string

// The scopes of tokens.
const (
	Ask     Scope = "ask"     // to ask questions in the person's name
	Search  Scope = "search"  // to search the documents that the person may read
	Request Scope = "request" // to ask people for approvals
	Decide  Scope = "decide"  // to see and decide what waits for the person
)

// Scopes are all scopes.
func Scopes() []Scope { return []Scope{Ask, Search, Request, Decide} }

// Errors of a [Store].
var (
	// ErrFull says that a person has as many tokens as they may.
	ErrFull = errors.New("outside: there are too many tokens")
	// ErrOther says that a request's key was used for other contents.
	ErrOther = errors.New("outside: the idempotency key was used for another request")
)

// Token lets a program work in a person's name. The token itself is known to its holder alone.
type Token struct {
	ID      string    `json:"-"`
	Hash    string    `json:"-"` // SHA-256 of the token, in hex
	Home    Home      `json:"home"`
	Owner   bot.User  `json:"owner"` // as the platform told when it was made; authority is looked up when it is used
	Name    string    `json:"name"`  // what the person calls it
	Scopes  []Scope   `json:"scopes"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"-"`
}

// May reports whether the token has a scope.
func (t Token) May(s Scope) bool { return slices.Contains(t.Scopes, s) }

// Home is the workspace of a person.
type Home struct {
	Platform string `json:"platform"`
	Team     string `json:"team"`
	// Alone is the channel in which the person is alone with the bot, for platforms that open none; see bot.Direct.
	Alone string `json:"alone,omitempty"`
}

// Thread is the workspace as a place without a channel.
func (h Home) Thread() bot.Thread { return bot.Thread{Platform: h.Platform, Team: h.Team} }

// Filed is a request for an approval, as a program filed it.
type Filed struct {
	ID       string     `json:"-"`
	Key      string     `json:"-"` // unique among the person's requests: the idempotency key
	Contents string     `json:"-"` // digest of what was filed under the key
	Receipt  string     `json:"-"` // of its decision, "" while there is none
	Home     Home       `json:"home"`
	Person   string     `json:"person"`             // id of in whose name it was filed
	By       string     `json:"by"`                 // name of the program
	Token    string     `json:"token"`              // id of the token, "" for a signed request of the platform
	Thread   bot.Thread `json:"thread"`             // where people are asked
	Run      string     `json:"run"`                // the run that asks
	Digest   string     `json:"digest"`             // of what is shown: "sha256:…"
	Created  time.Time  `json:"created"`            //
	Expires  time.Time  `json:"expires,omitzero"`   // zero: when the place's setting says
	Callback string     `json:"callback,omitempty"` // address that is told how it ended, "" for none
}

// Store keeps tokens and requests. Times are the caller's; the store's clock is not asked.
//
// PutToken stores a new token, unless its owner in its workspace has most already that are not over at its Created:
// ErrFull. TokenByHash returns a token whatever its time, bot.ErrNotFound without one. Tokens lists a person's, oldest
// first. DropToken removes one of a person's and reports whether there was one.
//
// FileRequest stores a request and commits an item with it, in one transaction. Of requests with one key of one person
// in one workspace the first wins: the others are returned the stored one, and fresh is false; with other Contents the
// error is ErrOther. FiledByID returns bot.ErrNotFound without one. Receipted stores a request's receipt if it has none,
// and returns the stored one.
//
// What forgets a person, a thread or a workspace elsewhere in the record (Unname, Forget, Purge) removes their tokens
// and requests.
type Store interface {
	PutToken(ctx context.Context, t Token, most int) error
	TokenByHash(ctx context.Context, hash string) (Token, error)
	Tokens(ctx context.Context, h Home, person string) ([]Token, error)
	DropToken(ctx context.Context, h Home, person, id string) (bool, error)
	FileRequest(ctx context.Context, f Filed, it bot.Item) (stored Filed, fresh bool, err error)
	FiledByID(ctx context.Context, id string) (Filed, error)
	Receipted(ctx context.Context, id, receipt string) (string, error)
}
