package inbound

import (
	"context"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// door retries a commit within Slack's time limit.
type door interface {
	Commit(ctx context.Context, f func(context.Context) error) error
	Entrust(ctx context.Context, f func(context.Context) error) error
	Spawn(ctx context.Context, limit time.Duration, f func(context.Context))
	SocketMode() bool
}

// access handles changes of an organisation's workspaces.
type access interface {
	AccessChanged(ctx context.Context, in bot.Intake, body payload.Object) error
}

// persons look people up: Get within a time limit, Sure as Slack reports them now.
type persons interface {
	Get(ctx context.Context, id string, limit time.Duration) bot.User
	Sure(ctx context.Context, id string) (bot.User, bool)
}

// namer returns a person's name.
type namer interface {
	Name(ctx context.Context, id string) string
}

// prover records that a person was active in a channel.
type prover interface {
	Prove(t bot.Thread, user string, at time.Time)
}

// audience reports whether a person reads a channel, whether every member of the workspace may, whether guests or people of
// other workspaces do, and lists its readers if they are known.
type audience interface {
	Reads(ctx context.Context, t bot.Thread, user string) (bool, error)
	Public(ctx context.Context, channel string) bool
	Strangers(ctx context.Context, t bot.Thread) (bool, error)
	Readers(ctx context.Context, t bot.Thread) ([]string, error)
}

// attacher lists a message's files.
type attacher interface {
	Attached(ctx context.Context, team string, ev payload.Object) []bot.File
}

// poster posts a card, and finds a person's direct conversation with the bot.
type poster interface {
	Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error)
	DirectWith(ctx context.Context, team string, u bot.User) (bot.Target, error)
}

// titles know which conversations have no title yet.
type titles interface {
	NoteNew(t bot.Thread)
}

// sessions show whether the bot is working in a thread.
type sessions interface {
	Working(th bot.Thread)
	Idle(ctx context.Context, th bot.Thread)
}

// replied knows the threads with a reply.
type replied interface {
	NoteReply(channel, thread string)
}
