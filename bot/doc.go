// Package bot is about people and conversations: what happens to a message, a
// click, a command. An adapter hands events to [Intake]; the bot commits them to
// the thread's inbox in the [Record], a worker that holds the thread's [Lease]
// runs the thread's agent and turns its events into a reply that grows through
// the [Adapter].
//
// It knows no platform's wire format (adapters do), no agent's thinking (agent
// does) and no database (memory/sqlitestore and memory/pgstore do).
package bot
