package bot

import (
	"context"
	"errors"
	"time"
)

// ErrStale reports that a row was changed since it was read; nothing was written.
var ErrStale = errors.New("bot: changed meanwhile")

// Installation is an installation of the bot in a workspace, a guild or an organisation. Secret holds the
// platform's credentials, sealed by the adapter, so that the record cannot read them.
type Installation struct {
	Platform   string
	Team       string    // workspace or guild; the organisation's id for an installation in all of it
	Enterprise string    // organisation that the workspace belongs to, "" for none
	Org        bool      // for all workspaces of the organisation
	Name       string    // display name
	BotUser    string    // the bot's user id there
	By         string    // platform id of the installer, "" if unknown
	Scopes     string    // granted scopes, as listed by the platform
	Secret     []byte    // nil after removal of the bot, and for an installation that another one covers; see Covered
	Expires    time.Time // when Secret must have been renewed, zero: never
	State      InstallState
	Why        string // of a state that is not InstallActive: the platform's own code
	OnLeave    string // for InstallLeaving: the value of the setting on_leave at that time
	Installed  time.Time
	Updated    time.Time // by the store's clock
	Version    int64     // grows by one with every write; 0: not stored
}

// TeamKey names the workspace over all platforms, as [Thread.TeamKey] does.
func (in Installation) TeamKey() string {
	return Thread{Platform: in.Platform, Team: in.Team}.TeamKey()
}

// Covered reports whether the installation of the workspace's organisation serves it. The row then
// records only the bot's presence and has no Secret.
func (in Installation) Covered() bool {
	return in.State == InstallActive && in.Enterprise != "" && !in.Org && len(in.Secret) == 0
}

// InstallState is the state of an installation.
type InstallState string

// The states of an installation.
const (
	InstallActive  InstallState = "active"
	InstallBroken  InstallState = "broken"  // the platform refuses the secret: an operator must act
	InstallLeaving InstallState = "leaving" // uninstalled, cleanup pending
	InstallRemoved InstallState = "removed" // uninstalled
)

// Installations stores installations and ends the work of a workspace.
//
// SaveInstallation writes a row if the stored Version equals in.Version (0: no row yet) and
// returns the stored row; ErrStale comes with the conflicting row. Installation returns
// ErrNotFound without a row; Installations lists a platform's rows, or all for "", oldest first.
//
// Vacate ends all leases of a workspace's threads, buries their waiting items with the reason, and
// revokes pending approvals; workers on them are fenced. It returns the number of threads stopped.
// TeamThreads lists the keys of at most limit threads of a workspace that are not forgotten. Purge
// removes the remaining data of a workspace whose threads are gone: settings, memories, jobs,
// usage, and the platform's notes whose key is Team or contains it between slashes. The audit log
// and the installation's row are kept. Vacate and Purge are idempotent.
type Installations interface {
	SaveInstallation(ctx context.Context, in Installation) (Installation, error)
	Installation(ctx context.Context, platform, team string) (Installation, error)
	Installations(ctx context.Context, platform string) ([]Installation, error)
	Vacate(ctx context.Context, platform, team, why string) (int, error)
	TeamThreads(ctx context.Context, platform, team string, limit int) ([]string, error)
	Purge(ctx context.Context, platform, team string) error
}
