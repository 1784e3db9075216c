package bot

import (
	"context"
	"time"
)

// Exports generates the files that commands offer, for surfaces that link to them.
//
// Export returns the named file with the data that a person may see in a place now. A name that no
// command offered gives a *[Error] with CodeNotFound. The content depends only on name and person,
// so any replica generates it and nothing is stored.
type Exports interface {
	Export(ctx context.Context, from Thread, by User, name string) (Artifact, error)
}

// Greeter is an [Intake] that greets people who open the bot's own view on a platform, before they have written
// anything.
type Greeter interface {
	// Greet returns the greeting for u in t. viewing is the channel that they have open, whose settings apply; its
	// Channel is "" if unknown.
	Greet(ctx context.Context, t, viewing Thread, u User) (Greeting, error)
}

// Greeting is a greeting with suggested prompts.
type Greeting struct {
	Card    Card
	Title   string // over the prompts
	Prompts []Prompt
}

// Prompt is a suggested message: Title labels its button, Message is sent in the person's name.
type Prompt struct{ Title, Message string }

// Homer is an [Intake] with a page for each person, on surfaces that have one: Maru's abilities
// and the person's own items.
type Homer interface {
	// Home returns the page of u, part by part. t is their direct conversation
	// with the bot; its Channel may be "".
	Home(ctx context.Context, t Thread, u User) ([]Card, error)
}

// Rememberer is an Intake that lists stored messages, so that an adapter that was offline can
// check whether they were changed or deleted.
//
// Remembered lists people's messages since a time, with ids and threads: those of one thread or,
// for a Thread without ID, of all threads of its channel, newest threads first. Deleted messages
// are omitted.
type Rememberer interface {
	Remembered(ctx context.Context, place Thread, since time.Time, limit int) ([]Message, error)
}

// Tenants is an [Intake] that is told about installation and removal of the bot. Both calls return
// when that is committed; a replica then carries out the consequences, also after a crash.
type Tenants interface {
	// Join stores an installation, replacing earlier data about the workspace, and returns the
	// stored row; a zero Installed means now. Repeating that an organisation's installation covers
	// a workspace changes nothing.
	Join(ctx context.Context, in Installation) (Installation, error)
	// Leave revokes the workspace's credentials, stops its runs and, if its setting on_leave says so, removes its
	// data. For an organisation it does so in every workspace that the installation serves. It is idempotent, and
	// ignores unknown workspaces.
	Leave(ctx context.Context, d Departure) error
	// Welcome returns a greeting in a locale that explains the setup to an admin.
	Welcome(locale string) Card
}

// Departure is the removal of the bot from a workspace.
type Departure struct {
	Platform, Team string
	Why            string // the platform's word: "app_uninstalled", "guild_delete", …; "operator"
	By             string // who removed it, "" if unknown

	// Enterprise is the organisation that removed the bot from this workspace and keeps it
	// elsewhere; "" if the workspace removed it. It does not end the work of a workspace with an
	// installation of its own.
	Enterprise string
}
