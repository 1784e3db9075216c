package web

import (
	"sync"
	"time"

	"maru/bot"
)

// Methods that are called in several places.
const (
	MethodWho    = "auth.test"
	MethodPost   = "chat.postMessage"
	MethodHome   = "views.publish"
	MethodUpdate = "chat.update"
	MethodDelete = "chat.delete"
	MethodStart  = "chat.startStream"
	MethodAppend = "chat.appendStream"
	MethodStop   = "chat.stopStream"
	MethodStatus = "assistant.threads.setStatus"

	MethodGroups   = "usergroups.list"
	MethodTeams    = "auth.teams.list"
	MethodUsers    = "users.list"
	MethodSearch   = "assistant.search.context"
	MethodUpload   = "files.getUploadURLExternal"
	MethodComplete = "files.completeUploadExternal"
	MethodUnshare  = "files.delete"
)

// tier is the adapter's rate limit of a method per minute and workspace: slightly below
// Slack's, because the two minutes do not start together. At most drafts of them may show
// progress; the rest is reserved for answers. Slack promises "50 and more", so answers are
// throttled only after a 429.
type tier struct{ most, drafts int }

// tiers lists those of https://docs.slack.dev/apis/web-api/rate-limits by method.
// chat.postMessage is limited per channel instead, see [gates].
func tiers() map[string]tier {
	t2, t3, t4 := tier{18, 18}, tier{46, 28}, tier{94, 90}
	return map[string]tier{
		MethodUpdate: t3, MethodDelete: t3, MethodStart: t2, MethodStop: t2, MethodAppend: t4,
		MethodStatus: {500, 450}, "agents.sessions.setStatus": t3, "agents.sessions.rename": t3,
		"conversations.replies": t3, "conversations.history": t3, "conversations.open": t3,
		"conversations.info": t3, "conversations.members": t4, "usergroups.users.list": t2, MethodGroups: t2, MethodTeams: t2, MethodUsers: t2, MethodUpload: t4, MethodComplete: t4, MethodUnshare: t3,
		MethodSearch:    {9, 9}, // "10+ requests per minute" for most teams
		"reactions.add": t3, "reactions.remove": t2, "chat.postEphemeral": t4,
		"assistant.threads.setTitle": t3, "assistant.threads.setSuggestedPrompts": t3, "views.open": t4, MethodHome: t4,
	}
}

// minute is the window of a tier, plus a second of network delay.
const minute = 61 * time.Second

// strictFor is how long a method stays below its tier after a 429.
const strictFor = 10 * time.Minute

// othersShare divides the draft share of a method after a 429.
const othersShare = 3

// budget counts the calls of the last minute.
type budget struct {
	now func() time.Time

	mu     sync.Mutex
	tiers  map[string]tier
	calls  map[string][]time.Time
	strict map[string]time.Time // by method: until when its tier applies to every call
}

func newBudget(now func() time.Time) *budget {
	return &budget{now: now, tiers: tiers(), calls: map[string][]time.Time{}, strict: map[string]time.Time{}}
}

// noteLimit records a 429 of method.
func (b *budget) noteLimit(method string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.strict[method] = b.now().Add(strictFor)
}

// isStrict reports whether the method got a 429 within strictFor.
func (b *budget) isStrict(method string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now().Before(b.strict[method])
}

// reserve counts a call of method, or returns the delay until the next one.
func (b *budget) reserve(method string, urgent bool) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, ok := b.tiers[method]
	if !ok {
		return 0
	}
	now := b.now()
	calls := Recent(b.calls[method], now)
	b.calls[method] = calls
	most := t.most
	if !urgent {
		most = t.drafts
		if now.Before(b.strict[method]) {
			most /= othersShare // leave capacity for other clients of this workspace, such as replicas
		}
	}
	if len(calls) < most || urgent && !now.Before(b.strict[method]) {
		b.calls[method] = append(calls, now)
		return 0
	}
	return calls[len(calls)-most].Add(minute).Sub(now)
}

// release uncounts the newest call of method, which was not made.
func (b *budget) release(method string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.calls[method]); n > 0 {
		b.calls[method] = b.calls[method][:n-1]
	}
}

// bucket returns the token bucket of a tier for all replicas together: n a minute, with a capacity
// of half, so that a full bucket plus its refill stay within Slack's limit in any minute.
func bucket(n int) bot.Rate {
	burst := max(1, n/2)
	return bot.Rate{PerSecond: float64(n-burst) / minute.Seconds(), Burst: burst}
}

// Recent drops calls older than a minute; calls are in order.
func Recent(calls []time.Time, now time.Time) []time.Time {
	n := 0
	for n < len(calls) && now.Sub(calls[n]) >= minute {
		n++
	}
	return append(calls[:0:0], calls[n:]...)
}

// Shares divides a method's draft budget fairly among the growing replies, without starvation
// or bursts.
type Shares struct {
	now    func() time.Time
	least  time.Duration // minimum interval between two drafts of a reply
	drafts int           // per minute, of all replies

	mu   sync.Mutex
	last map[string]time.Time // by reply: its last draft
}

// NewShares divides a method's draft budget.
func NewShares(c Config, method string) *Shares {
	return &Shares{now: c.Now, least: c.EditEvery, drafts: tiers()[method].drafts, last: map[string]time.Time{}}
}

const idleShare = 30 * time.Second // a reply without drafts for this long loses its share

// Due reports whether the reply may show a draft now, and counts it.
func (s *Shares) Due(reply string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for id, at := range s.last {
		if id != reply && now.Sub(at) > idleShare {
			delete(s.last, id)
		}
	}
	at, growing := s.last[reply]
	n := len(s.last)
	if !growing {
		n++
	}
	pause := max(s.least, time.Duration(n)*minute/time.Duration(s.drafts))
	if growing && now.Sub(at) < pause {
		return false
	}
	s.last[reply] = now
	return true
}

// Done releases a reply's share.
func (s *Shares) Done(reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.last, reply)
}
