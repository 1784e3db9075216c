package account

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/seal"
	"maru/bot/shared"
)

// Vault keeps people's tokens. It is safe for concurrent use, and replicas share what it keeps.
type Vault struct {
	Record Record
	Box    seal.Box
	Grants Grants
	Log    *slog.Logger
	Now    func() time.Time
}

// kept is an account as the record keeps it, sealed.
type kept struct {
	Server string    `json:"server"` // its identity: see identity
	Since  time.Time `json:"since"`  // of the sign-in
	Got    time.Time `json:"got"`    // of the token
	Token  Token     `json:"token"`

	note string // sealed, as it was read
}

const (
	early = time.Minute     // before a token is over it is renewed
	newly = 2 * time.Minute // a token that is refused at this age is not renewed again
)

// identity returns what a token belongs to: a server that is removed and added again, or moved, has another one.
func identity(r attached.Row) string {
	return fmt.Sprint(r.Name, " ", r.URL, " ", r.Created.UTC().Unix())
}

// server returns the personal server of a name in a workspace.
func (v *Vault) server(ctx context.Context, t bot.Thread, name string) (attached.Row, error) {
	rows, err := v.servers(ctx, t)
	for _, r := range rows {
		if r.Name == name {
			return r, nil
		}
	}
	if err == nil {
		err = bot.ErrNotFound
	}
	return attached.Row{}, err
}

// servers returns those of a workspace, and of the configuration file, at which people have accounts of their own.
func (v *Vault) servers(ctx context.Context, t bot.Thread) ([]attached.Row, error) {
	rows, err := v.Record.ToolServers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tool servers: %w", err)
	}
	var out []attached.Row
	for _, r := range rows {
		if r.Personal && (r.Team == "" || r.Team == t.TeamKey()) {
			out = append(out, r)
		}
	}
	return out, nil
}

// read returns an account at a server, nil if there is none.
func (v *Vault) read(ctx context.Context, h holder, r attached.Row) (*kept, error) {
	k, err := v.any(ctx, h)
	if err != nil || k == nil || k.Server != identity(r) {
		return nil, err
	}
	return k, nil
}

// any returns an account at a server of this name, which may have been removed or moved since.
func (v *Vault) any(ctx context.Context, h holder) (*kept, error) {
	raw, err := v.Record.Note(ctx, h.key("account"))
	if err != nil {
		return nil, fmt.Errorf("read an account: %w", err)
	}
	var k kept
	if raw == "" || v.open(raw, h.key("account"), &k) != nil {
		return nil, nil //nolint:nilnil // no account
	}
	k.note = raw
	return &k, nil
}

// swap replaces an account as it was read, "" ends it; false if it was ended or replaced meanwhile, by a sign-out or a new sign-in.
func (v *Vault) swap(ctx context.Context, h holder, was *kept, text string) (bool, error) {
	done, err := v.Record.SwapNote(ctx, h.key("account"), was.note, text)
	if err != nil {
		return false, fmt.Errorf("keep an account: %w", err)
	}
	return done, nil
}

func (v *Vault) write(ctx context.Context, h holder, k kept) error {
	text, err := v.close(k, h.key("account"))
	if err == nil {
		err = v.Record.SetNote(ctx, h.key("account"), text)
	}
	if err != nil {
		return fmt.Errorf("keep an account: %w", err)
	}
	if err := v.remember(ctx, h); err != nil { // the token is kept: the refresh token before it may be spent
		v.Log.WarnContext(ctx, "list an account", "server", h.Server, "err", err)
	}
	return nil
}

// names returns the servers at which a person has signed in, whether they are there any more or not. What signs in adds to it.
func (v *Vault) names(ctx context.Context, h holder) ([]string, error) {
	raw, err := v.Record.Note(ctx, h.index())
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return strings.Fields(raw), nil
}

// remember adds a server to the names of a person.
func (v *Vault) remember(ctx context.Context, h holder) error {
	err := shared.Amend(ctx, v.Record, h.index(), func(was string) (string, error) {
		if names := strings.Fields(was); !slices.Contains(names, h.Server) {
			return strings.Join(append(names, h.Server), " "), nil
		}
		return was, nil
	})
	if err != nil {
		return fmt.Errorf("list accounts: %w", err)
	}
	return nil
}

