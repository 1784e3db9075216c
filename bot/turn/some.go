package turn

import (
	"maps"
	"strings"
	"time"

	"maru/bot"
)

// which returns the matching runs whose agents are active.
func (rs *Runs) which(fits func(activeRun) bool) []activeRun {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var list []activeRun
	for _, r := range rs.runs {
		if !r.over && fits(r) {
			list = append(list, r)
		}
	}
	return list
}

// wordsKept is how long redeliveries of a stop message are recognised.
const wordsKept = time.Hour

// stopWord is a message that has stopped something.
type stopWord struct {
	at    time.Time
	whole bool // nothing that it concerns may go on
}

// said reports whether a message has stopped something, and whether that was all.
func (rs *Runs) said(message string) (some, whole bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	w, some := rs.words[message]
	return some, w.whole
}

// say records that a message has stopped something.
func (rs *Runs) say(message string, whole bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	maps.DeleteFunc(rs.words, func(_ string, w stopWord) bool { return time.Since(w.at) > wordsKept })
	rs.words[message] = stopWord{time.Now(), whole}
}

// someRuns selects runs.
type someRuns func(activeRun) bool

// ofThread selects the runs of a thread.
func ofThread(thread string) someRuns {
	return func(r activeRun) bool { return r.thread == thread }
}

// asked restricts the selection to questions asked before a time or at an unknown one; the zero time means any.
func (f someRuns) asked(until time.Time) someRuns {
	return func(r activeRun) bool { return f(r) && (until.IsZero() || !r.p.Asked.After(until)) }
}

// but excludes one run; "" excludes none.
func (f someRuns) but(run string) someRuns {
	return func(r activeRun) bool { return f(r) && (run == "" || r.p.Run != run) }
}

// later reports whether an active run here answers a question asked after a time.
func (rs *Runs) later(run string, until time.Time) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, ok := rs.runs[run]
	return ok && !someRuns(ofRun(run)).asked(until)(r)
}

// ofRun selects one run.
func ofRun(run string) func(activeRun) bool {
	return func(r activeRun) bool { return r.p.Run == run }
}

// ofPerson selects a person's runs in all threads of a channel.
func ofPerson(channel bot.Thread, user string) someRuns {
	return func(r activeRun) bool { return r.user == user && channel.SharesChannel(r.thread) }
}

// Drafts returns the present texts of the replies of a thread's runs.
func (rs *Runs) Drafts(thread string) []bot.PostedCard {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var cards []bot.PostedCard
	for _, r := range rs.runs {
		if r.thread == thread {
			cards = append(cards, r.p.Shown())
		}
	}
	return cards
}

// ofTeam selects the runs of all threads of a workspace.
func ofTeam(team string) func(activeRun) bool {
	return func(r activeRun) bool { return strings.HasPrefix(r.thread, team+"/") }
}
