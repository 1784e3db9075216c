package sqlitestore

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"
)

// micros stores a time; the zero time is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// fromMicros reverses micros, in UTC.
func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// nanos stores a time without loss, as a graph's log requires.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// fromNanos reverses nanos, in UTC.
func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// blob converts raw JSON for a column; nil is NULL.
func blob(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return []byte(raw)
}

// flag converts a bool for a column.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// rows returns the placeholders of n rows.
func rows(columns, n int) string {
	row := `(?` + strings.Repeat(`, ?`, columns-1) + `)`
	return row + strings.Repeat(`, `+row, n-1)
}

// maxList limits lists for which the caller sets no limit.
const maxList = 1000

// bound returns a list's limit in rows.
func bound(limit int) int { return min(cmp.Or(max(limit, 0), maxList), maxList) }
