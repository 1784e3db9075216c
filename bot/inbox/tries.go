package inbox

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"maru/bot"
)

// Tries decides when to give up on an item. All fields are required.
type Tries struct {
	Record     bot.Notes
	Attempts   int           // attempts without progress after which an item is given up
	Standstill time.Duration // minimum time without progress
	Now        func() time.Time
	Log        *slog.Logger
}

// Limits on attempts, as multiples of Tries.Attempts.
const (
	triesInAll  = 5   // in total, with progress
	triesInARow = 2.5 // without progress, even if Standstill has not passed
)

// triesNote names the note that holds an item's mark.
func triesNote(item string) string { return "tries/" + item }

// mark is the number of attempts and the time of an item's last progress, or of its second
// attempt if it made none.
type mark struct {
	tries int
	at    time.Time
}

func (m mark) String() string { return fmt.Sprintf("%d %d", m.tries, m.at.Unix()) }

// markOf parses a note; ok is false if it is empty or malformed.
func markOf(note string) (m mark, ok bool) {
	tries, at, _ := strings.Cut(note, " ")
	n, err := strconv.Atoi(tries)
	if err != nil {
		return mark{}, false
	}
	if unix, err := strconv.ParseInt(at, 10, 64); err == nil {
		m.at = time.Unix(unix, 0)
	}
	m.tries = n
	return m, true
}

// Spent reports whether to give up on an item. An item is retried because the process died while
// handling it. If the item is the cause, it makes no progress; an item that progresses each time was
// only affected by others. Standstill guards against an operator who restarts the process repeatedly
// within seconds.
func (t *Tries) Spent(ctx context.Context, it bot.Item) (bool, error) {
	if it.Attempts == 0 {
		return false, nil
	}
	if it.Attempts >= triesInAll*t.Attempts {
		return true, nil
	}
	note, err := t.Record.Note(ctx, triesNote(it.ID))
	if err != nil {
		return false, fmt.Errorf("read note: %w", err)
	}
	last, ok := markOf(note)
	if !ok {
		t.note(ctx, it, mark{0, t.Now()})
		return false, nil
	}
	tries := it.Attempts - last.tries
	return float64(tries) >= triesInARow*float64(t.Attempts) ||
		tries >= t.Attempts && t.Now().Sub(last.at) >= t.Standstill, nil
}

// Further notes that a retried item made progress.
func (t *Tries) Further(ctx context.Context, it bot.Item) {
	t.note(ctx, it, mark{it.Attempts + 1, t.Now()})
}

func (t *Tries) note(ctx context.Context, it bot.Item, m mark) {
	if err := t.Record.SetNote(ctx, triesNote(it.ID), m.String()); err != nil && ctx.Err() == nil {
		t.Log.WarnContext(ctx, "note progress of item", "item_kind", it.Kind, "err", err)
	}
}
