// Package audit is the append-only audit log of a workspace: its entries, the hash chain
// that proves that none was changed or removed, and what replaces entries that were
// pruned. It knows neither what the entries are about (the callers do) nor how they are
// stored (the record does).
package audit

import (
	"context"
	"encoding/json"
	"time"
)

// Entry is one line of the append-only audit log. Hash chains it to the
// one before: SHA-256 of the previous hash and the canonical JSON of the rest.
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

// Log is the audit log as the record keeps it. AppendAudit fills Seq, At (if zero), Prev and
// Hash. AuditLog lists the entries of a team after a Seq, oldest first; AuditTail
// its newest, newest first; AuditTeams the teams that have any.
//
// PruneAudit removes, from the beginning of a team's chain, entries from before
// a time, some thousands at most, and commits with it the entry that stands for
// them. It removes none behind one that is younger, nor if all of them are such
// entries: Entries of what it returns is 0 then. Every other removal and every
// change is refused by the record itself.
type Log interface {
	AppendAudit(ctx context.Context, e Entry) (Entry, error)
	AuditLog(ctx context.Context, team string, after int64, limit int) ([]Entry, error)
	AuditTail(ctx context.Context, team string, limit int) ([]Entry, error)
	AuditTeams(ctx context.Context) ([]string, error)
	PruneAudit(ctx context.Context, team string, before time.Time) (Pruned, error)
}
