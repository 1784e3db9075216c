// Package event brings what happens in Discord's channels to the bot: each channel's
// events in order, every message at least once. A [Queue] does not give an event up
// before it is committed, for the gateway does not deliver again.
//
// What nobody told of is found. The queue notes how far each shard has come
// (tracks.go); when a session begins it reads what was missed since (catchup.go) and
// sees whether what was said before still stands (recheck.go); while people talk to
// the bot it looks for messages lost on their way. The note never runs ahead of what
// was brought to the bot, so that what is read twice is possible and what is never
// read is not.
//
// The package does not know what a message says, nor how a connection is kept.
package event
