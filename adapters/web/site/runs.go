package site

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/overview"
)

// Runs lists runs. ListRuns omits the private conversations of others; for people without operator rights it
// returns only their own runs.
type Runs interface {
	ListRuns(ctx context.Context, by bot.User, from bot.Thread, q overview.RunQuery) ([]overview.Run, error)
}

// runsPerPage is the number of runs per page.
const runsPerPage = 50

// statuses are the states offered by the filter.
var statuses = []string{bot.RunDone, bot.RunWaiting, bot.RunBroken, bot.RunFailed, bot.RunStopped, bot.RunRefused}

// periods maps the filter's keys to durations.
var periods = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour}

type runsPage struct {
	base
	placeField

	Runs                         []overview.Run
	Agent, Person, Status, Since string
	Agents                       []string // suggestions, from the page
	People                       []option
	Statuses                     []string
	Older                        string // address of the next page, "" for none
	Filtered, Later              bool
}

// Periods lists the keys of the times, the shortest first.
func (runsPage) Periods() []string { return []string{"hour", "day", "week", "month"} }

// StatusWord names a state of a run.
func (p runsPage) StatusWord(s string) string { return p.T("trace.status." + s) }

// PeriodWord names a time.
func (p runsPage) PeriodWord(s string) string { return p.T("runs.since." + s) }

func (s *Site) runs(w http.ResponseWriter, r *http.Request, d Runs) {
	f := r.URL.Query()
	p := runsPage{
		base: s.base(r), Statuses: statuses, Agent: f.Get("agent"), Person: strings.TrimSpace(f.Get("person")), Status: f.Get("status"), Since: f.Get("since"),
	}
	p.placeField = s.placeField(r, &p.base, f.Get("place"))
	q := overview.RunQuery{Agent: p.Agent, Status: p.Status, Limit: runsPerPage + 1, Before: cursor(f.Get("before"))}
	q.Team, q.Channel = placed(p.Key)
	who := p.Person
	var err error
	if d, ok := s.desk.(Names); ok {
		who, err = d.PersonID(r.Context(), p.User, who)
	}
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	if team, user := placed(who); user != "" {
		q.User = user
		q.Team = cmp.Or(q.Team, team)
	}
	if d, ok := periods[p.Since]; ok {
		q.From = p.now.Add(-d)
	}
	list, err := d.ListRuns(r.Context(), p.User, p.Thread, q)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	if len(list) > runsPerPage {
		list = list[:runsPerPage]
		last := list[runsPerPage-1]
		f.Set("place", p.Key) // whatever its name is by then
		f.Set("person", who)
		p.Older = "/runs?" + with(f, "before", strconv.FormatInt(last.Started.UnixMicro(), 10)+"_"+last.ID)
	}
	p.Runs, p.Later = list, f.Get("before") != ""
	p.Filtered = p.Agent+p.Place+p.Person+p.Status+p.Since != ""
	p.suggestFilters(who)
	suggest(s, r, &p.base, &p.placeField, keysOf(list, func(one overview.Run) string { return placeKey(one.Thread) })...)
	s.show(w, r, "runs", p.T("runs"), p)
}

// suggestFilters collects the agents and people of the page for the filters. The person of the filter is shown by name.
func (p *runsPage) suggestFilters(who string) {
	people := map[string]string{}
	for _, one := range p.Runs {
		p.Agents = append(p.Agents, one.Agent)
		people[one.User] = p.PersonWord(one.Thread, one.User, one.Name)
	}
	slices.Sort(p.Agents)
	p.Agents = slices.Compact(p.Agents)
	keys := slices.Sorted(maps.Keys(people))
	p.People = options(keys, func(key string) string { return people[key] })
	if i := slices.Index(keys, who); i >= 0 {
		p.Person = p.People[i].Value
	}
}

// placed splits a filter such as "slack/T1/C1", "slack/T1" or "C1" into a team's key and an ID within.
func placed(s string) (team, id string) {
	s = strings.TrimSpace(s)
	parts := strings.Split(s, "/")
	switch {
	case len(parts) >= 3:
		return parts[0] + "/" + parts[1], bot.Unesc(parts[2])
	case len(parts) == 2:
		return s, ""
	}
	return "", s
}

// cursor reads the position of a page's last run.
func cursor(s string) overview.Cursor {
	at, id, ok := strings.Cut(s, "_")
	n, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil {
		return overview.Cursor{}
	}
	return overview.Cursor{Started: time.UnixMicro(n), ID: id}
}

// with returns a query with one value replaced.
func with(f url.Values, key, value string) string {
	out := url.Values{}
	for k, v := range f {
		if len(v) > 0 && v[0] != "" {
			out.Set(k, v[0])
		}
	}
	out.Set(key, value)
	return out.Encode()
}
