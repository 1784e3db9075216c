package inbound

import (
	"context"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// door is where deliveries came in: it tries to commit for as long as Slack waits.
type door interface {
	Commit(ctx context.Context, f func(context.Context) error) error
	Entrust(ctx context.Context, f func(context.Context) error) error
	Spawn(ctx context.Context, limit time.Duration, f func(context.Context))
	SocketMode() bool
}

// access carries out that an organisation's workspaces changed.
type access interface {
	AccessChanged(ctx context.Context, in bot.Intake, body payload.Object) error
}

// persons tells who somebody is: Get within a time, Sure as Slack says it is now.
type persons interface {
	Get(ctx context.Context, id string, limit time.Duration) bot.User
	Sure(ctx context.Context, id string) (bot.User, bool)
}

// namer tells what somebody is called.
type namer interface {
	Name(ctx context.Context, id string) string
}

// prover notes that somebody was active in a channel.
type prover interface {
	Prove(t bot.Thread, user string, at time.Time)
}

// audience tells whether somebody reads a channel.
type audience interface {
	Reads(ctx context.Context, t bot.Thread, user string) (bool, error)
}

// attacher lists the files of a message.
type attacher interface {
	Attached(ctx context.Context, team string, ev payload.Object) []bot.File
}

// poster posts a card, and finds somebody's direct conversation with the bot.
type poster interface {
	Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error)
	DirectWith(ctx context.Context, team string, u bot.User) (bot.Target, error)
}

// titles knows which conversations have none yet.
type titles interface {
	NoteNew(t bot.Thread)
}

// sessions shows whether the bot is at work in a thread.
type sessions interface {
	Working(th bot.Thread)
	Idle(ctx context.Context, th bot.Thread)
}

// replied knows which threads have a reply.
type replied interface {
	NoteReply(channel, thread string)
}
