package bot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Sum returns what Hash must be: SHA-256, in hex, of Prev and the canonical JSON
// of the rest. Time counts in microseconds UTC, and the keys of Detail are
// sorted, so that every store and every export gives the same sum.
func (e AuditEntry) Sum() (string, error) {
	var detail any
	if len(e.Detail) > 0 {
		d := json.NewDecoder(bytes.NewReader(e.Detail))
		d.UseNumber()
		if err := d.Decode(&detail); err != nil {
			return "", fmt.Errorf("bot: detail of audit entry: %w", err)
		}
	}
	at := e.At.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
	raw, err := json.Marshal([]any{e.Seq, at, e.Team, e.Who, e.What, detail})
	if err != nil {
		return "", fmt.Errorf("bot: encode audit entry: %w", err)
	}
	h := sha256.New()
	_, _ = h.Write([]byte(e.Prev)) // a hash takes every write
	_, _ = h.Write([]byte{'\n'})
	_, _ = h.Write(raw)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// VerifyAudit checks consecutive entries of one team's audit log, of which the
// one before has the hash prev ("" for the very first): it returns the Seq of
// the first entry that was changed or does not follow the one before it.
func VerifyAudit(prev string, entries []AuditEntry) (broken int64, ok bool) {
	for _, e := range entries {
		sum, err := e.Sum()
		if err != nil || e.Prev != prev || e.Hash != sum {
			return e.Seq, false
		}
		prev = e.Hash
	}
	return 0, true
}

// Team returns the workspace that the setting's place belongs to, as in
// AuditEntry.Team: "" for one that holds everywhere.
func (s Setting) Team() string {
	p := strings.Split(strings.TrimPrefix(s.Place, PersonPlace), "/")
	return strings.Join(p[:min(len(p), 2)], "/")
}

// AuditEntry returns the entry that is committed with the setting; before is
// the value that it replaces, nil if there was none.
func (s Setting) AuditEntry(before json.RawMessage) (AuditEntry, error) {
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
		return AuditEntry{}, fmt.Errorf("bot: audit of setting %s: %w", s.Key, err)
	}
	return AuditEntry{At: s.At, Team: s.Team(), Who: s.By, What: what, Detail: detail}, nil
}
