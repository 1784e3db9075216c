package bot

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"maru/agent"
)

// Errors of the record.
var (
	// ErrFenced says that the lease was taken over: whatever was to be written
	// was not, and the holder must stop work on the thread.
	ErrFenced = errors.New("bot: the lease was taken over")
	// ErrNotFound says that there is no such row.
	ErrNotFound = errors.New("bot: not found")
	// ErrDecided says that an approval is no longer pending.
	ErrDecided = errors.New("bot: already decided")
)

// ItemKind says what an inbox item asks for.
type ItemKind string

// The kinds of items.
const (
	ItemMessage ItemKind = "message" // Body is a Message
	ItemResume  ItemKind = "resume"  // Body is a Resume: a decision to go on with
	ItemChange  ItemKind = "change"  // Body is a Change
	ItemExpire  ItemKind = "expire"  // what is old in the thread goes: see Ages
)

// Item is one entry of a thread's inbox.
type Item struct {
	ID       string // what it is, the key of deduplication: Message.Key for a message
	Thread   string // Thread.Key
	Kind     ItemKind
	Order    string // items of a thread are worked on by length of Order, then Order, then arrival
	Body     json.RawMessage
	At       time.Time // arrival, by the store's clock if zero
	Attempts int       // how often it was handed out before
	Entry    *Entry    // transcript entry committed together with the item

	// Unasked is set by a store that handed the item out and saw that no question
	// waits in its thread. While the lease lasts none can come: only the thread's
	// run asks.
	Unasked bool
}

// Lease is the right to work on a thread. Token grows with every lease of the
// thread and over all threads; a write with an older token is refused.
type Lease struct {
	Thread string
	Owner  string
	Token  int64
	Until  time.Time // by the store's clock
}

// Inbox is the durable queue of events, and the leases on its threads.
//
// Put commits an item (with its transcript entry and the thread's row) and
// reports false when an item with that ID was put before, done or not. Items
// stay known for at least a day after they are done.
//
// Claim leases a thread that has pending items and no live lease: the named one,
// or with thread "" the one whose item waits longest. ok is false if there is
// none. An item with Attempts above the bot's bound is the bot's to bury.
// Renew prolongs a lease, Release ends it; both return ErrFenced for a lease
// that was taken over. A released lease may be claimed at once.
//
// Next returns the first pending item of the leased thread and counts an
// attempt; ok is false when nothing is pending, and the lease has then ended in
// the same transaction: what is put later finds the thread free. Take is Claim
// of a named thread and Next at once; with ok the lease is had, and an item
// without an ID says that Next must be asked. Finish marks an item done or dead and
// commits outcome with it in one transaction, if the lease still holds.
//
// Pending returns how many items wait and since when the oldest does.
type Inbox interface {
	Put(ctx context.Context, it Item) (bool, error)
	Claim(ctx context.Context, thread, owner string, ttl time.Duration) (l Lease, ok bool, err error)
	Renew(ctx context.Context, l Lease, ttl time.Duration) (Lease, error)
	Release(ctx context.Context, l Lease) error
	Next(ctx context.Context, l Lease) (it Item, ok bool, err error)
	Take(ctx context.Context, thread, owner string, ttl time.Duration) (l Lease, it Item, ok bool, err error)
	Finish(ctx context.Context, l Lease, item string, out Outcome) error
	Pending(ctx context.Context) (n int, oldest time.Time, err error)
}

// Outcome is how work on an item ended.
type Outcome struct {
	Dead  bool       // given up: it failed too often
	Why   string     // for Dead, for the log
	Reply *Reply     // the reply in its final form
	Entry *Entry     // transcript entry of the reply
	Title string     // new title of the thread, "" to leave it
	Jobs  []Job      // work that follows and delays nobody
	Files []Artifact // what the run made, to be offered in the thread

	// Withdraw are approvals of the thread that are revoked with it, where they
	// still wait: nobody is left to be told of their decision.
	Withdraw []string
}

