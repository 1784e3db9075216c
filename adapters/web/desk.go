package web

import (
	"context"

	"maru/bot"
	"maru/bot/cited"
)

// Desk is the part of the bot that the pages use beyond [bot.Intake]; *service.Bot implements
// it. The bot checks permissions on every call: things that the person may not see return
// [bot.ErrNotFound].
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
// Threads lists a place's threads, the most recently active first. Transcript returns the
// last limit entries, oldest first. Cards returns the cards of a thread that are not in the
// transcript yet: growing replies and open questions, with their buttons. Stop cancels the
// thread's work and reports whether there was any; after an error it may go on. Forget deletes the thread and all its
// data.
type Conversations interface {
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
	Transcript(ctx context.Context, thread bot.Thread, limit int) ([]bot.Entry, error)
	Cards(ctx context.Context, thread bot.Thread) ([]bot.PostedCard, error)
	Stop(ctx context.Context, thread string, before bot.Bound) (bool, error)
	Forget(ctx context.Context, thread bot.Thread, by bot.User) error
}

// Library reads and changes the documents of a thread's place.
//
// Documents lists the documents that a run in the thread may read. Ingest returns when the
// document is searchable; a rejection is a *bot.Error and changes nothing. Passage returns a
// passage with its context; Cited returns the n-th source of a run's answer as it read when
// cited, "" if there is none.
type Library interface {
	Documents(ctx context.Context, thread bot.Thread, by bot.User) ([]bot.DocumentInfo, error)
	Ingest(ctx context.Context, up bot.Upload) (bot.DocumentInfo, error)
	RemoveDocument(ctx context.Context, thread bot.Thread, by bot.User, id string) error
	Passage(ctx context.Context, thread bot.Thread, by bot.User, chunk string) (cited.View, error)
	Cited(ctx context.Context, thread bot.Thread, by bot.User, run string, n int) (string, error)
}

// Traces explains runs.
type Traces interface {
	Trace(ctx context.Context, by bot.User, run string) (bot.RunView, error)
}

// Explainer is implemented by desks with more information on a run than its trace. A trace whose Thread is Direct
// is returned without text, which belongs to another person.
type Explainer interface {
	Explain(ctx context.Context, by bot.User, run bot.RunView) (Explained, error)
}

// Explained supplements a run's trace.
type Explained struct {
	Drawing string // of its agent, SVG by our own code with the path taken marked; "" if the agent is gone
	Answer  string // Markdown, "" if it has none or was deleted
	// Redo lists the steps of its task, if it can be repeated by a message in its conversation on the console.
	Redo []string
	// Read reports by passage whether a model received it: "yes" or "no"; no entry if unknown.
	Read map[string]string
}

// Runs decides and follows runs.
//
// Rule decides a run's question; a *bot.Error with bot.CodeStale comes with the earlier
// decision, one with bot.CodeBadAnswer with the faults. Follow shows a run until it ends or
// show returns an error.
type Runs interface {
	Rule(ctx context.Context, r bot.Ruling) (bot.Ruled, error)
	Follow(ctx context.Context, from bot.Thread, by bot.User, run string, show func(bot.Feed) error) error
}
