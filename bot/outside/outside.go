// Package outside defines other programs' access to Maru in a person's name: their tokens, their requests for
// approval, and [Store], the part of the record with both.
//
// It knows no protocol, no platform and no sentence; maru/bot/desk has the logic.
package outside

import (
	"context"
	"errors"
	"slices"
	"time"

	"maru/bot"
)

// Scope is a permission of a token.
type Scope string

// The scopes of tokens.
const (
	Ask     Scope = "ask"     // to ask questions in the person's name
	Search  Scope = "search"  // to search the documents that the person may read
	Request Scope = "request" // to ask people for approvals
	Decide  Scope = "decide"  // see and decide the person's pending questions
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{Ask, Search, Request, Decide} }

// Errors of a [Store].
var (
	// ErrFull reports that a person has the maximum number of tokens.
	ErrFull = errors.New("outside: there are too many tokens")
	// ErrOther reports that a request's key was used with other contents.
	ErrOther = errors.New("outside: the idempotency key was used for another request")
)

// Token lets a program act in a person's name. Only its holder knows the token itself.
type Token struct {
	ID      string    `json:"-"`
	Hash    string    `json:"-"` // SHA-256 of the token, in hex
	Home    Home      `json:"home"`
	Owner   bot.User  `json:"owner"` // as reported by the platform at creation; rights are looked up at each use
	Name    string    `json:"name"`  // chosen by the person
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
	// Alone is the person's private channel with the bot, on platforms that open none; see bot.Direct.
	Alone string `json:"alone,omitempty"`
}

// Thread returns the workspace as a thread without a channel.
func (h Home) Thread() bot.Thread { return bot.Thread{Platform: h.Platform, Team: h.Team} }

// Filed is a stored request for approval.
type Filed struct {
	ID       string     `json:"-"`
	Key      string     `json:"-"` // unique among the person's requests: the idempotency key
	Contents string     `json:"-"` // digest of the request's contents
	Receipt  string     `json:"-"` // of its decision, "" while there is none
	Home     Home       `json:"home"`
	Person   string     `json:"person"`             // id of in whose name it was filed
	By       string     `json:"by"`                 // name of the program
	Token    string     `json:"token"`              // id of the token, "" for a signed request of the platform
	Thread   bot.Thread `json:"thread"`             // where people are asked
	Run      string     `json:"run"`                // the run that asks
	Digest   string     `json:"digest"`             // of the shown question: "sha256:…"
	Created  time.Time  `json:"created"`            //
	Expires  time.Time  `json:"expires,omitzero"`   // zero: according to the channel's setting
	Callback string     `json:"callback,omitempty"` // address to which the outcome is reported, "" for none
}

// Store stores tokens and requests. Times come from the caller.
//
// PutToken stores a new token, unless its owner already has most tokens in its workspace that have not expired at
// its Created: ErrFull. TokenByHash returns a token, expired or not, or bot.ErrNotFound. Tokens lists a person's,
// oldest first. DropToken removes one of a person's and reports whether it existed.
//
// FileRequest stores a request and commits an item with it, in one transaction. For several requests with one key
// of one person in one workspace the first wins: the others get the stored one, and fresh is false; with other
// Contents the error is ErrOther. FiledByID returns bot.ErrNotFound if there is none. Receipted stores a request's
// receipt if it has none, and returns the stored one.
//
// Deleting a person, a thread or a workspace elsewhere in the record (Unname, Forget, Purge) removes their tokens
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
