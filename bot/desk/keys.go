package desk

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"maru/bot/receipt"
	"maru/bot/seal"
)

// noteKey begins the notes that keep the keys of receipts, oldest first: "desk/key/1", "desk/key/2", …
const noteKey = "desk/key/"

// ErrNoSecret says that the program has nothing to seal keys with.
var ErrNoSecret = errors.New("set MARU_SECRET_KEY: receipts are signed with a key that it seals in the record")

// Notes keep keys. FirstNote writes a value unless there is one, and returns the one that stays.
type Notes interface {
	Note(ctx context.Context, key string) (string, error)
	FirstNote(ctx context.Context, key, value string) (string, error)
}

// Keyring is the keys with which receipts are signed: the newest signs, all are published.
type Keyring struct {
	Notes   Notes
	Secrets [][]byte // the newest first
	Now     func() time.Time
}

// kept is a key as the record keeps it.
type kept struct {
	Public receipt.Key `json:"public"`
	Sealed []byte      `json:"sealed"` // its seed
}

// Public returns the public keys, the newest first. There may be none yet.
func (k Keyring) Public(ctx context.Context) (receipt.Keys, error) {
	list, err := k.list(ctx)
	out := receipt.Keys{Keys: []receipt.Key{}}
	for i := len(list) - 1; i >= 0; i-- {
		out.Keys = append(out.Keys, list[i].Public)
	}
	return out, err
}

// list reads the keys, oldest first.
func (k Keyring) list(ctx context.Context) ([]kept, error) {
	var out []kept
	for {
		raw, err := k.Notes.Note(ctx, noteKey+strconv.Itoa(len(out)+1))
		if err != nil {
			return nil, fmt.Errorf("read keys of receipts: %w", err)
		}
		if raw == "" {
			return out, nil
		}
		var one kept
		if err := json.Unmarshal([]byte(raw), &one); err != nil {
			return nil, fmt.Errorf("read keys of receipts: %w", err)
		}
		out = append(out, one)
	}
}

// Signing returns the key that signs. It makes one where there is none, or where none of the secrets opens the newest.
func (k Keyring) Signing(ctx context.Context) (ed25519.PrivateKey, error) {
	list, err := k.list(ctx)
	if err != nil {
		return nil, err
	}
	if len(k.Secrets) == 0 {
		return nil, ErrNoSecret
	}
	if len(list) > 0 {
		if key := k.open(list[len(list)-1]); key != nil {
			return key, nil
		}
	}
	return k.add(ctx, len(list))
}

// Renew adds a key, which signs from then on, and returns its public part.
func (k Keyring) Renew(ctx context.Context) (receipt.Key, error) {
	list, err := k.list(ctx)
	if err != nil {
		return receipt.Key{}, err
	}
	if len(k.Secrets) == 0 {
		return receipt.Key{}, ErrNoSecret
	}
	if _, err := k.add(ctx, len(list)); err != nil {
		return receipt.Key{}, err
	}
	all, err := k.Public(ctx)
	if err != nil {
		return receipt.Key{}, err
	}
	return all.Keys[0], nil
}

// add makes a key after n others. Of several programs that do so at once, all take the first one's.
func (k Keyring) add(ctx context.Context, n int) (ed25519.PrivateKey, error) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	one := kept{Public: receipt.Public(public, k.Now().UTC().Truncate(time.Second))}
	if one.Sealed, err = k.box().Seal(private.Seed(), noteKey+one.Public.ID); err != nil {
		return nil, fmt.Errorf("seal a key: %w", err)
	}
	raw, err := json.Marshal(one)
	if err != nil {
		return nil, fmt.Errorf("encode a key: %w", err)
	}
	stays, err := k.Notes.FirstNote(ctx, noteKey+strconv.Itoa(n+1), string(raw))
	if err != nil {
		return nil, fmt.Errorf("store a key: %w", err)
	}
	var first kept
	if err := json.Unmarshal([]byte(stays), &first); err != nil {
		return nil, fmt.Errorf("read keys of receipts: %w", err)
	}
	if key := k.open(first); key != nil {
		return key, nil
	}
	return nil, errors.New("another program has sealed the key of receipts with another MARU_SECRET_KEY")
}

// open unseals a key, nil if no secret does.
func (k Keyring) open(one kept) ed25519.PrivateKey {
	seed, err := k.box().Open(one.Sealed, noteKey+one.Public.ID)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil
	}
	return ed25519.NewKeyFromSeed(seed)
}

func (k Keyring) box() seal.Box { return seal.New(k.Secrets) }
