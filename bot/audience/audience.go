// Package audience decides which restricted documents, those with their own readers, a run may use: those that
// every reader of its answer may read. People are identified by their e-mail addresses.
//
// Its invariants:
//
//   - Missing knowledge grants nothing: a reader without an address, a channel whose readers are not all listed, a set of
//     readers that is not in the record, rights that were not checked for a day.
//   - A restricted document is read only where the documents of its source are, see [source.Restriction].
//   - The readers of a channel are asked for at every run; addresses are the platform's or, where it has none, an admin's.
//
// It must not know how sources or platforms are called, or what a run does with a document.
package audience

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/bot"
	"maru/rag/source"
)

// Lister is implemented by adapters that can list the readers of a thread.
//
// Readers lists the IDs of all people who can read t, without bots. It returns an error if they are unknown, if
// others may join without an invitation, or if there are more than [Most].
type Lister interface {
	Readers(ctx context.Context, t bot.Thread) ([]string, error)
}

// Mailer is implemented by adapters whose platform provides verified e-mail addresses.
//
// Mail returns the address of a present member of the workspace of t, "" if they have none.
type Mailer interface {
	Mail(ctx context.Context, t bot.Thread, user string) (string, error)
}

// Most is the largest audience whose readers are looked up.
const Most = 200

const (
	fresh   = 2 * time.Second // of the list of scopes, and of how long rights count
	maxSets = 20_000          // in memory
)

// Index lists the scopes that have documents.
type Index interface {
	Scopes(ctx context.Context) ([]string, error)
}

// Config holds the dependencies of an Audience, all required.
type Config struct {
	Index    Index
	Record   bot.Notes
	Adapters bot.Platforms
	Log      *slog.Logger
	Now      func() time.Time
}

// Audience resolves readers. It is safe for concurrent use.
type Audience struct {
	cfg    Config
	people *People

	mu     sync.Mutex
	scopes []restricted
	at     time.Time
	sets   map[string]map[string]bool // by scope; immutable, since a scope's name is derived from its readers
	until  map[string]heldUntil       // by key of the note
}

// restricted is a scope of restricted documents.
type restricted struct {
	name string
	source.Restriction
}

// heldUntil is the expiry of a source's rights, as of a time.
type heldUntil struct{ until, at time.Time }

// New returns an Audience.
func New(c Config) *Audience {
	return &Audience{cfg: c, people: &People{record: c.Record, now: c.Now}, sets: map[string]map[string]bool{}, until: map[string]heldUntil{}}
}

// People returns the table of people whose platform provides no address.
func (a *Audience) People() *People { return a.people }

// Vouched returns the address of a person by their platform, "" if it vouches for none.
func (a *Audience) Vouched(ctx context.Context, t bot.Thread, id string) (string, error) {
	m, ok := a.cfg.Adapters[t.Platform].(Mailer)
	if !ok {
		return "", nil
	}
	return m.Mail(ctx, t, id)
}

// Scopes returns the scopes of restricted documents, among those within the scopes readable there, that every
// reader of an answer to u in t may read.
func (a *Audience) Scopes(ctx context.Context, t bot.Thread, u bot.User, within []string) []string {
	out, err := a.lookUp(ctx, t, u, within)
	if err != nil {
		a.cfg.Log.WarnContext(ctx, "resolve restricted documents, skipping some", "err", err)
	}
	return out
}

