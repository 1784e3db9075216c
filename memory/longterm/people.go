package longterm

import (
	"context"
	"time"
)

// Known returns all records of a person in all scopes, muted ones included, newest first. Only that person may see
// them.
func (m *Memory) Known(ctx context.Context, person string) ([]Record, error) {
	return m.store.Find(ctx, Query{Person: person, Anywhere: true}, true)
}

// History returns the notes of a record, oldest first.
func (m *Memory) History(ctx context.Context, person, id string) ([]Note, error) {
	return m.store.Notes(ctx, person, id)
}

// Forget removes records, everything of the person's if ids is nil. On return they are gone, and older messages
// cannot bring them back.
func (m *Memory) Forget(ctx context.Context, person string, ids []string) (Receipt, error) {
	return m.store.Forget(ctx, person, ids, m.now())
}

// Mute disables or enables the use of records, and returns the number changed.
func (m *Memory) Mute(ctx context.Context, person string, ids []string, muted bool) (int, error) {
	return m.store.Mute(ctx, person, ids, muted)
}

// Move moves records to another scope at their owner's request.
func (m *Memory) Move(ctx context.Context, person string, ids []string, scope string) (int, error) {
	return m.store.Move(ctx, person, ids, scope, m.Fold)
}

// Use counts uses, each (Record, Run) once.
func (m *Memory) Use(ctx context.Context, person string, uses []Use) error {
	return m.store.Use(ctx, person, uses)
}

// Unlearn removes the notes of a message that was edited or deleted at the given time.
func (m *Memory) Unlearn(ctx context.Context, message string, at time.Time) (int, error) {
	return m.store.Unlearn(ctx, message, at, m.Fold)
}

// Sweep removes notes older than a time, of at most limit records, and returns the number of records touched.
func (m *Memory) Sweep(ctx context.Context, before time.Time, limit int) (int, error) {
	return m.store.Sweep(ctx, before, limit, m.Fold)
}

// SweepPart is [Memory.Sweep] restricted to a part of the records.
func (m *Memory) SweepPart(ctx context.Context, p Part, before time.Time, limit int) (int, error) {
	if p.all() {
		return m.Sweep(ctx, before, limit)
	}
	return m.store.SweepPart(ctx, p, before, limit, m.Fold)
}

// all reports whether the part has no restriction.
func (p Part) all() bool {
	return p.Workspace == "" && p.Person == "" && p.Scope == "" && len(p.NotWorkspaces) == 0 && len(p.NotScopes) == 0
}

// Prefer stores a person's statement about themselves, at once.
func (m *Memory) Prefer(ctx context.Context, o Owner, session string, at time.Time, l PreferenceLesson) error {
	return m.Preferences.Consolidate(ctx, o, session, at, l)
}
