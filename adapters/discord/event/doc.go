// Package event delivers the events of Discord's channels to the bot: in order per channel,
// every message at least once. A [Queue] retries an event until it is committed, because the
// gateway does not redeliver.
//
// It recovers unreported events. The queue stores each shard's progress (tracks.go); at the
// start of a session it reads the messages missed since (catchup.go) and rechecks earlier
// ones for edits and deletions (recheck.go); while people talk to the bot it sweeps for lost
// messages. The stored progress never runs ahead of the delivered events: messages may be
// read twice, but are never skipped.
//
// The package knows neither the content of messages nor the connection.
package event
