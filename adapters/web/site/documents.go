package site

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Documents manages the documents of all channels, for operators.
//
// AllDocuments lists them, newest first. RemoveDocuments and MoveDocuments change the selected ones and return
// their number; after an error the completed changes stay. Probe searches as a question would, in one scope or,
// with "", in all.
type Documents interface {
	AllDocuments(ctx context.Context, by bot.User, from bot.Thread) ([]Document, error)
	RemoveDocuments(ctx context.Context, by bot.User, from bot.Thread, list []Chosen) (int, error)
	MoveDocuments(ctx context.Context, by bot.User, from bot.Thread, list []Chosen, to string) (int, error)
	Probe(ctx context.Context, by bot.User, from bot.Thread, text, scope string) ([]Probed, error)
}

// Document is a document with its readers.
type Document struct {
	bot.DocumentInfo

	Scope string
}

// Chosen names a document.
type Chosen struct{ Scope, ID string }

// Probed is a search result. A rank is 1 for the best, 0 if the passage was not found.
type Probed struct {
	Chunk, Title, Heading, Text, Scope string
	Page                               int
	Rank                               int     // by keywords and vectors together
	Sure                               float64 // 0 to 1: that the passage is about the question; many may reach 1
	KeywordRank                        int
	KeywordScore                       float64 // orders the passages of one search; 0 if the index tells none
	Below                              bool    // less sure than an answer needs
}

// Percent is Sure for people.
func (p Probed) Percent() string { return Percent(p.Sure) }

// Percent formats how sure a passage is, 0 to 1.
func Percent(sure float64) string { return strconv.Itoa(int(math.Round(100*sure))) + "%" }

// perPage is the number of documents per page.
const perPage = 100

// library is the data of the list of documents.
type library struct {
	base

	Documents  []Document
	Total, All int
	Query      string
	Tag, Scope string
	Scopes     []string
	Pager      pager
	Manage     bool // several can be chosen, removed and moved
	Rehearses  bool // their removal can be rehearsed
	Detail     func(bot.DocumentInfo) string
	Said       string
	Problem    string
}

// pager leads through the pages of a list.
type pager struct {
	Page, Pages    int
	Earlier, Later string
}

// paged returns the pager of n rows by per, and the bounds of the page's rows.
func paged(r *http.Request, n, per int) (p pager, from, to int) {
	return pagedBy(r.URL.Path, r.URL.Query(), n, per)
}

// pagedBy is [paged] by the query of a page's address.
func pagedBy(path string, q url.Values, n, per int) (p pager, from, to int) {
	p.Pages = max((n+per-1)/per, 1)
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil {
		page = 1
	}
	p.Page = min(max(page, 1), p.Pages)
	at := func(page int) string { return path + "?" + with(q, "page", strconv.Itoa(page)) }
	if p.Page > 1 {
		p.Earlier = at(p.Page - 1)
	}
	if p.Page < p.Pages {
		p.Later = at(p.Page + 1)
	}
	return p, (p.Page - 1) * per, min(p.Page*per, n)
}

// PersonWord returns the name of a member of a workspace. The console's owner is stored under a word in the language of the
// time (You, 나), which may not be the reader's.
func (b base) PersonWord(t bot.Thread, id, name string) string {
	if team := t.TeamKey(); (team == consoleTeam || team == terminalTeam) && id == "owner" {
		return b.T("owner")
	}
	return cmp.Or(name, id)
}

// Who is PersonWord as an element that shows the ID under the pointer.
func (b base) Who(t bot.Thread, id, name string) template.HTML {
	return titled(b.PersonWord(t, id, name), id)
}

// Library renders the list of documents for the console's page: all of them for people who may manage them,
// otherwise docs, those that the visitor may read. detail describes a document in one line.
func (s *Site) Library(r *http.Request, docs func() ([]bot.DocumentInfo, error), detail func(bot.DocumentInfo) string) (template.HTML, error) {
	l := library{base: s.base(r), Detail: detail}
	all, err := s.documents(r, &l, docs)
	if err != nil {
		return "", err
	}
	q := r.URL.Query()
	l.Query, l.Tag, l.Scope, l.All = strings.TrimSpace(q.Get("q")), strings.TrimSpace(q.Get("tag")), q.Get("scope"), len(all)
	if n, err := strconv.Atoi(q.Get("removed")); err == nil {
		l.Said = l.T("documents.removed") + " " + strconv.Itoa(n)
	}
	if n, err := strconv.Atoi(q.Get("moved")); err == nil {
		l.Said = l.T("documents.moved") + " " + strconv.Itoa(n)
	}
	if q.Get("none") != "" {
		l.Problem = l.T("documents.choose")
	}
	switch {
	case q.Get("taken") != "":
		l.Problem = l.T("documents.taken")
	case q.Get("synced") != "":
		l.Problem = l.T("documents.synced")
	}
	for _, d := range all {
		l.Scopes = append(l.Scopes, d.Scope)
	}
	slices.Sort(l.Scopes)
	l.Scopes = slices.DeleteFunc(slices.Compact(l.Scopes), func(s string) bool { return s == "" })
	s.name(r, &l.base, keysOf(l.Scopes, placeOfScope)...)
	all = slices.DeleteFunc(all, func(d Document) bool { return !l.holds(d) })
	var from, to int
	l.Total = len(all)
	l.Pager, from, to = paged(r, len(all), perPage)
	for _, d := range all[from:to] {
		if d.Title = oneLine(d.Title); d.Title == "" {
			d.Title = oneLine(d.Name)
		}
		l.Documents = append(l.Documents, d)
	}
	var b strings.Builder
	err = templates().ExecuteTemplate(&b, "library", l)
	return template.HTML(b.String()), err //nolint:gosec // G203: made by our own template
}

