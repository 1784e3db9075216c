package queue

import (
	"cmp"
	"time"

	"maru/agent/llm"
)

// What a call waits longer than its question's age says, all in time by which it seems to have
// come later: so everything is sent in the end, whatever comes after it.
const (
	perLetter = time.Millisecond // 5,000 letters more: 5 s later
	mostLong  = 20 * time.Second // for its length
	another   = 10 * time.Second // for each other question of the same person that waits
	summary   = 5 * time.Second  // somebody waits for it, behind an answer that they could have
	nobody    = time.Minute      // waits for the reply
)

// priority returns the moment by which calls are ordered: when its question was asked, which is its
// account's, so that a question that has begun is finished before a newer one begins.
func priority(req llm.Request, letters int, now time.Time, others int) time.Time {
	at := now
	if req.Account != nil && !req.Account.Began.IsZero() && req.Account.Began.Before(now) {
		at = req.Account.Began
	}
	at = at.Add(min(time.Duration(letters)*perLetter, mostLong) + time.Duration(others)*another)
	switch {
	case req.Later:
		at = at.Add(nobody)
	case req.Purpose == llm.ForSummary:
		at = at.Add(summary)
	}
	return at
}

// before orders places.
func before(a, b *place) int {
	return cmp.Or(a.order.Compare(b.order), cmp.Compare(a.arrived, b.arrived))
}
