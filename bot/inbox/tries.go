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

// Tries tell how often an item is tried, and when it is given up. All fields are needed.
type Tries struct {
	Record     bot.Notes
	Attempts   int           // how often an item is tried without getting further
	Standstill time.Duration // and for how long at least
	Now        func() time.Time
	Log        *slog.Logger
}

// Multiples of Tries.Attempts that bound how often an item is tried.
const (
	triesInAll  = 5   // although it gets further every time
	triesInARow = 2.5 // without getting further, however fast one follows the other
)

// triesNote names the note of when an item last got further.
func triesNote(item string) string { return "tries/" + item }

// mark is how often an item had been tried when it last got further, or was
// tried for the second time, and when that was.
type mark struct {
	tries int
	at    time.Time
}

func (m mark) String() string { return fmt.Sprintf("%d %d", m.tries, m.at.Unix()) }

// markOf reads a note; ok is false if there is none.
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

// Spent reports whether an item was tried often enough. An item is tried again
// because the process died under it. If the item was the cause it stays where
// it is; one that gets further each time only had bad neighbours, and one that
// stands still for seconds may be somebody restarting the process again and
// again.
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

// Further notes that an item which was tried before got further this time.
func (t *Tries) Further(ctx context.Context, it bot.Item) {
	t.note(ctx, it, mark{it.Attempts + 1, t.Now()})
}

func (t *Tries) note(ctx context.Context, it bot.Item, m mark) {
	if err := t.Record.SetNote(ctx, triesNote(it.ID), m.String()); err != nil && ctx.Err() == nil {
		t.Log.WarnContext(ctx, "progress not noted", "item_kind", it.Kind, "err", err)
	}
}
