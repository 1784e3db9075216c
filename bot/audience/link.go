package audience

import (
	"cmp"
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
	l, _, err := p.linking(ctx, token)
	return l, err
}

// linking returns the account of a token, and its link as it is stored.
func (p *People) linking(ctx context.Context, token string) (l Link, text string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	parts := strings.Split(string(raw), "/")
	if err != nil || len(parts) != 4 {
		return Link{}, "", ErrLink
	}
	l = Link{Thread: bot.Thread{Platform: bot.Unesc(parts[0]), Team: bot.Unesc(parts[1])}, ID: bot.Unesc(parts[2])}
	if text, err = p.record.Note(ctx, linkKey(l.Thread, l.ID)); err != nil {
		return Link{}, "", fmt.Errorf("read a link: %w", err)
	}
	var o offered
	if text == "" || json.Unmarshal([]byte(text), &o) != nil || !p.now().Before(o.Until) ||
		subtle.ConstantTimeCompare([]byte(o.Hash), []byte(hashOf(parts[3]))) != 1 {
		return Link{}, "", ErrLink
	}
	l.Name = o.Name
	return l, text, nil
}

// Redeem uses a token, once over all processes, and assigns its account an address. If another account of the workspace has
// the address, it returns [ErrTaken] and keeps the token.
func (p *People) Redeem(ctx context.Context, token, mail string) (Link, error) {
	l, text, err := p.linking(ctx, token)
	if err != nil {
		return Link{}, err
	}
	mail = strings.ToLower(strings.TrimSpace(mail))
	if taken, err := p.taken(ctx, l, mail); taken || err != nil {
		return l, cmp.Or(err, ErrTaken)
	}
	key, mine := linkKey(l.Thread, l.ID), rand.Text()                     // a value of its own: a swap to a value that is there succeeds
	if used, err := p.record.SwapNote(ctx, key, text, mine); err != nil { // first, so that it can be used only once
		return Link{}, fmt.Errorf("use up a link: %w", err)
	} else if !used {
		return Link{}, ErrLink
	}
	if err := p.Set(ctx, l.Thread, l.ID, mail); err != nil {
		return l, err
	}
	taken, err := p.taken(ctx, l, mail)
	if !taken {
		return l, cmp.Or(err, p.record.SetNote(ctx, key, ""))
	}
	// Another account got the address at the same moment: of two, neither counts without the other's consent.
	if err := p.Set(ctx, l.Thread, l.ID, ""); err != nil {
		return l, err
	}
	if _, err := p.record.SwapNote(ctx, key, mine, text); err != nil {
		return l, fmt.Errorf("offer a link again: %w", err)
	}
	return l, ErrTaken
}

// taken reports whether another account of the workspace has an address.
func (p *People) taken(ctx context.Context, l Link, mail string) (bool, error) {
	rows, err := p.List(ctx, l.Thread)
	return slices.ContainsFunc(rows, func(r Person) bool { return r.Mail == mail && r.ID != l.ID }), err
}
