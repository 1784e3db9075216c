package site

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"maru/bot"
)

// Audit shows the audit log.
//
// AuditTeams lists the workspaces with entries. AuditEntries lists the newest entries of one that match a filter,
// newest first. Prove verifies its whole chain; it returns the finding as a sentence, and whole is true for an
// intact chain.
type Audit interface {
	AuditTeams(ctx context.Context, by bot.User) ([]string, error)
	AuditEntries(ctx context.Context, by bot.User, from bot.Thread, f AuditFilter) ([]AuditEntry, error)
	Prove(ctx context.Context, by bot.User, team string) (sentence string, whole bool, err error)
}

// AuditFilter chooses entries; an empty field chooses all.
type AuditFilter struct {
	Team, Who, What, Words string
	Since                  time.Time
}

// AuditEntry is an entry of the log. What and Detail are as stored; Words says the same as a sentence about Who, ""
// for an action without words. ID is who acted as stored.
type AuditEntry struct {
	Seq          int64
	At           time.Time
	Who, Words   string
	ID           string
	What, Detail string
	Hash         string
}

type auditPage struct {
	base

	Teams    []string
	F        AuditFilter
	Since    string
	Entries  []AuditEntry
	Actions  []string // suggestions for the filter
	Pager    pager
	Sentence string
	Whole    bool
}

// Periods lists the keys of the times, the shortest first.
func (auditPage) Periods() []string { return []string{"hour", "day", "week", "month"} }

// PeriodWord names a time.
func (p auditPage) PeriodWord(s string) string { return p.T("runs.since." + s) }

func (s *Site) audit(w http.ResponseWriter, r *http.Request, d Audit) {
	q := r.URL.Query()
	p := auditPage{base: s.base(r), Since: q.Get("since"), F: AuditFilter{
		Team: q.Get("team"), Who: strings.TrimSpace(q.Get("who")), What: strings.TrimSpace(q.Get("what")), Words: strings.TrimSpace(q.Get("words")),
	}}
	if ago, ok := periods[p.Since]; ok {
		p.F.Since = p.now.Add(-ago)
	}
	err := s.readAudit(r, d, &p)
	if err == nil && q.Has("verify") {
		p.Sentence, p.Whole, err = d.Prove(r.Context(), p.User, p.F.Team)
	}
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.show(w, r, "audit", p.T("audit"), p)
}

func (s *Site) readAudit(r *http.Request, d Audit, p *auditPage) (err error) {
	if p.Teams, err = d.AuditTeams(r.Context(), p.User); err != nil || len(p.Teams) == 0 {
		return err
	}
	if p.F.Team == "" {
		p.F.Team = p.Teams[0]
	}
	s.name(r, &p.base, p.Teams...)
	all, err := d.AuditEntries(r.Context(), p.User, p.Thread, p.F)
	var from, to int
	p.Pager, from, to = paged(r, len(all), perPage)
	p.Entries = all[from:to]
	for _, e := range all {
		p.Actions = append(p.Actions, e.What)
	}
	slices.Sort(p.Actions)
	p.Actions = slices.Compact(p.Actions)
	return err
}
