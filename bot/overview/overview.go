// Package overview defines how the console lists the runs and open questions of all channels:
// [Store] is the part of the record that finds them.
//
// It only reads. Types of one thread, and changes, are in maru/bot.
package overview

import (
	"context"
	"time"

	"maru/bot"
)

// Run is a run in a list, without its trace.
type Run struct {
	ID      string
	Thread  bot.Thread
	Title   string // of the thread
	Agent   string
	User    string // platform ID of the person who asked
	Name    string // their name as last seen in the thread, "" if unknown
	Status  string // as bot.Run.Status
	Started time.Time
	Ended   time.Time
	Worked  time.Duration // without waits for people
	Usage   bot.RunUsage
}

// RunQuery chooses runs; an empty field chooses all.
type RunQuery struct {
	Agent    string
	Status   string
	Team     string // bot.Thread.TeamKey
	Channel  string // the platform's ID
	User     string // the platform's ID
	From, To time.Time
	// Own is the TeamKey whose direct conversations are listed as well. Those of others are private and never
	// listed.
	Own    string
	Before Cursor // lists runs after this one; the zero value starts with the newest
	Limit  int
}

// Cursor is a run's position in the list, which is sorted by start, newest first, and then by ID.
type Cursor struct {
	Started time.Time
	ID      string
}

// Question is an open question to people.
type Question struct {
	bot.Approval

	Title string // of its thread
}

// Person is a person who started runs.
type Person struct {
	Platform, Team string
	User           string // the platform's ID
	Name           string // as last seen, "" if unknown
	Runs           int
	Last           time.Time // start of their newest run
}

// Store finds runs and questions across all known threads.
//
// ListRuns lists runs. ListQuestions lists pending approvals that have not expired at now, oldest first; own is as
// [RunQuery.Own]. Private reports whether a thread is a direct conversation, or unknown. Direct lists the channels
// of direct conversations as settings name them: "slack/T1/D1". People lists everybody with a run, except
// forgotten people, by their newest run, newest first.
type Store interface {
	ListRuns(ctx context.Context, q RunQuery) ([]Run, error)
	ListQuestions(ctx context.Context, own string, now time.Time, limit int) ([]Question, error)
	Private(ctx context.Context, thread string) (bool, error)
	Direct(ctx context.Context) ([]string, error)
	People(ctx context.Context, limit int) ([]Person, error)
}