// lookUp returns the scopes that could be looked up, and an error if the result may be incomplete.
func (a *Audience) lookUp(ctx context.Context, t bot.Thread, u bot.User, within []string) ([]string, error) {
	all, err := a.restricted(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 && a.homeless(t) && slices.Contains(within, t.TeamScope()) {
		return a.atHome(ctx, t, u, all)
	}
	var some []restricted
	var faults error
	for _, r := range all {
		if !slices.Contains(within, r.Outer) {
			continue
		}
		ok, err := a.held(ctx, r)
		if faults = errors.Join(faults, err); ok {
			some = append(some, r)
		}
	}
	if len(some) == 0 {
		return nil, faults
	}
	mails, err := a.mails(ctx, t, u)
	if errors.Is(err, bot.ErrUnavailable) {
		return nil, errors.Join(faults, err)
	}
	if err != nil {
		a.cfg.Log.InfoContext(ctx, "restricted documents excluded", "why", err.Error())
		return nil, faults
	}
	out, err := a.readable(ctx, some, mails)
	return out, errors.Join(faults, err)
}

// readable returns the scopes whose readers include all of some people.
func (a *Audience) readable(ctx context.Context, all []restricted, mails []string) (out []string, faults error) {
	for _, r := range all {
		set, err := a.set(ctx, r.name)
		faults = errors.Join(faults, err)
		if set != nil && !slices.ContainsFunc(mails, func(m string) bool { return !set[m] && !set[domain(m)] }) {
			out = append(out, r.name)
		}
	}
	return out, faults
}

// domain returns the entry of a set that stands for all addresses of a domain.
func domain(mail string) string { return mail[strings.LastIndexByte(mail, '@'):] }

// restricted lists the scopes of restricted documents.
func (a *Audience) restricted(ctx context.Context) ([]restricted, error) {
	now := a.cfg.Now()
	a.mu.Lock()
	known, ok := a.scopes, !a.at.IsZero() && now.Sub(a.at) < fresh
	a.mu.Unlock()
	if ok {
		return known, nil
	}
	names, err := a.cfg.Index.Scopes(ctx)
	if err != nil {
		return nil, err
	}
	var out []restricted
	for _, name := range names {
		if r, ok := source.RestrictionOf(name); ok {
			out = append(out, restricted{name, r})
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.scopes, a.at = out, now
	return out, nil
}

// held reports whether the rights of the source of a scope count.
func (a *Audience) held(ctx context.Context, r restricted) (bool, error) {
	key, now := source.RightsNote(r.Source, r.Outer), a.cfg.Now()
	a.mu.Lock()
	h, ok := a.until[key]
	a.mu.Unlock()
	if !ok || now.Sub(h.at) >= fresh {
		text, err := a.cfg.Record.Note(ctx, key)
		if err != nil {
			return false, err
		}
		h = heldUntil{at: now}
		if until, err := time.Parse(time.RFC3339, text); err == nil {
			h.until = until
		}
		a.mu.Lock()
		a.until[key] = h
		a.mu.Unlock()
	}
	return now.Before(h.until), nil
}

// set returns the readers of a scope, nil if unknown.
func (a *Audience) set(ctx context.Context, scope string) (map[string]bool, error) {
	a.mu.Lock()
	set := a.sets[scope]
	a.mu.Unlock()
	if set != nil {
		return set, nil
	}
	text, err := a.cfg.Record.Note(ctx, source.ReadersNote(scope))
	if err != nil {
		return nil, err
	}
	var r source.Readers
	if text == "" || json.Unmarshal([]byte(text), &r) != nil || r.Everyone {
		return nil, nil
	}
	set = make(map[string]bool, len(r.Mails))
	for _, m := range r.Mails {
		set[m] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.sets) >= maxSets {
		clear(a.sets)
	}
	a.sets[scope] = set
	return set, nil
}

// errWide reports that a thread's readers are unknown.
var errWide = errors.New("audience: readers of the answer unknown")

// mails returns the addresses of all readers of an answer to u in t.
func (a *Audience) mails(ctx context.Context, t bot.Thread, u bot.User) ([]string, error) {
	ids := []string{u.ID}
	if !t.Direct {
		lister, ok := a.cfg.Adapters[t.Platform].(Lister)
		if !ok {
			return nil, errWide
		}
		var err error
		if ids, err = lister.Readers(ctx, t); err != nil {
			return nil, err
		}
		if !slices.Contains(ids, u.ID) {
			ids = append(ids, u.ID)
		}
	}
	if len(ids) > Most || u.ID == "" || u.Bot || u.External || u.Watched {
		return nil, errWide
	}
	var out []string
	for _, id := range ids {
		mail, err := a.mail(ctx, t, id)
		if err != nil {
			return nil, err
		}
		if !strings.Contains(mail, "@") {
			return nil, fmt.Errorf("%w: no address of %s", errWide, id)
		}
		out = append(out, strings.ToLower(mail))
	}
	return out, nil
}

// mail returns the address of a person, "" if unknown.
func (a *Audience) mail(ctx context.Context, t bot.Thread, id string) (string, error) {
	if m, ok := a.cfg.Adapters[t.Platform].(Mailer); ok {
		return m.Mail(ctx, t, id)
	}
	return a.people.Mail(ctx, t, id)
}