// open and close unseal and seal a value of a note.
func (v *Vault) open(text, about string, into any) error {
	sealed, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	raw, err := v.Box.Open(sealed, about)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func (v *Vault) close(value any, about string) (string, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	sealed, err := v.Box.Seal(raw, about)
	return base64.RawStdEncoding.EncodeToString(sealed), err
}

// Has reports whether a person of a thread is signed in at a server.
func (v *Vault) Has(ctx context.Context, t bot.Thread, user, server string) bool {
	r, err := v.server(ctx, t, server)
	if err != nil {
		return false
	}
	k, err := v.read(ctx, holderOf(t, user, server), r)
	return err == nil && k != nil
}

// memberID returns the platform's ID of a person, as [bot.Thread.Person] names them; "" for a person of another workspace.
func memberID(t bot.Thread, person string) string {
	id, ok := strings.CutPrefix(person, t.TeamKey()+"/")
	if !ok {
		return ""
	}
	return bot.Unesc(id)
}

// Token returns the token of a person at a server, renewed if that is due, "" if they have to sign in. The person is named as
// [bot.Thread.Person] names them.
func (v *Vault) Token(ctx context.Context, server, thread, person string) (string, error) {
	t, err := bot.ParseThread(thread)
	if err != nil {
		return "", err
	}
	user := memberID(t, person)
	r, err := v.server(ctx, t, server)
	if errors.Is(err, bot.ErrNotFound) || user == "" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	h := holderOf(t, user, server)
	k, err := v.read(ctx, h, r)
	if err != nil || k == nil {
		return "", err
	}
	if k.Token.Expires.IsZero() || v.Now().Before(k.Token.Expires.Add(-early)) {
		return k.Token.Access, nil
	}
	return v.renew(ctx, h, r, k.Token)
}

// Refused notes that a server refused a token: the next call renews it, or its person has to sign in.
func (v *Vault) Refused(ctx context.Context, server, thread, person, token string) {
	t, err := bot.ParseThread(thread)
	if err != nil {
		return
	}
	user := memberID(t, person)
	r, err := v.server(ctx, t, server)
	if err != nil {
		return
	}
	h := holderOf(t, user, server)
	k, err := v.read(ctx, h, r)
	if err == nil && k != nil && k.Token.Access == token {
		err = v.refused(ctx, h, r, k.Token)
	}
	if err != nil {
		v.Log.WarnContext(ctx, "note that a token was refused", "server", server, "err", err)
	}
}

// refused makes a token due for renewal, or ends its account if it cannot be renewed.
func (v *Vault) refused(ctx context.Context, h holder, r attached.Row, old Token) error {
	c, now, err := v.acquire(ctx, h, r, old)
	if err != nil || c == nil {
		return err
	}
	defer c.release(ctx)
	if old.Refresh == "" || v.Now().Sub(now.Got) < newly {
		_, err := v.swap(ctx, h, now, "")
		return err
	}
	now.Token.Expires = v.Now()
	text, err := v.close(now, h.key("account"))
	if err == nil {
		_, err = v.swap(ctx, h, now, text)
	}
	return err
}

// renew renews a token, once over all replicas: an authorization server may end everything if a refresh token comes twice.
func (v *Vault) renew(ctx context.Context, h holder, r attached.Row, old Token) (string, error) {
	c, now, err := v.acquire(ctx, h, r, old)
	switch {
	case err != nil || now == nil:
		return "", err
	case c == nil: // somebody else renewed it
		return now.Token.Access, nil
	}
	defer c.release(ctx)
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	t, err := v.Grants.Renew(asking, now.Token)
	if err != nil && !errors.Is(err, ErrRefused) {
		return "", err
	}
	ctx = context.WithoutCancel(ctx) // the old refresh token is spent
	return v.renewed(ctx, h, r, now, t, err)
}

// renewed keeps a renewed token, or ends an account whose renewal was refused, and returns the token that counts: another one if the
// person has signed in again since was, and "" if they have signed out.
func (v *Vault) renewed(ctx context.Context, h holder, r attached.Row, was *kept, t Token, refused error) (string, error) {
	text, access := "", ""
	if refused != nil {
		v.Log.InfoContext(ctx, "a token is over; its person has to sign in again", "server", h.Server, "err", refused)
	} else {
		next, err := *was, error(nil)
		next.Token, next.Got = t, v.Now()
		if text, err = v.close(next, h.key("account")); err != nil {
			return "", err
		}
		access = t.Access
	}
	if done, err := v.swap(ctx, h, was, text); done || err != nil {
		return access, err
	}
	if refused == nil {
		v.discard(ctx, h, t)
	}
	now, err := v.read(ctx, h, r)
	if err != nil || now == nil {
		return "", err
	}
	return now.Token.Access, nil
}

// discard revokes a token that came after its account had ended.
func (v *Vault) discard(ctx context.Context, h holder, t Token) {
	short, cancel := context.WithTimeout(ctx, revokeTime)
	defer cancel()
	if err := v.Grants.Revoke(short, t); err != nil {
		v.Log.WarnContext(ctx, "revoke a token at its server", "server", h.Server, "err", err)
	}
}
