package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"maru/bot/audit"
	"strings"
	"time"
)

// Setting is a value set by a person at one level.
type Setting struct {
	Place string // "", "slack/T1", "slack/T1/C1", a thread key, or "user:slack/T1/U1"
	Key   string
	Value json.RawMessage // nil removes it
	By    string
	At    time.Time
}

// Settings stores values by level. SetSetting commits value and audit entry together. SwapSettings commits several so if the
// stored value of each still is that of before, as SettingsOf returned it, nil for none; else it changes nothing and reports false.
type Settings interface {
	SettingsOf(ctx context.Context, places []string) ([]Setting, error)
	SetSetting(ctx context.Context, s Setting) error
	SwapSettings(ctx context.Context, list []Setting, before []json.RawMessage) (bool, error)
}

// Team returns the workspace of the setting, as in [audit.Entry]; "" for a global setting.
func (s Setting) Team() string {
	p := strings.Split(strings.TrimPrefix(s.Place, PersonPlace), "/")
	return strings.Join(p[:min(len(p), 2)], "/")
}

// AuditEntry returns the entry that is committed with the setting; before is
// the value that it replaces, nil if there was none.
func (s Setting) AuditEntry(before json.RawMessage) (audit.Entry, error) {
	what := "setting.set"
	if s.Value == nil {
		what = "setting.remove"
	}
	detail, err := json.Marshal(struct {
		Place  string          `json:"place"`
		Key    string          `json:"key"`
		Value  json.RawMessage `json:"value,omitempty"`
		Before json.RawMessage `json:"before,omitempty"`
	}{s.Place, s.Key, s.Value, before})
	if err != nil {
		return audit.Entry{}, fmt.Errorf("bot: audit of setting %s: %w", s.Key, err)
	}
	return audit.Entry{At: s.At, Team: s.Team(), Who: s.By, What: what, Detail: detail}, nil
}
