package site

import (
	"context"
	"net/http"
	"time"

	"maru/bot"
)

// Sources are the sources that are kept in sync.
//
// ListSources returns, for operators, those of all channels except private ones of others, and for everybody else
// those whose documents they can read. ChangeSource carries out an action of "/maru sources" and returns the message for the person.
type Sources interface {
	ListSources(ctx context.Context, by bot.User, from bot.Thread) ([]Source, error)
	ChangeSource(ctx context.Context, by bot.User, from bot.Thread, c SourceChange) (said string, err error)
}

// SourceChange is an action of "/maru sources".
type SourceChange struct {
	Do   string // "sync", "retry", "pause", "resume", "remove" or "add"
	Name string // for all but "add"

	Address, Readers string // of the website that is added; Readers is one of sourceReaders
	Place            string // where it is added, by operators: a workspace or a channel such as "slack/T1/C1", "" for the console
}

// sourceReaders are the audiences of a new source's documents, as "/maru sources add" calls them.
var sourceReaders = []string{"channel", "workspace", "public"}

// The states of a source.
const (
	SourceDone     = "done"
	SourceListing  = "listing"
	SourceFetching = "fetching"
	SourceFailing  = "failing"
	SourcePaused   = "paused"
	SourceRemoving = "removing"
	SourceLeft     = "left" // it is no longer in the configuration file
)

// Source is a source with its progress.
type Source struct {
	Name, Kind, Where string
	Scope             string // readers of its documents
	State             string // one of the states
	Why               string // why it cannot be read
	Documents         int
	Pending           int
	Unread            int      // items that could not be read
	Parked            int      // of these, at which processes died: they wait until they change or somebody retries them
	Problems          []string // why, of the first
	Limited           int      // the most items it may have, if it has more; 0: it has not
	Next, Done        time.Time
	By                string // who added it, "" for the configuration file
	File              bool
}

type sourcesPage struct {
	base
	placeField

	List    []Source
	Pager   pager
	Said    string
	Changes bool // the visitor may change sources
}

// sourcesPerPage is the number of sources per page.
const sourcesPerPage = 50

// Readers lists the audiences that the visitor may choose for a new source.
func (p sourcesPage) Readers() []string {
	if p.User.Operator {
		return sourceReaders
	}
	return sourceReaders[:2]
}

// ReadersWord names readers.
func (p sourcesPage) ReadersWord(s string) string {
	return map[string]string{"channel": p.T("scope.channel"), "workspace": p.T("scope.team"), "public": p.T("scope.public")}[s]
}

// KindWord names a kind of source.
func (p sourcesPage) KindWord(kind string) string {
	switch kind {
	case "website":
		return p.T("sources.kind.website")
	case "github":
		return p.T("sources.kind.github")
	case "git":
		return p.T("sources.kind.git")
	}
	if name, ok := map[string]string{"confluence": "Confluence", "notion": "Notion", "drive": "Google Drive"}[kind]; ok {
		return name
	}
	return kind // a protocol's name
}

// StateWord names a state.
func (p sourcesPage) StateWord(state string) string {
	return map[string]string{
		SourceDone: p.T("sources.state.done"), SourceListing: p.T("sources.state.listing"), SourceFetching: p.T("sources.state.fetching"),
		SourceFailing: p.T("sources.state.failing"), SourcePaused: p.T("sources.state.paused"), SourceRemoving: p.T("sources.state.removing"),
		SourceLeft: p.T("sources.state.left"),
	}[state]
}

func (s *Site) sources(w http.ResponseWriter, r *http.Request, d Sources, said string) {
	p := sourcesPage{base: s.base(r), Said: said}
	p.Changes = p.User.Operator || p.User.Admin
	list, err := d.ListSources(r.Context(), p.User, p.Thread)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	var from, to int
	p.Pager, from, to = paged(r, len(list), sourcesPerPage)
	p.List = list[from:to]
	p.placeField = s.placeField(r, &p.base, "", keysOf(p.List, func(one Source) string { return placeOfScope(one.Scope) })...)
	s.show(w, r, "sources", p.T("sources"), p)
}

// changeSource handles the page's forms; sending one again changes nothing.
func (s *Site) changeSource(w http.ResponseWriter, r *http.Request, d Sources) {
	v := s.base(r)
	at := s.placeField(r, &v, r.PostFormValue("place"))
	if at.Late {
		s.sources(w, r, d, v.T("place.late"))
		return
	}
	said, err := d.ChangeSource(r.Context(), v.User, v.Thread, SourceChange{
		Do: r.PostFormValue("do"), Name: r.PostFormValue("name"),
		Address: r.PostFormValue("address"), Readers: r.PostFormValue("readers"), Place: at.Key,
	})
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.sources(w, r, d, plainly(said))
}
