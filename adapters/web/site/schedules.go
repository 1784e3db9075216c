package site

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"maru/bot"
	"maru/phrase"
)

// Schedules shows schedules and reminders.
//
// ListSchedules returns, for operators, those of all channels except private ones of others, and for everybody
// else their own: active ones first, earliest due first. LastRun returns a schedule's newest run; its ID is "" if
// there is none. ChangeSchedule pauses, resumes, runs or deletes one, as "/maru schedule" does, and returns the
// message for the person; done is false if nothing changed.
type Schedules interface {
	ListSchedules(ctx context.Context, by bot.User, from bot.Thread) ([]Schedule, error)
	LastRun(ctx context.Context, s Schedule) (run, status string, err error)
	ChangeSchedule(ctx context.Context, by bot.User, from bot.Thread, id, verb string) (said string, done bool, err error)
}

// Schedule is a schedule or a reminder.
type Schedule struct {
	ID      string
	Thread  bot.Thread
	Owner   string
	Text    string
	When    string // its rule in words
	Zone    string // by which the rule is read
	Agent   string // "" for that of the channel
	Due     time.Time
	Last    time.Time
	Reminds bool
	Paused  bool
	Why     string   // why it was paused, if not by a person
	Mine    bool     // its owner is the visitor
	Runs    []string // IDs that the newest run may have
}

// schedulesPerPage is the number of schedules per page.
const schedulesPerPage = 50

// scheduleStates are the states offered by the filter.
var scheduleStates = []string{"active", "paused"}

type schedulesPage struct {
	base
	placeField

	List          []scheduleRow
	Words, Status string
	All, Found    int
	Pager         pager
	Said, Problem string
	Back          string // query of the list, to which a change returns
}

// scheduleRow is a schedule with its newest run.
type scheduleRow struct {
	Schedule

	Run, RunStatus string
}

// States lists the states of the filter.
func (schedulesPage) States() []string { return scheduleStates }

// StateWord names a state.
func (p schedulesPage) StateWord(s string) string {
	if s == "paused" {
		return p.T("schedules.state.paused")
	}
	return p.T("schedules.state.active")
}

// StatusWord names the state of a run.
func (p schedulesPage) StatusWord(s string) string { return p.T("trace.status." + s) }

// Filtered reports whether the list omits schedules.
func (p schedulesPage) Filtered() bool { return p.Words+p.Place+p.Status != "" }

// Total formats the number of schedules.
func (p schedulesPage) Total() string { return phrase.Say(p.Lang, "web.schedules.total", p.Found) }

// holds reports whether a schedule matches the filters.
func (p schedulesPage) holds(s Schedule) bool {
	if p.Status == "paused" && !s.Paused || p.Status == "active" && s.Paused {
		return false
	}
	if team, channel := placed(p.Key); p.Key != "" && (team != "" && team != s.Thread.TeamKey() || channel != "" && channel != s.Thread.Channel) {
		return false
	}
	return holdsWords(p.Words, s.Text, s.Owner, s.Agent, s.When)
}

// holdsWords reports whether texts have every word of a search.
func holdsWords(search string, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(search)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

func (s *Site) schedules(w http.ResponseWriter, r *http.Request, d Schedules, said, problem string) {
	q := r.URL.Query()
	p := schedulesPage{base: s.base(r), Words: strings.TrimSpace(q.Get("words")), Status: q.Get("status"), Said: said, Problem: problem}
	list, err := d.ListSchedules(r.Context(), p.User, p.Thread)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	p.placeField = s.placeField(r, &p.base, q.Get("place"), keysOf(list, func(one Schedule) string { return placeKey(one.Thread) })...)
	if p.Key != "" {
		q.Set("place", p.Key) // for the next pages, whatever its name is by then
	}
	var shown []Schedule
	for _, one := range list {
		if p.holds(one) {
			shown = append(shown, one)
		}
	}
	p.All, p.Found = len(list), len(shown)
	var from, to int
	p.Pager, from, to = pagedBy(r.URL.Path, q, len(shown), schedulesPerPage)
	for _, one := range shown[from:to] {
		row := scheduleRow{Schedule: one}
		if row.Run, row.RunStatus, err = d.LastRun(r.Context(), one); err != nil {
			s.frame.Fail(w, r, err)
			return
		}
		p.List = append(p.List, row)
	}
	if did := map[string]string{
		"pause": p.T("schedules.did.pause"), "resume": p.T("schedules.did.resume"), "run": p.T("schedules.did.run"), "delete": p.T("schedules.did.delete"),
	}[q.Get("did")]; did != "" {
		p.Said = did
	}
	q.Del("did")
	p.Back = q.Encode()
	s.show(w, r, "schedules", p.T("schedules"), p)
}

// changeSchedule handles the form of a button. It redirects to the list, so that reloading the page does not
// repeat the change.
func (s *Site) changeSchedule(w http.ResponseWriter, r *http.Request, d Schedules) {
	v := s.frame.Visitor(r)
	do := r.PostFormValue("do")
	said, done, err := d.ChangeSchedule(r.Context(), v.User, v.Thread, r.PostFormValue("id"), do)
	switch {
	case err != nil:
		s.frame.Fail(w, r, err)
	case !done:
		s.schedules(w, r, d, "", plainly(said))
	default:
		back, _ := url.ParseQuery(r.PostFormValue("back")) // unreadable parts are dropped
		http.Redirect(w, r, "/schedules?"+with(back, "did", do), http.StatusSeeOther)
	}
}

// plainly removes the marks of Markdown that sentences for people use.
func plainly(s string) string { return strings.NewReplacer("`", "", "**", "").Replace(s) }
