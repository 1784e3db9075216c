package web

import (
	"sync"
	"time"

	"maru/bot"
)

// The methods that are called in more than one place.
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
	MethodUpload   = "files.getUploadURLExternal"
	MethodComplete = "files.completeUploadExternal"
)

// tier is how many calls of a method the adapter makes in a minute and
// workspace: a little under what Slack promises to take, because its minute and
// ours do not begin together. drafts is how many of them may show progress; the
// rest is kept for what somebody waits for. Slack promises "50 and more": what
// somebody waits for is not held back until Slack has said that it is too much.
type tier struct{ most, drafts int }

// tiers are those of https://docs.slack.dev/apis/web-api/rate-limits, by
// method. chat.postMessage is limited by channel instead, see [gates].
func tiers() map[string]tier {
	t2, t3, t4 := tier{18, 18}, tier{46, 28}, tier{94, 90}
	return map[string]tier{
		MethodUpdate: t3, MethodDelete: t3, MethodStart: t2, MethodStop: t2, MethodAppend: t4,
		MethodStatus: {500, 450}, "agents.sessions.setStatus": t3, "agents.sessions.rename": t3,
		"conversations.replies": t3, "conversations.history": t3, "conversations.open": t3,
		"conversations.info": t3, "conversations.members": t4, "usergroups.users.list": t2, MethodGroups: t2, MethodTeams: t2, MethodUsers: t2, MethodUpload: t4, MethodComplete: t4,
		"reactions.add": t3, "reactions.remove": t2, "chat.postEphemeral": t4,
		"assistant.threads.setTitle": t3, "assistant.threads.setSuggestedPrompts": t3, "views.open": t4, MethodHome: t4,
	}
}

// minute is the window of a tier, a second longer for the way to Slack.
const minute = 61 * time.Second

// strictFor is how long a method that Slack has limited is kept below its tier.
const strictFor = 10 * time.Minute

// othersShare divides what drafts may use of a method that Slack has limited.
const othersShare = 3

// budget counts the calls of the last minute.
type budget struct {
	now func() time.Time

	mu     sync.Mutex
	tiers  map[string]tier
	calls  map[string][]time.Time
	strict map[string]time.Time // by method: until when its tier holds for every call
}

func newBudget(now func() time.Time) *budget {
	return &budget{now: now, tiers: tiers(), calls: map[string][]time.Time{}, strict: map[string]time.Time{}}
}

// limited notes that Slack answered 429 to a call of method.
func (b *budget) limited(method string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.strict[method] = b.now().Add(strictFor)
}

// isStrict reports whether Slack limited the method a short while ago.
func (b *budget) isStrict(method string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now().Before(b.strict[method])
}

// take counts a call of method, or says how long to wait for the next one.
func (b *budget) take(method string, urgent bool) time.Duration {
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
			most /= othersShare // whoever else calls for this workspace, such as another replica, needs some too
		}
	}
	if len(calls) < most || urgent && !now.Before(b.strict[method]) {
		b.calls[method] = append(calls, now)
		return 0
	}
	return calls[len(calls)-most].Add(minute).Sub(now)
}

// giveBack takes back the newest call of method, which was not made.
func (b *budget) giveBack(method string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.calls[method]); n > 0 {
		b.calls[method] = b.calls[method][:n-1]
	}
}

// bucket is what all replicas together may call of a tier, most or drafts of it
// in a minute. It holds half of them, so that a full one and what flows in
// meanwhile are not more than Slack takes in any minute.
func bucket(n int) bot.Rate {
	burst := max(1, n/2)
	return bot.Rate{PerSecond: float64(n-burst) / minute.Seconds(), Burst: burst}
}

// Recent leaves out what is older than a minute; calls are in order.
func Recent(calls []time.Time, now time.Time) []time.Time {
	n := 0
	for n < len(calls) && now.Sub(calls[n]) >= minute {
		n++
	}
	return append(calls[:0:0], calls[n:]...)
}

// Shares divides what drafts may use of a method among the replies that grow
// with it, so that none of them starves and none bursts.
type Shares struct {
	now    func() time.Time
	least  time.Duration // between two drafts of one reply
	drafts int           // a minute, of all replies

	mu   sync.Mutex
	last map[string]time.Time // by reply: its last draft
}

// NewShares divides what drafts may use of a method.
func NewShares(c Config, method string) *Shares {
	return &Shares{now: c.Now, least: c.EditEvery, drafts: tiers()[method].drafts, last: map[string]time.Time{}}
}

const idleShare = 30 * time.Second // a reply without drafts for so long has no share

// Due reports whether the reply may show a draft now, which then counts.
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

// Done gives a reply's share back.
func (s *Shares) Done(reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.last, reply)
}
