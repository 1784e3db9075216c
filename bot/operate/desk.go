// Package operate executes the operator commands that read the record, `maru audit`, `maru usage` and `maru
// parked`, from their arguments to their output, in the command's process or the running program.
//
// It must not know how the record is opened or who asks. Chat commands belong to [maru/bot/command].
package operate

import (
	"context"
	"time"

	"maru/bot"
	"maru/bot/audit"
	"maru/bot/desk"
	"maru/bot/gap"
	"maru/bot/parking"
	"maru/bot/tally"
)

// Record is the part of the record that the commands read and, for retries, change.
type Record interface {
	audit.Log
	tally.Record
	gap.Record
	parking.Store

	desk.Notes
	bot.Notes
	AuditTeams(ctx context.Context) ([]string, error)
}

// Desk executes the commands.
type Desk struct {
	Open func(ctx context.Context) (r Record, done func(), err error)
	Zone *time.Location // whose days are meant
	// Secrets seal the keys of receipts, the newest first; none: none can be made.
	Secrets [][]byte
}
