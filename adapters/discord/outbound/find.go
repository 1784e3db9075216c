package outbound

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"maru/adapters/discord/place"
	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
	"maru/bot"
)

// Discord returns the nonce of a message only to its sender, and forgets it after
// minutes. To find a reply whose ID was lost with the process that posted it, the
// sender stores what it will send before the first send, and Find looks for exactly
// that. See docs/decisions/0004.

const (
	ledgerSlots   = 512 // notes, each for the newest intents whose key falls into it
	ledgerPerSlot = 3
	clockSkew     = 15 * time.Second
	findPages     = 3
)

// intent is a reply that is about to be posted.
type intent struct {
	Key     string   `json:"k"` // hashed
	Channel string   `json:"c"`
	At      int64    `json:"t"` // milliseconds
	Parts   []string `json:"p"` // fingerprints of the texts
}

// ledger remembers this process's replies and serializes writes of each note; a slow
// write delays no answer with another note.
type ledger struct {
	refs  *cache.Cache[string, bot.Ref]
	begun *cache.Cache[string, bot.Ref] // of which a later part was refused
	slots [ledgerSlots]sync.Mutex
}

func newLedger() *ledger {
	return &ledger{refs: cache.New[string, bot.Ref](1024), begun: cache.New[string, bot.Ref](1024)}
}

// takeBegun returns and forgets the posted part of a reply whose posting failed; the
// caller continues it.
func (l *ledger) takeBegun(key string) (bot.Ref, bool) {
	ref, ok := l.begun.Get(key)
	l.begun.Remove(key)
	return ref, ok
}

// fingerprint identifies a text regardless of how Discord changes its spaces.
func fingerprint(content string) string {
	return wire.Digest(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\ufe0f' {
			return -1
		}
		return r
	}, content))[:16]
}

// slotOf returns the note in which the intent of a key is stored.
func slotOf(key string) int {
	sum := sha256.Sum256([]byte(key))
	return (int(sum[0])<<8 | int(sum[1])) % ledgerSlots
}

func noteOf(slot int) string { return "post/" + strconv.Itoa(slot) }

// intend stores what will be posted. It is best effort: a failure does not prevent the
// answer.
func (s *Sender) intend(ctx context.Context, channel, key string, parts []render.Part) {
	prints := make([]string, len(parts))
	for i, p := range parts {
		prints[i] = fingerprint(p.Text())
	}
	s.writeIntent(ctx, channel, key, prints)
}

// writeIntent stores an intent with the fingerprints of its messages.
func (s *Sender) writeIntent(ctx context.Context, channel, key string, prints []string) {
	in := intent{Key: wire.Digest(key), Channel: channel, At: s.now().UnixMilli(), Parts: prints}
	slot := slotOf(key)
	s.ledger.slots[slot].Lock()
	defer s.ledger.slots[slot].Unlock()
	old, err := s.intents(ctx, key)
	if err == nil {
		kept := []intent{in}
		for _, o := range old {
			if len(kept) < ledgerPerSlot && o.Key != in.Key {
				kept = append(kept, o)
			}
		}
		var raw []byte
		if raw, err = json.Marshal(kept); err == nil {
			err = s.notes.SetNote(ctx, noteOf(slot), string(raw))
		}
	}
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "store discord intent", "err", err)
	}
}

func (s *Sender) intents(ctx context.Context, key string) ([]intent, error) {
	raw, err := s.notes.Note(ctx, noteOf(slotOf(key)))
	if err != nil || raw == "" {
		return nil, err
	}
	var list []intent
	if json.Unmarshal([]byte(raw), &list) != nil {
		return nil, nil // not ours; will be overwritten
	}
	return list, nil
}

// Find implements bot.Finder.
func (s *Sender) Find(ctx context.Context, to bot.Target, key string) (bot.Ref, bool, error) {
	if ref, ok := s.ledger.refs.Get(key); ok {
		return ref, true, nil
	}
	if ref, ok := s.ledger.takeBegun(key); ok {
		return ref, true, nil
	}
	list, err := s.intents(ctx, key)
	if err != nil {
		return bot.Ref{}, false, rest.Delivery("find", err)
	}
	for _, in := range list {
		if in.Key != wire.Digest(key) {
			continue
		}
		ids, err := s.look(ctx, in)
		if err != nil {
			return bot.Ref{}, false, rest.Delivery("find", err)
		}
		if len(ids) == 0 {
			return bot.Ref{}, false, nil
		}
		return bot.Ref{Thread: to.Thread, Channel: in.Channel, Messages: ids, Stream: s.forms(ids)}, true, nil
	}
	return bot.Ref{}, false, nil
}

// look searches a channel for the messages of an intent, from the time it was stored.
func (s *Sender) look(ctx context.Context, in intent) ([]string, error) {
	self, err := s.me.Ask(ctx)
	if err != nil {
		return nil, err
	}
	after := strconv.FormatUint(wire.Snowflake(time.UnixMilli(in.At).Add(-clockSkew)), 10)
	var found []string
	for range findPages {
		page, err := s.dir.Messages(ctx, in.Channel, url.Values{"after": {after}, "limit": {strconv.Itoa(place.PageSize)}})
		switch {
		case rest.StatusOf(err) == http.StatusNotFound: // the channel was deleted with its messages
			return nil, nil
		case err != nil:
			return nil, err
		}
		for _, m := range page {
			after = m.ID
			if m.Author == nil || m.Author.ID != self || len(found) == len(in.Parts) {
				continue
			}
			if fingerprint(m.Text()+sizesOf(m.Sizes())) == in.Parts[len(found)] {
				s.setForm(m.ID, m.Flags&wire.FlagV2 != 0) // Discord refuses to make it a classic one
				found = append(found, m.ID)
			}
		}
		if len(page) < place.PageSize || len(found) == len(in.Parts) {
			break
		}
	}
	return found, nil
}

// Remove implements bot.Remover: a card that Discord no longer lets the bot edit is
// deleted and posted again below.
func (s *Sender) Remove(ctx context.Context, ref bot.Ref) error {
	channel := cmp.Or(ref.Channel, ref.Thread.ID, ref.Thread.Channel)
	for _, id := range ref.Messages {
		if err := s.remove(ctx, channel, id); err != nil {
			return rest.Delivery("remove", err)
		}
	}
	return nil
}