// Job is work in the background. ID says what it is: a second one with the same
// ID while the first is there is no second job.
type Job struct {
	ID       string
	Kind     string
	Person   string // whom it concerns, as agent.User.ID
	Body     json.RawMessage
	At       time.Time // due from then on; now, by the store's clock, if zero
	Attempts int       // how often it was handed out before
}

// Jobs is the durable queue of background work, committed with the outcomes it
// follows from. A job is done at least once, so it must be in effect once by
// itself.
//
// ClaimJob hands out a job that is due, the one that waits longest first, and
// hides it for ttl; whoever dies with it leaves it to others then. ok is false
// if none is due. EndJob removes it, DelayJob hides it for longer, BuryJob keeps
// its row, without the body, as one that failed too often. All three do nothing
// for a job that is gone. PendingJobs counts those that wait, hidden or not, and
// tells since when the oldest does. DropJobs removes a person's jobs.
type Jobs interface {
	ClaimJob(ctx context.Context, ttl time.Duration) (j Job, ok bool, err error)
	EndJob(ctx context.Context, id string) error
	DelayJob(ctx context.Context, id string, by time.Duration) error
	BuryJob(ctx context.Context, id, why string) error
	PendingJobs(ctx context.Context) (n int, oldest time.Time, err error)
	DropJobs(ctx context.Context, person string) (int, error)
}

// Reply is the one answer to an item: found by Run, it is opened before the
// first post and points to the platform's message from the moment it exists.
type Reply struct {
	Run    string
	Thread string
	Item   string
	Ref    Ref
	State  ReplyState
	Card   json.RawMessage // the last card, as Card
	At     time.Time       // opened
	First  bool            // set by Open: nothing else was answered in the thread
}

// ReplyState is how far a reply is.
type ReplyState string

// The states of a reply.
const (
	ReplyOpen   ReplyState = "open"   // may have been posted, not final
	ReplyFinal  ReplyState = "final"  // shows its final card
	ReplyFailed ReplyState = "failed" // could not be delivered; Card says what was to be shown
)

// Replies keeps replies. Open returns the reply of that run if there is one,
// else creates it; created tells which. SetRef stores where it was posted. Both
// are fenced. ReplyAt finds a reply by one of its messages; OpenReplies lists
// those not final, oldest first, for the sweep at start.
type Replies interface {
	Open(ctx context.Context, l Lease, r Reply) (stored Reply, created bool, err error)
	SetRef(ctx context.Context, l Lease, run string, ref Ref) error
	Reply(ctx context.Context, run string) (Reply, error)
	ReplyAt(ctx context.Context, platform, channel, message string) (Reply, error)
	OpenReplies(ctx context.Context, platform string, limit int) ([]Reply, error)
}

// Entry is one message of a thread's transcript, the full text that stays when
// the window has moved on.
type Entry struct {
	ID      string          `json:"id"` // message key, or run id for a reply
	Thread  string          `json:"thread"`
	Own     bool            `json:"own"`    // written by the bot
	Author  string          `json:"author"` // display name
	User    string          `json:"user"`   // platform id
	Text    string          `json:"text"`
	Run     string          `json:"run,omitempty"`
	Sources json.RawMessage `json:"sources,omitempty"` // []Source
	At      time.Time       `json:"at"`
	Deleted bool            `json:"deleted,omitempty"` // Text is then empty
}

// ThreadInfo is a row of the list of threads.
type ThreadInfo struct {
	Thread  Thread
	Title   string
	Created time.Time
	Updated time.Time
}

// Transcripts reads and amends what was said.
//
// Known reports whether the bot takes part in a thread. Threads lists the
// threads of a place (platform, team, channel), newest first. Transcript
// returns the last limit entries, oldest first, Entry one as it is now. Amend changes the text of an
// entry or, when deleted, empties it. Forget removes a thread with everything
// that belongs to it: entries, items, replies, runs, approvals.
type Transcripts interface {
	Known(ctx context.Context, thread string) (bool, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]ThreadInfo, error)
	Transcript(ctx context.Context, thread string, limit int) ([]Entry, error)
	Entry(ctx context.Context, thread, id string) (Entry, error)
	Amend(ctx context.Context, thread, id, text string, deleted bool) error
	Forget(ctx context.Context, thread string) error
}

