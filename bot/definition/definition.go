// Package definition defines how the record keeps workflows that admins save in the console: every version of each, in
// order, so that replicas serve the same one and an earlier one can be restored.
//
// It does not know what a definition says: maru/agent/workflow reads and checks the text.
package definition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"maru/bot/audit"
)

// ErrChanged reports that another person saved a version in the meantime.
var ErrChanged = errors.New("definition: a newer version has been saved")

// Version is one saved version of a workflow.
type Version struct {
	ID       string // of the workflow
	N        int64  // 1 for the first version, without gaps
	Text     string // JSON; "" removes the workflow
	By       string // platform ID of the author
	At       time.Time
	Restores int64 // the earlier version whose text this is, 0 for none
}

// Removed reports whether the workflow is removed as of this version.
func (v Version) Removed() bool { return v.Text == "" }

// Team is the team of the audit entries about versions: workflows belong to the whole program.
const Team = ""

// AuditEntry returns the entry committed with the version. It omits the text, which the version has.
func (v Version) AuditEntry() (audit.Entry, error) {
	what := "workflow.save"
	switch {
	case v.Removed():
		what = "workflow.remove"
	case v.Restores > 0:
		what = "workflow.restore"
	}
	detail, err := json.Marshal(struct {
		Workflow string `json:"workflow"`
		Version  int64  `json:"version"`
		Restores int64  `json:"restores,omitempty"`
	}{v.ID, v.N, v.Restores})
	if err != nil {
		return audit.Entry{}, fmt.Errorf("definition: audit of %s: %w", v.ID, err)
	}
	return audit.Entry{Team: Team, Who: v.By, What: what, Detail: detail}, nil
}

// Store keeps versions.
//
// SaveDefinition adds a version and its audit entry in one commit. The version must be the one after the newest, else
// the error is [ErrChanged] and nothing is stored; At is filled if zero. Versions are never changed or deleted.
//
// Definitions lists the newest version of every workflow by ID, removed ones included. DefinitionVersions lists the
// versions of one without their texts, newest first. DefinitionVersion returns one; the error is bot.ErrNotFound if
// there is none.
type Store interface {
	SaveDefinition(ctx context.Context, v Version) error
	Definitions(ctx context.Context) ([]Version, error)
	DefinitionVersions(ctx context.Context, id string, limit int) ([]Version, error)
	DefinitionVersion(ctx context.Context, id string, n int64) (Version, error)
}
