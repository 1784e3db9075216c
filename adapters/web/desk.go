package web

import (
	"context"

	"maru/bot"
)

// Desk is what the console's pages need of the bot beyond [bot.Intake]; *service.Bot
// implements it. Rights are checked by the bot at the moment of use: what the
// person may not see is [bot.ErrNotFound].
type Desk interface {
	Conversations
	Library
	Files
	bot.Exports
	Traces
	Runs
	Home
}

// Conversations reads and ends threads.
//
// Threads lists the threads of a place, the one that was last spoken in first.
// Transcript returns the last limit entries, oldest first. Cards returns what
// stands in the thread and is in no transcript yet: replies that are being
// written and questions that wait for a person, with their buttons. Stop cancels
// what the thread is doing and reports whether there was something to stop.
// Forget removes the thread with everything that belongs to it.
type Conversations interface {
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
	Transcript(ctx context.Context, thread bot.Thread, limit int) ([]bot.Entry, error)
	Cards(ctx context.Context, thread bot.Thread) ([]bot.PostedCard, error)
	Stop(ctx context.Context, thread string) bool
	Forget(ctx context.Context, thread bot.Thread, by bot.User) error
}

// Library reads and changes the documents of a thread's place.
//
// Documents lists what a run in the thread may read. Ingest returns when the
// document can be asked about; a refusal is a *bot.Error, and then the documents
// are as they were. Passage returns a passage in its surroundings; Cited what the n-th source
// of a run's answer said when it was cited, "" if there is none.
type Library interface {
	Documents(ctx context.Context, thread bot.Thread, by bot.User) ([]bot.DocumentInfo, error)
	Ingest(ctx context.Context, up bot.Upload) (bot.DocumentInfo, error)
	RemoveDocument(ctx context.Context, thread bot.Thread, by bot.User, id string) error
	Passage(ctx context.Context, thread bot.Thread, by bot.User, chunk string) (bot.PassageView, error)
	Cited(ctx context.Context, thread bot.Thread, by bot.User, run string, n int) (string, error)
}

// Traces explains runs.
type Traces interface {
	Trace(ctx context.Context, by bot.User, run string) (bot.RunView, error)
}

// Runs lets runs be decided and followed.
//
// Rule decides a question of a run; a *bot.Error with bot.CodeStale comes with
// the decision that was quicker, one with bot.CodeBadAnswer with what is wrong.
// Follow shows a run until it has ended or show returns an error.
type Runs interface {
	Rule(ctx context.Context, r bot.Ruling) (bot.Ruled, error)
	Follow(ctx context.Context, from bot.Thread, by bot.User, run string, show func(bot.Feed) error) error
}
