package bot

import (
	"context"
	"errors"
	"time"
)

// ErrStale says that a row was changed since it was read; nothing was written.
var ErrStale = errors.New("bot: changed meanwhile")

// Installation is the bot's place in one workspace or guild, or in a whole
// organisation. What opens the platform's door there, Secret, is sealed by the
// adapter: the record keeps bytes that it cannot read.
type Installation struct {
	Platform   string
	Team       string    // workspace or guild; the organisation's id for an installation in all of it
	Enterprise string    // organisation that the workspace belongs to, "" for none
	Org        bool      // for all workspaces of the organisation
	Name       string    // what people call it: data
	BotUser    string    // who the bot is there
	By         string    // platform id of who installed it, "" if unknown
	Scopes     string    // what was granted, as the platform lists it
	Secret     []byte    // nil once the bot was sent away, and where nothing of its own opens the door; see Covered
	Expires    time.Time // when Secret must have been renewed, zero: never
	State      InstallState
	Why        string // of a state that is not InstallActive: the platform's own code
	OnLeave    string // of InstallLeaving: what was decided to do with its data, as the setting on_leave says it
	Installed  time.Time
	Updated    time.Time // by the store's clock
	Version    int64     // grows by one with every write; 0: not stored
}

// TeamKey names the workspace over all platforms, as [Thread.TeamKey] does.
func (in Installation) TeamKey() string {
	return Thread{Platform: in.Platform, Team: in.Team}.TeamKey()
}

// Covered reports whether the installation of the workspace's organisation serves
// it: the row then says only that the bot is there, and has no Secret.
func (in Installation) Covered() bool {
	return in.State == InstallActive && in.Enterprise != "" && !in.Org && len(in.Secret) == 0
}

// InstallState is how an installation is.
type InstallState string

// The states of an installation.
const (
	InstallActive  InstallState = "active"
	InstallBroken  InstallState = "broken"  // the platform refuses the secret: an operator must act
	InstallLeaving InstallState = "leaving" // the bot was sent away, what belongs to the place is still to end
	InstallRemoved InstallState = "removed" // the bot was sent away
)

// Installations keeps them, and ends what belongs to a workspace.
//
// SaveInstallation writes a row whose stored Version is in.Version (0: there is
// none yet) and returns it as it stands then; ErrStale comes with the row that
// stands instead. Installation returns ErrNotFound if there is none;
// Installations lists those of a platform, or with "" all, the oldest first.
//
// Vacate ends every lease of a workspace's threads, buries what waits there with
// why, and revokes its pending approvals: whoever works on them is fenced. It
// returns how many threads it stopped. TeamThreads lists the keys of at most limit
// threads of a workspace that are not forgotten. Purge removes what is kept of a
// workspace whose threads are: settings, memories, jobs, usage, and the notes of its
// platform that have Team, or any that have its key, between two slashes. The audit
// log and the installation's own row stay. Both may be done twice.
type Installations interface {
	SaveInstallation(ctx context.Context, in Installation) (Installation, error)
	Installation(ctx context.Context, platform, team string) (Installation, error)
	Installations(ctx context.Context, platform string) ([]Installation, error)
	Vacate(ctx context.Context, platform, team, why string) (int, error)
	TeamThreads(ctx context.Context, platform, team string, limit int) ([]string, error)
	Purge(ctx context.Context, platform, team string) error
}
