package place

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"maru/bot"
)

// keyAllowed is the setting of a channel that keeps its standing permissions. It is none of [config.Keys]: nobody sets it as a whole.
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

// Until is when the permission ends.
func (a Allowed) Until() time.Time { return a.At.AddDate(0, 0, a.Days) }

// mostDays is the longest permission.
const mostDays = 30

// allAllowed reads the permissions of a place, those that ended too.
func allAllowed(place string, rows []bot.Setting) []Allowed {
	var out []Allowed
	for _, row := range rows {
		if row.Place == place && row.Key == keyAllowed && json.Unmarshal(row.Value, &out) != nil {
			return nil
		}
	}
	return out
}

// allowedRows reads the permissions of a place that hold now.
func (r *Rules) allowedRows(place string, rows []bot.Setting) []Allowed {
	out, now := allAllowed(place, rows), r.cfg.Now()
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

// keptAllowed lists what the setting of a thread's channel has to keep: what holds, and the ends of what could be given again by a
// repeated attempt of the run that was allowed it.
func (r *Rules) keptAllowed(ctx context.Context, t bot.Thread) ([]Allowed, error) {
	place := t.Places(bot.User{})[1]
	rows, err := r.cfg.Record.SettingsOf(ctx, []string{place})
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	now := r.cfg.Now()
	return slices.DeleteFunc(allAllowed(place, rows), func(a Allowed) bool {
		until := a.Until()
		if a.Days == 0 {
			until = a.At.AddDate(0, 0, mostDays)
		}
		return a.Days < 0 || a.Days > mostDays || !now.Before(until)
	}), nil
}

// Allow adds a standing permission, or replaces that of the tool; its audit entry is committed with it. A decision counts once, and none
// after a later one about the tool or after somebody ended the tool's permission. Two replicas that write at once may lose one of the
// writes: the store of settings compares nothing.
func (r *Rules) Allow(ctx context.Context, t bot.Thread, a Allowed) error {
	r.allowing.Lock()
	defer r.allowing.Unlock()
	list, err := r.keptAllowed(ctx, t)
	if err != nil || slices.ContainsFunc(list, func(b Allowed) bool { return b.Tool == a.Tool && !b.At.Before(a.At) }) {
		return err
	}
	list = slices.DeleteFunc(list, func(b Allowed) bool { return b.Tool == a.Tool })
	if len(list) >= maxAllowed { // the oldest ends
		list = list[1:]
	}
	return r.setAllowed(ctx, t, append(list, a), a.By)
}

// Disallow ends the standing permissions of a tool, and reports whether there was one.
func (r *Rules) Disallow(ctx context.Context, t bot.Thread, u bot.User, tool string) (bool, error) {
	r.allowing.Lock()
	defer r.allowing.Unlock()
	list, err := r.keptAllowed(ctx, t)
	if err != nil || !slices.ContainsFunc(list, func(b Allowed) bool { return b.Tool == tool && b.Days > 0 }) {
		return false, err
	}
	left := slices.DeleteFunc(list, func(b Allowed) bool { return b.Tool == tool })
	by := t.Person(u)
	return true, r.setAllowed(ctx, t, append(left, Allowed{Tool: tool, By: by, At: r.cfg.Now()}), by)
}

func (r *Rules) setAllowed(ctx context.Context, t bot.Thread, list []Allowed, by string) error {
	s := bot.Setting{Place: t.Places(bot.User{})[1], Key: keyAllowed, By: by, At: r.cfg.Now()}
	if len(list) > 0 {
		raw, err := json.Marshal(list)
		if err != nil {
			return fmt.Errorf("encode permissions: %w", err)
		}
		s.Value = raw
	}
	if err := r.Set(ctx, s); err != nil {
		return fmt.Errorf("keep a permission: %w", err)
	}
	return nil
}