// documents loads the data of the page.
func (s *Site) documents(r *http.Request, l *library, docs func() ([]bot.DocumentInfo, error)) (all []Document, err error) {
	if d, ok := s.desk.(Documents); ok && l.User.Operator {
		l.Manage, l.Rehearses = true, has[Rehearsals](s.desk)
		return d.AllDocuments(r.Context(), l.User, l.Thread)
	}
	list, err := docs()
	for _, info := range list {
		all = append(all, Document{DocumentInfo: info})
	}
	return all, err
}

// Found formats the number of documents that match the filters.
func (l library) Found() string { return phrase.Say(l.Lang, "web.documents.total", l.Total) }

// Chooses reports whether the page has documents that can be chosen: the sample handbook's cannot.
func (l library) Chooses() bool {
	return l.Manage && slices.ContainsFunc(l.Documents, func(d Document) bool { return d.Removable })
}

// Targets returns the scopes to which documents can be moved.
func (l library) Targets() []string {
	return append([]string{bot.ScopePublic}, slices.DeleteFunc(slices.Clone(l.Scopes), func(s string) bool {
		kind, _, _ := strings.Cut(s, ":")
		return kind != "team" && kind != "channel"
	})...)
}

// holds reports whether a document matches the filters.
func (l *library) holds(d Document) bool {
	if l.Scope != "" && d.Scope != l.Scope {
		return false
	}
	is := func(tag string) bool { return strings.EqualFold(tag, strings.TrimPrefix(l.Tag, "#")) }
	if l.Tag != "" && !slices.ContainsFunc(d.Tags, is) {
		return false
	}
	for word := range strings.FieldsSeq(strings.ToLower(l.Query)) {
		if !strings.Contains(strings.ToLower(d.Title+"\n"+d.Name), word) {
			return false
		}
	}
	return true
}

// chosen reads the documents that are chosen in the list.
func chosen(r *http.Request) (list []Chosen) {
	_ = r.ParseForm() // the guard has read it
	for _, c := range r.PostForm["doc"] {
		if id, scope, ok := strings.Cut(c, "@"); ok {
			list = append(list, Chosen{Scope: scope, ID: id})
		}
	}
	return list
}

// change removes or moves the chosen documents.
func (s *Site) change(w http.ResponseWriter, r *http.Request, d Documents) {
	v := s.frame.Visitor(r)
	list := chosen(r)
	if len(list) == 0 {
		http.Redirect(w, r, "/documents?none=1", http.StatusSeeOther)
		return
	}
	var n int
	var err error
	key := "removed"
	if to := r.PostFormValue("to"); r.PostFormValue("do") == "move" {
		key = "moved"
		n, err = d.MoveDocuments(r.Context(), v.User, v.Thread, list, to)
	} else {
		n, err = d.RemoveDocuments(r.Context(), v.User, v.Thread, list)
	}
	back := url.Values{key: {strconv.Itoa(n)}}
	for name, refusal := range map[string]error{"taken": ErrTaken, "synced": ErrSynced} {
		if errors.Is(err, refusal) {
			back.Set(name, "1")
			err = nil
		}
	}
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	http.Redirect(w, r, "/documents?"+back.Encode(), http.StatusSeeOther)
}

// ErrTaken reports that the target scope already has a document of the same name.
var ErrTaken = errors.New("site: there is a document of this name already")

// ErrSynced reports that a source keeps the document in sync and would add it again at its old place.
var ErrSynced = errors.New("site: a source keeps the document in sync")

// maxProbe limits a search text, in characters.
const maxProbe = 500

type probePage struct {
	base

	Query, Scope string
	Scopes       []string
	Found        []Probed
	Sample       bool // nothing was found, and the sample handbook was left out
}

// probe is the page for trying a search.
func (s *Site) probe(w http.ResponseWriter, r *http.Request, d Documents) {
	p := probePage{base: s.base(r), Query: strings.TrimSpace(fit.Clean(r.FormValue("q"))), Scope: r.FormValue("scope")}
	all, err := d.AllDocuments(r.Context(), p.User, p.Thread)
	if err == nil && p.Query != "" && utf8.RuneCountInString(p.Query) <= maxProbe {
		p.Found, err = d.Probe(r.Context(), p.User, p.Thread, p.Query, p.Scope)
	}
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	for _, doc := range all {
		p.Scopes = append(p.Scopes, doc.Scope)
	}
	slices.Sort(p.Scopes)
	p.Scopes = slices.Compact(p.Scopes)
	s.name(r, &p.base, keysOf(p.Scopes, placeOfScope)...)
	sample := func(d Document) bool { return d.Sample }
	p.Sample = p.Scope == "" && slices.ContainsFunc(all, sample) && slices.ContainsFunc(all, func(d Document) bool { return !d.Sample })
	s.show(w, r, "search", p.T("search"), p)
}
