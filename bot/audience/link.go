package audience

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/bot"
)

// LinkTime is the validity of a link for confirming an address.
const LinkTime = 30 * time.Minute

// ErrLink reports an invalid link: unknown, used, expired or replaced.
var ErrLink = errors.New("audience: the link is not valid")

// ErrTaken reports that an address belongs to another person in the workspace.
var ErrTaken = errors.New("audience: the address is another person's")

// Link is the account to which a link assigns an address.
type Link struct {
	Thread bot.Thread // of its workspace
	ID     string
	Name   string
}

// offered is the stored form of a link.
type offered struct {
	Hash  string    `json:"h"`
	Until time.Time `json:"u"`
	Name  string    `json:"n"`
}

// linkKey ends with the person, as required by [bot.Persons].
func linkKey(t bot.Thread, id string) string {
	return bot.Esc(t.Platform) + "/link/" + bot.Esc(t.Team) + "/" + bot.Esc(id)
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Offer returns the token of a new single-use link for a person of the workspace of t, which replaces earlier
// ones.
func (p *People) Offer(ctx context.Context, t bot.Thread, u bot.User) (string, error) {
	secret := rand.Text()
	data, err := json.Marshal(offered{hashOf(secret), p.now().Add(LinkTime), u.Name})
	if err == nil {
		err = p.record.SetNote(ctx, linkKey(t, u.ID), string(data))
	}
	if err != nil {
		return "", fmt.Errorf("store link: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join([]string{bot.Esc(t.Platform), bot.Esc(t.Team), bot.Esc(u.ID), secret}, "/"))), nil
}

// Linking returns the account of a token, or [ErrLink].
func (p *People) Linking(ctx context.Context, token string) (Link, error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	parts := strings.Split(string(raw), "/")
	if err != nil || len(parts) != 4 {
		return Link{}, ErrLink
	}
	l := Link{Thread: bot.Thread{Platform: bot.Unesc(parts[0]), Team: bot.Unesc(parts[1])}, ID: bot.Unesc(parts[2])}
	text, err := p.record.Note(ctx, linkKey(l.Thread, l.ID))
	if err != nil {
		return Link{}, fmt.Errorf("read a link: %w", err)
	}
	var o offered
	if text == "" || json.Unmarshal([]byte(text), &o) != nil || !p.now().Before(o.Until) ||
		subtle.ConstantTimeCompare([]byte(o.Hash), []byte(hashOf(parts[3]))) != 1 {
		return Link{}, ErrLink
	}
	l.Name = o.Name
	return l, nil
}

// Redeem uses a token and assigns its account an address. If another account of the workspace has the address, it
// returns [ErrTaken] and keeps the token.
func (p *People) Redeem(ctx context.Context, token, mail string) (Link, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, err := p.Linking(ctx, token)
	if err != nil {
		return Link{}, err
	}
	rows, err := p.List(ctx, l.Thread)
	if err != nil {
		return Link{}, err
	}
	mail = strings.ToLower(strings.TrimSpace(mail))
	if slices.ContainsFunc(rows, func(r Person) bool { return r.Mail == mail && r.ID != l.ID }) {
		return l, ErrTaken
	}
	if err := p.record.SetNote(ctx, linkKey(l.Thread, l.ID), ""); err != nil { // first, so that it can be used only once
		return Link{}, fmt.Errorf("use up a link: %w", err)
	}
	return l, p.Set(ctx, l.Thread, l.ID, mail)
}