// ThreadWith is a thread in which somebody took part.
type ThreadWith struct {
	Thread Thread
	Alone  bool // nobody else did, but for the bot and people who were forgotten
}

// Withdrawal is what is gone of a person from one thread.
type Withdrawal struct {
	Messages  []string // ids of their entries
	Answers   int      // the bot's, to them
	Runs      int
	Approvals int
	Ratings   int
	Newest    bool // the thread's last turn was theirs
}

// Persons lets people be forgotten. user is the platform's id.
//
// TeamsWith lists the workspaces of a platform in which anything is kept of a
// user's id, but for the wish that nothing be remembered. ThreadsWith lists the threads of a workspace in which a person
// wrote, asked or rated. Withdraw removes what is theirs from a thread as if they had never
// been there: entries stay, empty and without a name, so that a late copy does
// not bring them back; the answers to them are emptied; their waiting items end;
// their runs go with replies, approvals and ratings; the title goes if it was
// made of their words. Whoever works on the thread loses the lease, and what
// others wait for is worked on anew. A second call finds nothing.
//
// Unname takes a person's name from what is kept of them as sums: usage counts
// to nobody, and notes about them (keys that end with "/team/user") go. It
// returns how many rows changed. Scrub leaves nothing of what was removed in
// the store's files, where that is up to the program.
type Persons interface {
	TeamsWith(ctx context.Context, platform, user string) ([]string, error)
	ThreadsWith(ctx context.Context, platform, team, user string) ([]ThreadWith, error)
	Withdraw(ctx context.Context, thread, user string) (Withdrawal, error)
	Unname(ctx context.Context, platform, team, user string) (int, error)
	Scrub(ctx context.Context) error
}

// Run is the stored trace of a run.
type Run struct {
	ID      string          `json:"id"`
	Thread  string          `json:"thread"`
	Agent   string          `json:"agent"`
	User    string          `json:"user"`
	Status  string          `json:"status"` // "done", "waiting", "stopped" or RunFailed
	Started time.Time       `json:"started"`
	Ended   time.Time       `json:"ended"`
	Usage   json.RawMessage `json:"usage"` // agent.Usage
	Trace   json.RawMessage `json:"trace"` // []agent.Event without tokens
	Day     string          `json:"-"`     // "2026-11-21", to which its usage counts; "" for none
}

// RunFailed is the status of a run that ended without an answer.
const RunFailed = "failed"

// Runs keeps traces. SaveRun replaces the run with the same ID.
type Runs interface {
	SaveRun(ctx context.Context, r Run) error
	RunByID(ctx context.Context, id string) (Run, error)
	RunsOf(ctx context.Context, thread string, limit int) ([]Run, error)
}

// Used is what the runs of a day cost in one channel, for one person and agent.
type Used struct {
	Day     string        `json:"day"`     // "2026-11-21", in the program's time zone
	Team    string        `json:"team"`    // "slack/T1"
	Channel string        `json:"channel"` // the platform's id, "" where there is none
	User    string        `json:"user"`    // platform id
	Agent   string        `json:"agent"`
	Runs    int           `json:"runs"`
	Failed  int           `json:"failed"`
	Took    time.Duration `json:"took"`
	agent.Usage
}

// UsageQuery chooses what is summed; an empty field chooses all.
type UsageQuery struct {
	Team, Channel, User string
	From, To            string // days, both included
}

// Usages sums what runs cost. SaveRun counts a run once, however often it is
// saved: what it cost more than when it was saved before is added. Usage lists
// the sums, by day, channel, person and agent in this order.
type Usages interface {
	Usage(ctx context.Context, q UsageQuery) ([]Used, error)
}

