package bot

import (
	"context"
	"encoding/json"
	"time"
)

// Approval is a pending or decided question to people. Buttons carry only its ID.
type Approval struct {
	ID        string // opaque, random
	Kind      string // "files", "clarification", "plan", "step", …
	Thread    string
	Run       string
	Interrupt string
	Digest    string          // SHA-256 of the card's content
	Payload   json.RawMessage // the proposed action
	Allowed   []string        // people who may decide: the requester, then the approvers at that time; empty: nobody
	Needs     int             // how many people must agree; 0 means one
	Agreed    []Agreement     // votes for it, while more are needed
	Ref       Ref             // the message that carries the buttons, once posted
	State     ApprovalState
	Decision  json.RawMessage // set by Decide
	By        string          // who decided
	Created   time.Time
	Expires   time.Time
	Due       time.Time // next reminder or expiry while it is pending, zero: never
	Decided   time.Time
}

// Agreement is a vote of one of several people.
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
	Key      string // subject of the vote: people agree if their keys are equal
	Alone    bool   // it counts without others, such as a refusal
	Follow   *Item  // committed with the decision
}

// Vote applies a vote to the approval in its present state. It returns ErrDecided if the approval is not pending
// or has expired, as State shows. The approval is decided once enough people agree; until then a person's newer
// vote replaces their older one.
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

// Approvals stores approvals.
//
// Decide applies Approval.Vote as one compare-and-set by the store's clock: of concurrent votes
// exactly one decides. A deciding vote is committed together with its consequences. ErrDecided
// comes with the stored row; an overdue approval is returned as expired and stays pending until
// CloseApproval.
//
// CloseApproval expires or revokes a pending approval and commits the consequences. It is
// idempotent; for an approval that is final in another way it returns ErrDecided.
//
// PostedApproval stores which message carries the buttons and when the approval is next due.
// DueApprovals lists pending approvals that are due, longest overdue first. PostponeApproval
// changes Due from one time to another and reports whether the old time was still stored, so that
// one of several replicas wins. PendingApprovals lists a thread's pending approvals, oldest first.
// TeamApprovals pages through those of a workspace by TeamKey, pending or not, after the given
// one; the zero Approval starts. RunApprovals lists a run's approvals, oldest first.
type Approvals interface {
	CreateApproval(ctx context.Context, l Lease, a Approval) error
	ApprovalByID(ctx context.Context, id string) (Approval, error)
	PostedApproval(ctx context.Context, id string, ref Ref, due time.Time) error
	Decide(ctx context.Context, v Vote) (Approval, error)
	CloseApproval(ctx context.Context, id string, state ApprovalState, follow *Item) error
	DueApprovals(ctx context.Context, limit int) ([]Approval, error)
	PostponeApproval(ctx context.Context, id string, from, to time.Time) (bool, error)
	PendingApprovals(ctx context.Context, thread string, limit int) ([]Approval, error)
	TeamApprovals(ctx context.Context, team string, after Approval, limit int) ([]Approval, error)
	RunApprovals(ctx context.Context, thread, run string, limit int) ([]Approval, error)
}
