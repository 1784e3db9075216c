package place

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"maru/bot"
)

// keyAllowed is the setting of a channel that keeps its standing permissions. It is not among [config.Keys], because nobody sets it as a whole.
const keyAllowed = "tools_allowed"

// maxAllowed bounds the standing permissions of a channel.
const maxAllowed = 50

// Allowed is a standing permission: calls of a tool that only reads run in a channel without a question, for a time and as long as the
// tool stays what it was.
type Allowed struct {
	Tool   string    `json:"tool"`
	Digest string    `json:"digest"`
	By     string    `json:"by"` // who allowed it
	At     time.Time `json:"at"`
	Days   int       `json:"days"` // 0: somebody ended it At
}

// Until returns when the permission ends.
func (a Allowed) Until() time.Time { return a.At.AddDate(0, 0, a.Days) }

// mostDays is the longest permission.
const mostDays = 30

// readAllowed decodes permissions, those that ended too. Unreadable ones permit nothing.
func readAllowed(raw json.RawMessage) (out []Allowed) {
	if len(raw) == 0 || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// allowedRows reads the permissions of a place that hold now.
func (r *Rules) allowedRows(place string, rows []bot.Setting) []Allowed {
	out, now := readAllowed(ValueOf(rows, place, keyAllowed)), r.cfg.Now()
	return slices.DeleteFunc(out, func(a Allowed) bool { return a.Days < 1 || a.Days > mostDays || !now.Before(a.Until()) })
}

// allowed returns the permissions of a place that hold now, in the form of [config.Means].
func (r *Rules) allowed(place string, rows []bot.Setting) []string {
	var out []string
	for _, a := range r.allowedRows(place, rows) {
		out = append(out, a.Tool+"@"+a.Digest)
	}
	return out
}

// AllowedIn lists the standing permissions of a thread's channel.
func (r *Rules) AllowedIn(ctx context.Context, t bot.Thread) ([]Allowed, error) {
	place := t.Places(bot.User{})[1]
	rows, err := r.cfg.Record.SettingsOf(ctx, []string{place})
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return r.allowedRows(place, rows), nil
}

// keptAllowed returns the permissions that have not expired, and the ends of permissions for mostDays: a repeated attempt of
// the run that got such a permission would give it again without its end.
func (r *Rules) keptAllowed(list []Allowed) []Allowed {
	now := r.cfg.Now()
	return slices.DeleteFunc(list, func(a Allowed) bool {
		until := a.Until()
		if a.Days == 0 {
			until = a.At.AddDate(0, 0, mostDays)
		}
		return a.Days < 0 || a.Days > mostDays || !now.Before(until)
	})
}

// Allow adds a standing permission, or replaces that of the tool; its audit entry is committed with it. A decision counts once, and none
// after a later one about the tool or after somebody ended the tool's permission.
func (r *Rules) Allow(ctx context.Context, t bot.Thread, a Allowed) error {
	_, err := r.changeAllowed(ctx, t, a.By, func(list []Allowed) ([]Allowed, bool) {
		if slices.ContainsFunc(list, func(b Allowed) bool { return b.Tool == a.Tool && !b.At.Before(a.At) }) {
			return nil, false
		}
		list = slices.DeleteFunc(list, func(b Allowed) bool { return b.Tool == a.Tool })
		if len(list) >= maxAllowed { // the oldest ends
			list = list[1:]
		}
		return append(list, a), true
	})
	return err
}

// Disallow ends the standing permissions of a tool, and reports whether there was one.
func (r *Rules) Disallow(ctx context.Context, t bot.Thread, u bot.User, tool string) (bool, error) {
	by := t.Person(u)
	return r.changeAllowed(ctx, t, by, func(list []Allowed) ([]Allowed, bool) {
		if !slices.ContainsFunc(list, func(b Allowed) bool { return b.Tool == tool && b.Days > 0 }) {
			return nil, false
		}
		left := slices.DeleteFunc(list, func(b Allowed) bool { return b.Tool == tool })
		return append(left, Allowed{Tool: tool, By: by, At: r.cfg.Now()}), true
	})
}

// changeAllowed changes the permissions of a thread's channel unless change reports false, and reports whether it did. If another
// replica changed them since they were read, it reads them again; each such attempt is another replica's success.
func (r *Rules) changeAllowed(ctx context.Context, t bot.Thread, by string, change func([]Allowed) ([]Allowed, bool)) (bool, error) {
	place := t.Places(bot.User{})[1]
	for {
		rows, err := r.cfg.Record.SettingsOf(ctx, []string{place})
		if err != nil {
			return false, fmt.Errorf("read settings: %w", err)
		}
		list, changes := change(r.keptAllowed(readAllowed(ValueOf(rows, place, keyAllowed))))
		if !changes {
			return false, nil
		}
		raw, err := json.Marshal(list)
		if err != nil {
			return false, fmt.Errorf("encode permissions: %w", err)
		}
		s := bot.Setting{Place: place, Key: keyAllowed, Value: raw, By: by, At: r.cfg.Now()}
		if done, err := r.cache.swap(ctx, []bot.Setting{s}, rows); err != nil {
			return false, fmt.Errorf("store permissions: %w", err)
		} else if done {
			return true, nil
		}
	}
}