// Approval is a pending or decided question to people. Buttons carry only its
// ID.
type Approval struct {
	ID        string // opaque, random
	Kind      string // "files", "clarification", "plan", "step", …
	Thread    string
	Run       string
	Interrupt string
	Digest    string          // SHA-256 of exactly what was shown
	Payload   json.RawMessage // what will happen
	Allowed   []string        // who may decide, see Electorate; empty: nobody
	Needs     int             // how many people must agree; 0 means one
	Agreed    []Agreement     // those who have, while more are needed
	Ref       Ref             // the message that carries the buttons, once posted
	State     ApprovalState
	Decision  json.RawMessage // set by Decide
	By        string          // who decided
	Created   time.Time
	Expires   time.Time
	Due       time.Time // when the bot looks after it next while it is pending, zero: never
	Decided   time.Time
}

// Agreement is what one of several people has decided.
type Agreement struct {
	By       string          `json:"by"`
	Key      string          `json:"key"` // agreements with one key are about the same
	Decision json.RawMessage `json:"decision"`
	At       time.Time       `json:"at"`
}

// Vote is a person's decision on an approval.
type Vote struct {
	Approval string
	By       string
	Decision json.RawMessage
	Key      string // what it is about: people agree whose votes have the same key
	Alone    bool   // it counts without others, such as a refusal
	Follow   *Item  // committed with the decision
}

// Vote applies a vote to the approval as it is at that moment. It returns
// ErrDecided when the approval is not pending any more, or its time is over, of
// which State tells. The approval is decided when it needs nobody else; until
// then a person's newer vote replaces their older one.
func (a *Approval) Vote(v Vote, now time.Time) error {
	if a.State != ApprovalPending {
		return ErrDecided
	}
	if !a.Expires.IsZero() && !now.Before(a.Expires) {
		a.State = ApprovalExpired
		return ErrDecided
	}
	agreed := 1
	var all []Agreement
	for _, g := range a.Agreed {
		if g.By == v.By {
			continue
		}
		all = append(all, g)
		if g.Key == v.Key {
			agreed++
		}
	}
	a.Agreed = append(all, Agreement{By: v.By, Key: v.Key, Decision: v.Decision, At: now})
	if v.Alone || agreed >= a.Needs {
		a.State, a.By, a.Decision, a.Decided = ApprovalDecided, v.By, v.Decision, now
	}
	return nil
}

// ApprovalState is the state of an approval.
type ApprovalState string

// The states of an approval; all but the first are final.
const (
	ApprovalPending ApprovalState = "pending"
	ApprovalDecided ApprovalState = "decided"
	ApprovalExpired ApprovalState = "expired"
	ApprovalRevoked ApprovalState = "revoked"
)

// Approvals keeps approvals.
//
// Decide applies a vote by Approval.Vote, as one compare-and-set by the store's
// clock: of many at once exactly one decides. A deciding vote is committed
// together with what follows. ErrDecided comes with the row as it is; an overdue
// one is shown as expired and stays pending until CloseApproval.
//
// CloseApproval expires or revokes a pending approval and commits what follows;
// one that is so already stays so, one that is otherwise final is ErrDecided.
//
// PostedApproval stores which message carries the buttons and when to look
// after the approval next. DueApprovals lists the pending ones that are due,
// the longest first. PostponeApproval moves Due from one moment to another and
// reports whether it was still there: of several replicas one is told yes.
// PendingApprovals lists a thread's pending ones, oldest first, with thread ""
// those of all; RunApprovals all of a run's, oldest first.
type Approvals interface {
	CreateApproval(ctx context.Context, l Lease, a Approval) error
	ApprovalByID(ctx context.Context, id string) (Approval, error)
	PostedApproval(ctx context.Context, id string, ref Ref, due time.Time) error
	Decide(ctx context.Context, v Vote) (Approval, error)
	CloseApproval(ctx context.Context, id string, state ApprovalState, follow *Item) error
	DueApprovals(ctx context.Context, limit int) ([]Approval, error)
	PostponeApproval(ctx context.Context, id string, from, to time.Time) (bool, error)
	PendingApprovals(ctx context.Context, thread string, limit int) ([]Approval, error)
	RunApprovals(ctx context.Context, thread, run string, limit int) ([]Approval, error)
}

