package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent/tool/attached"
)

const (
	renewTime = 20 * time.Second // an owner of a claim that holds it longer has died
	renewPoll = 200 * time.Millisecond
	askTime   = 15 * time.Second // bounds a renewal, below renewTime: its claim is not taken over meanwhile
)

// errBusy says that the owners of all claims on a token died.
var errBusy = errors.New("account: another renewal of the token does not end")

// maxClaims bounds how many owners may die in a row.
const maxClaims = 3

// claim is the right to change an account with a certain token, held by one caller over all replicas.
type claim struct {
	v     *Vault
	names []string // of notes: those of owners that died, then its own
}

// release gives the claim back, the notes of the dead first: see acquire.
func (c *claim) release(ctx context.Context) {
	for _, name := range c.names {
		if err := c.v.Record.SetNote(context.WithoutCancel(ctx), name, ""); err != nil {
			c.v.Log.WarnContext(ctx, "release the claim on a token", "err", err)
			return
		}
	}
}

// acquire waits until the caller may change an account that has a certain token, and returns the account as it is then. The claim
// is nil if the account is gone or has another token by then.
//
// A claim is a note that the first one writes. The owner of a claim dies without removing it; after renewTime the others compete
// for the next claim, which counts only while the dead owner's note is still there.
func (v *Vault) acquire(ctx context.Context, h holder, r attached.Row, old Token) (*claim, *kept, error) {
	sum := sha256.Sum256([]byte(old.Refresh + old.Access))
	mine := rand.Text()
	var dead, owners []string // names of notes, and what they hold
	seen, since := "", v.Now()
	for len(dead) < maxClaims {
		name := h.key("account-renew/" + hex.EncodeToString(sum[:8]) + strings.Repeat("+", len(dead)))
		owner, err := v.Record.FirstNote(ctx, name, mine)
		if err != nil {
			return nil, nil, fmt.Errorf("claim a token: %w", err)
		}
		own := &claim{v: v, names: []string{name}}
		stays := true
		if owner == mine && len(dead) > 0 {
			before, err := v.Record.Note(ctx, dead[len(dead)-1])
			if err != nil {
				own.release(ctx)
				return nil, nil, fmt.Errorf("claim a token: %w", err)
			}
			stays = before == owners[len(owners)-1]
		}
		now, err := v.read(ctx, h, r)
		switch {
		case err != nil || now == nil || now.Token.Access != old.Access:
			if owner == mine {
				own.release(ctx)
			}
			return nil, now, err
		case owner == mine && stays:
			own.names = slices.Concat(dead, own.names)
			return own, now, nil
		case owner == mine: // a later owner removed the notes of the dead
			own.release(ctx)
			dead, owners, seen = nil, nil, ""
			continue
		case owner != seen:
			seen, since = owner, v.Now()
		case v.Now().Sub(since) >= renewTime:
			dead, owners, seen = append(dead, name), append(owners, owner), ""
			continue
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(renewPoll):
		}
	}
	(&claim{v: v, names: dead}).release(ctx) // the next call starts over
	return nil, nil, errBusy
}
