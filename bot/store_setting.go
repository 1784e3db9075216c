package bot

import (
	"context"
	"encoding/json"
	"time"
)

// Setting is one value set by somebody for a place.
type Setting struct {
	Place string // "", "slack/T1", "slack/T1/C1", a thread key, or "user:slack/T1/U1"
	Key   string
	Value json.RawMessage // nil removes it
	By    string
	At    time.Time
}

// Settings keeps values by place. SetSetting commits value and
// audit entry together.
type Settings interface {
	SettingsOf(ctx context.Context, places []string) ([]Setting, error)
	SetSetting(ctx context.Context, s Setting) error
}