// Ratings keeps what people thought of answers. Rate stores a person's vote on
// a run's answer, +1 or -1, which replaces their older one, or takes it back
// with 0; it returns how many there are of each.
type Ratings interface {
	Rate(ctx context.Context, thread, run, who string, vote int) (up, down int, err error)
}

// Artifact is a file that a run made.
type Artifact struct {
	Run    string `json:"run"`
	N      int    `json:"n"` // among the run's files, from 0
	Thread string `json:"-"` // Thread.Key
	Name   string `json:"name"`
	MIME   string `json:"mime,omitempty"`
	Size   int64  `json:"size"` // bytes
	Data   []byte `json:"-"`
}

// Artifacts keeps the files that runs made; they are committed with an Outcome
// and forgotten with their thread. Artifacts lists those of a thread, or with run
// not "" of one of its runs, without their bytes; Artifact returns one with them.
type Artifacts interface {
	Artifacts(ctx context.Context, thread, run string) ([]Artifact, error)
	Artifact(ctx context.Context, run string, n int) (Artifact, error)
}

// Keeping tells which threads have rested: Rested lists those without work that
// were used since they were last kept, and not since before. Kept marks one.
type Keeping interface {
	Rested(ctx context.Context, before time.Time, limit int) ([]string, error)
	Kept(ctx context.Context, thread string) error
}

// Stopper is implemented by records shared by several replicas. Working reports
// whether somebody has a live lease of a thread. AskStop marks such a lease,
// wakes its owner, and reports whether there was one. TakeStops returns the
// threads of an owner that are marked, with why, once; a mark is for the lease
// it was made on and no later one.
type Stopper interface {
	Working(ctx context.Context, thread string) (bool, error)
	AskStop(ctx context.Context, thread, why string) (bool, error)
	TakeStops(ctx context.Context, owner string) (map[string]string, error)
}

// Setting is one value set by somebody for a place.
type Setting struct {
	Place string // "", "slack/T1", "slack/T1/C1", a thread key, or "user:slack/T1/U1"
	Key   string
	Value json.RawMessage // nil removes it
	By    string
	At    time.Time
}

// Settings keeps values by place. Set commits value and audit entry together.
type Settings interface {
	SettingsOf(ctx context.Context, places []string) ([]Setting, error)
	SetSetting(ctx context.Context, s Setting) error
}

// AuditEntry is one line of the append-only audit log. Hash chains it to the
// one before: SHA-256 of the previous hash and the canonical JSON of the rest.
type AuditEntry struct {
	Seq    int64           `json:"seq"`
	At     time.Time       `json:"at"`
	Team   string          `json:"team"` // "slack/T1"
	Who    string          `json:"who"`
	What   string          `json:"what"` // "setting.set", "document.add", …
	Detail json.RawMessage `json:"detail,omitempty"`
	Prev   string          `json:"prev"`
	Hash   string          `json:"hash"`
}

// Audits keeps the audit log. AppendAudit fills Seq, At (if zero), Prev and
// Hash. AuditLog lists the entries of a team after a Seq, oldest first; AuditTail
// its newest, newest first; AuditTeams the teams that have any.
type Audits interface {
	AppendAudit(ctx context.Context, e AuditEntry) (AuditEntry, error)
	AuditLog(ctx context.Context, team string, after int64, limit int) ([]AuditEntry, error)
	AuditTail(ctx context.Context, team string, limit int) ([]AuditEntry, error)
	AuditTeams(ctx context.Context) ([]string, error)
}

// Record is the place where nothing is lost: PostgreSQL or one SQLite file.
// memory/memtest has the suite that both pass.
type Record interface {
	Inbox
	Replies
	Transcripts
	Persons
	Runs
	Usages
	Approvals
	Ratings
	Artifacts
	Keeping
	Ages
	Settings
	Audits
	Installations
	Jobs
	Notes
	// Ping reports whether the record can commit, for /readyz.
	Ping(ctx context.Context) error
	Close() error
}
