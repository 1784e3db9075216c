package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/seal"
)

// Vault keeps people's tokens. It is safe for concurrent use, and replicas share what it keeps.
type Vault struct {
	Record Record
	Box    seal.Box
	Grants Grants
	Log    *slog.Logger
	Now    func() time.Time

	renewing sync.Mutex // one renewal of this process at a time
}

// kept is an account as the record keeps it, sealed.
type kept struct {
	Server string    `json:"server"` // its identity: see identity
	Since  time.Time `json:"since"`  // of the sign-in
	Got    time.Time `json:"got"`    // of the token
	Token  Token     `json:"token"`
}

const (
	early     = time.Minute      // before a token is over it is renewed
	newly     = 2 * time.Minute  // a token that is refused at this age is not renewed again
	renewTime = 20 * time.Second // another replica's renewal is waited for
	renewPoll = 200 * time.Millisecond
)

// identity is what a token belongs to: a server that is removed and added again, or moved, is another one.
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

// servers are those of a workspace at which people have accounts of their own.
func (v *Vault) servers(ctx context.Context, t bot.Thread) ([]attached.Row, error) {
	rows, err := v.Record.ToolServers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tool servers: %w", err)
	}
	var out []attached.Row
	for _, r := range rows {
		if r.Personal && r.Team == t.TeamKey() {
			out = append(out, r)
		}
	}
	return out, nil
}

// read returns an account, nil if there is none.
func (v *Vault) read(ctx context.Context, h holder, r attached.Row) (*kept, error) {
	raw, err := v.Record.Note(ctx, h.key("account"))
	if err != nil {
		return nil, fmt.Errorf("read an account: %w", err)
	}
	var k kept
	if raw == "" || v.open(raw, h.key("account"), &k) != nil || k.Server != identity(r) {
		return nil, nil //nolint:nilnil // no account
	}
	return &k, nil
}

func (v *Vault) write(ctx context.Context, h holder, k kept) error {
	text, err := v.close(k, h.key("account"))
	if err == nil {
		err = v.Record.SetNote(ctx, h.key("account"), text)
	}
	if err != nil {
		return fmt.Errorf("keep an account: %w", err)
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
	return v.renew(ctx, h, r, *k)
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
	v.renewing.Lock()
	defer v.renewing.Unlock()
	h := holderOf(t, user, server)
	k, err := v.read(ctx, h, r)
	if err != nil || k == nil || k.Token.Access != token {
		return
	}
	if k.Token.Refresh == "" || v.Now().Sub(k.Got) < newly {
		err = v.Record.SetNote(ctx, h.key("account"), "")
	} else {
		k.Token.Expires = v.Now()
		err = v.write(ctx, h, *k)
	}
	if err != nil {
		v.Log.WarnContext(ctx, "note that a token was refused", "server", server, "err", err)
	}
}

// renew renews a token, once over all replicas: an authorization server may end everything if a refresh token comes twice.
func (v *Vault) renew(ctx context.Context, h holder, r attached.Row, old kept) (string, error) {
	v.renewing.Lock()
	defer v.renewing.Unlock()
	sum := sha256.Sum256([]byte(old.Token.Refresh + old.Token.Access))
	claim, mine := h.key("account-renew/"+hex.EncodeToString(sum[:8])), rand.Text()
	whose, err := v.Record.FirstNote(ctx, claim, mine)
	if err != nil {
		return "", fmt.Errorf("renew a token: %w", err)
	}
	for waited := time.Duration(0); whose != mine && waited < renewTime; waited += renewPoll {
		k, err := v.read(ctx, h, r)
		if err != nil || k == nil {
			return "", err
		}
		if k.Token.Access != old.Token.Access {
			return k.Token.Access, nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(renewPoll):
		}
	}
	now, err := v.read(ctx, h, r) // somebody may have renewed it before the claim
	if err != nil || now == nil {
		return "", err
	}
	defer func() { _ = v.Record.SetNote(context.WithoutCancel(ctx), claim, "") }()
	if now.Token.Access != old.Token.Access {
		return now.Token.Access, nil
	}
	t, err := v.Grants.Renew(ctx, now.Token)
	switch {
	case errors.Is(err, ErrRefused):
		v.Log.InfoContext(ctx, "a token is over; its person has to sign in again", "server", h.Server, "err", err)
		return "", v.Record.SetNote(ctx, h.key("account"), "")
	case err != nil:
		return "", err
	}
	now.Token, now.Got = t, v.Now()
	return t.Access, v.write(context.WithoutCancel(ctx), h, *now)
}
