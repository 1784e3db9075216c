package bot

import (
	"context"
	"time"
)

// Exports makes the files that commands hand out, for surfaces that link to them.
//
// Export makes the file with this name as it is now, of what a person may see from
// where they are; a name that no command gave is a *[Error] with CodeNotFound. What
// it holds follows from the name and the person alone: any replica makes it, and
// nothing is kept.
type Exports interface {
	Export(ctx context.Context, from Thread, by User, name string) (Artifact, error)
}

// Greeter is an [Intake] that greets people who open the bot's own place on a
// platform, before they have written anything.
type Greeter interface {
	// Greet returns what u is shown in t. viewing is the channel that they look
	// at, whose settings then hold; its Channel is "" if that is unknown.
	Greet(ctx context.Context, t, viewing Thread, u User) (Greeting, error)
}

// Greeting is a first word, and prompts to begin with.
type Greeting struct {
	Card    Card
	Title   string // over the prompts
	Prompts []Prompt
}

// Prompt is a suggestion: Title is what its button says, Message what is then
// written in the person's name.
type Prompt struct{ Title, Message string }

// Homer is an [Intake] that has a page for each person, on surfaces with such a
// place: what Maru can do, and what is theirs.
type Homer interface {
	// Home returns the page of u, part by part. t is their direct conversation
	// with the bot; its Channel may be "".
	Home(ctx context.Context, t Thread, u User) ([]Card, error)
}

// Rememberer is an Intake that tells what it holds of what people wrote, so that
// an adapter that was away can look whether it still stands there as it was.
//
// Remembered lists people's messages since a moment, with their ids and threads:
// those of the thread, or for one without ID those of all threads of its channel,
// the newest threads first. What was deleted is not among them.
type Rememberer interface {
	Remembered(ctx context.Context, place Thread, since time.Time, limit int) ([]Message, error)
}

// Tenants is an [Intake] that is told where the bot was taken in and from where
// it was sent away. Both calls return when that is committed; what follows from
// it is done after them, by whichever replica comes to it, crash or not.
type Tenants interface {
	// Join stores that the bot was taken in, over whatever was stored of the
	// workspace before, and returns the row as it stands; an Installed that is zero
	// is now. Told again that an organisation's installation serves a workspace, it
	// changes nothing.
	Join(ctx context.Context, in Installation) (Installation, error)
	// Leave takes away what opens the workspace, stops its runs and, if its
	// setting on_leave says so, removes all that is kept of it. An organisation's
	// end is that of every workspace that its installation serves. Told of a place
	// that has been left, or never was entered, it changes nothing.
	Leave(ctx context.Context, d Departure) error
	// Welcome says, in a locale, who has come and how an admin sets it up.
	Welcome(locale string) Card
}

// Departure is that the bot was sent away from a workspace.
type Departure struct {
	Platform, Team string
	Why            string // the platform's word: "app_uninstalled", "guild_delete", …; "operator"
	By             string // who sent it away, "" if the platform does not tell

	// Enterprise is the organisation that took the bot away from this one
	// workspace and keeps it elsewhere, "" if the workspace itself did. It ends
	// nothing where the workspace has an installation of its own.
	Enterprise string
}
