// Package audit is the append-only audit log of a workspace: its entries, the hash chain that proves that none was
// changed or removed, and the replacement of pruned entries. It knows neither the meaning of entries nor their
// storage.
package audit

import (
	"context"
	"encoding/json"
	"time"
)

// Entry is one line of the append-only audit log. Hash chains it to its predecessor: SHA-256 of the previous hash
// and the canonical JSON of the rest.
type Entry struct {
	Seq    int64           `json:"seq"`
	At     time.Time       `json:"at"`
	Team   string          `json:"team"` // "slack/T1"
	Who    string          `json:"who"`
	What   string          `json:"what"` // "setting.set", "document.add", …
	Detail json.RawMessage `json:"detail,omitempty"`
	Prev   string          `json:"prev"`
	Hash   string          `json:"hash"`
}

// Log is the audit log in the record. AppendAudit fills Seq, At (if zero), Prev and Hash. AuditLog lists the
// entries of a team after a Seq, oldest first; AuditTail its newest, newest first; AuditTeams the teams that have
// any.
//
// PruneAudit removes entries older than a time from the beginning of a team's chain, some thousands at most, and
// commits the entry that replaces them in the same transaction. It removes none after a younger one, and nothing
// if all are such replacement entries; Entries of the result is then 0. The record rejects every other removal or
// change.
type Log interface {
	AppendAudit(ctx context.Context, e Entry) (Entry, error)
	AuditLog(ctx context.Context, team string, after int64, limit int) ([]Entry, error)
	AuditTail(ctx context.Context, team string, limit int) ([]Entry, error)
	AuditTeams(ctx context.Context) ([]string, error)
	PruneAudit(ctx context.Context, team string, before time.Time) (Pruned, error)
}
