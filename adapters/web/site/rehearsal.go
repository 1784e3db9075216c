package site

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Rehearsals tries changes on recorded questions before they take effect. Every method is for operators only.
//
// DraftRehearsal stores a change and returns the ID of its rehearsal; wrong has the errors by field, and an empty
// ID means that nothing would change. ListRehearsals lists them, newest first; Rehearsal returns one with its
// report.
//
// ActOnRehearsal starts, stops or continues one, accepts or rolls back its change, or discards it; it returns the
// reason, for people, if it cannot. RehearsalQuestions returns questions of the report as lines of a question file
// of "maru eval": those with these numbers or, without any, those whose answers changed.
type Rehearsals interface {
	DraftRehearsal(ctx context.Context, by bot.User, c RehearsedChange) (id string, wrong map[string]string, err error)
	ListRehearsals(ctx context.Context, by bot.User) ([]Rehearsal, error)
	Rehearsal(ctx context.Context, by bot.User, id string) (Rehearsal, error)
	ActOnRehearsal(ctx context.Context, by bot.User, from bot.Thread, id string, do RehearsalAct, b RehearsalBounds) (of RehearsalRefusal, err error)
	RehearsalQuestions(ctx context.Context, by bot.User, id string, numbers []int) (lines []byte, err error)
}

// RehearsedChange is a change to be tried: settings of a place, a definition, removed documents, or files added to a scope.
type RehearsedChange struct {
	Kind     string // "settings", "workflow" or "documents"
	Place    SettingPlace
	Values   map[string]string
	Workflow string // ID of its page, "" for a new one
	Base     int64
	Text     string
	Gone     []Chosen
	Files    []RehearsedFile
	To       string
}

// RehearsedFile is a file that may become a document.
type RehearsedFile struct {
	Name string
	Data []byte
}

// The kinds of changes that are rehearsed.
const (
	RehearsesSettings  = "settings"
	RehearsesWorkflow  = "workflow"
	RehearsesDocuments = "documents"
)

// RehearsalBounds selects the questions of a rehearsal and limits its time and cost.
type RehearsalBounds struct {
	Channel  string // "slack/T1/C1", "" for all
	Last     int
	Cost     float64 // 0: none
	Minutes  int
	Baseline bool // asks the present configuration too
	All      bool // of a workflow: it is asked every question
}

// RehearsalAct is an action on a rehearsal.
type RehearsalAct string

// The acts.
const (
	RehearsalStart    RehearsalAct = "start" // also continues one that ended early
	RehearsalStop     RehearsalAct = "stop"
	RehearsalAccept   RehearsalAct = "accept"
	RehearsalRollBack RehearsalAct = "rollback"
	RehearsalDiscard  RehearsalAct = "discard"
)

// RehearsalRefusal is the reason why nothing was done, as the end of a catalogue key; "" on success.
type RehearsalRefusal string

// The states of a rehearsal.
const (
	RehearsalDraft    = "draft"
	RehearsalRuns     = "running"
	RehearsalEnded    = "ended" // all questions were replayed, or its limits reached
	RehearsalFailed   = "failed"
	RehearsalAccepted = "accepted"
	RehearsalRolled   = "rolled"
)

// Rehearsal is a change on trial with its results.
type Rehearsal struct {
	ID, Kind, Name, By, State, Why string // Why is "cost", "time", "stopped", "failed" or "" once it has ended
	Made                           time.Time
	Bounds                         RehearsalBounds
	Done, All, Left                int
	Spent                          float64
	Took                           time.Duration
	Priced                         bool     // models have prices, so that its cost can be bounded
	Mean                           float64  // cost of a recorded answer
	Channels                       []string // to choose from
	Changes                        []RehearsedValue
	Diff                           []DiffLine
	Undoes                         bool // its change can be rolled back once it is accepted
	Facts                          []string
	Rows                           []RehearsedRow
}

// RehearsedValue is a setting or document before and after the change.
type RehearsedValue struct{ Name, Before, After string }

// RehearsedRow is one question with its answers side by side.
type RehearsedRow struct {
	N                 int
	Run, Text, Author string
	At                time.Time
	Label             string
	Grave, Same       bool
	Remarks           []string
	Sides             []RehearsedSide
}

// RehearsedSide is one answer.
type RehearsedSide struct {
	Title, Route, Sources, Grade string
	Text                         template.HTML // by our own code, which escapes
}

// Compared returns the lines in which two texts differ, for a desk.
func Compared(before, after string) []DiffLine { return diff(before, after) }

// rehearsedPerPage is the number of questions per page.
const rehearsedPerPage = 25

// Limits of a rehearsal on the console.
const (
	maxRehearsed        = 200
	defaultRehearsed    = 50
	maxRehearsalMinutes = 120
	defaultMinutes      = 15
)

type rehearsalPage struct {
	base
	Rehearsal

	List    []Rehearsal
	Problem string
	Said    string
	Shown   []RehearsedRow
	Pager   pager
}

// StateWord names a state.
func (p rehearsalPage) StateWord(s string) string { return p.T("rehearsal.state." + s) }

// KindWord names a kind of change.
func (p rehearsalPage) KindWord(s string) string { return p.T("rehearsal.kind." + s) }

// Say formats a sentence with arguments.
func (p rehearsalPage) Say(key string, args ...any) string {
	return phrase.Say(p.Lang, "web."+key, args...)
}

// Runs reports whether it is being played.
func (p rehearsalPage) Runs() bool { return p.State == RehearsalRuns }

// Begun reports whether it was started.
func (p rehearsalPage) Begun() bool { return p.State != RehearsalDraft }

// Decided reports whether the change was accepted, and perhaps rolled back.
func (p rehearsalPage) Decided() bool {
	return p.State == RehearsalAccepted || p.State == RehearsalRolled
}

// Early reports whether it ended with questions left.
func (p rehearsalPage) Early() bool { return p.Left > 0 && !p.Runs() && !p.Decided() }

// Estimate formats the expected cost, "" if unknown.
func (p rehearsalPage) Estimate() string {
	if p.Mean <= 0 {
		return ""
	}
	return p.Say("rehearsal.estimate", money(p.Mean), defaultRehearsed, money(p.Mean*defaultRehearsed))
}

func (s *Site) rehearsing(out map[string]http.HandlerFunc) {
	d, ok := s.desk.(Rehearsals)
	if !ok {
		return
	}
	out["GET /rehearsals"] = func(w http.ResponseWriter, r *http.Request) { s.rehearsals(w, r, d) }
	out["POST /rehearsals"] = func(w http.ResponseWriter, r *http.Request) { s.draftRehearsal(w, r, d) }
	out["GET /rehearsals/{rehearsal}"] = func(w http.ResponseWriter, r *http.Request) { s.rehearsal(w, r, d, "") }
	out["POST /rehearsals/{rehearsal}"] = func(w http.ResponseWriter, r *http.Request) { s.actOnRehearsal(w, r, d) }
	out["GET /rehearsals/{rehearsal}/questions.jsonl"] = func(w http.ResponseWriter, r *http.Request) { s.rehearsalQuestions(w, r, d) }
}

func (s *Site) rehearsals(w http.ResponseWriter, r *http.Request, d Rehearsals) {
	p := rehearsalPage{base: s.base(r)}
	var err error
	if p.List, err = d.ListRehearsals(r.Context(), p.User); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	if r.URL.Query().Has("discarded") {
		p.Said = p.Say("rehearsal.discarded")
	}
	s.show(w, r, "rehearsals", p.T("rehearsals"), p)
}

// draftRehearsal handles the form of another page: a group of settings, the editor, or the selected documents.
func (s *Site) draftRehearsal(w http.ResponseWriter, r *http.Request, d Rehearsals) {
	p := rehearsalPage{base: s.base(r)}
	c := RehearsedChange{Kind: r.PostFormValue("rehearse")}
	switch c.Kind {
	case RehearsesSettings:
		var err error
		if _, c.Place, err = s.settingPlace(r); err != nil {
			s.frame.Fail(w, r, err)
			return
		}
		c.Values = settingValues(r)
	case RehearsesWorkflow:
		e := s.posted(r)
		c.Workflow, c.Base, c.Text = strings.TrimPrefix(e.Page, newWorkflow), e.Base, e.Text
	case RehearsesDocuments:
		var err error
		if c.Files, err = uploaded(r); err != nil {
			s.frame.Fail(w, r, err)
			return
		}
		c.Gone, c.To = chosen(r), r.PostFormValue("to")
	}
	id, wrong, err := d.DraftRehearsal(r.Context(), p.User, c)
	switch {
	case err != nil:
		s.frame.Fail(w, r, err)
	case len(wrong) > 0 && c.Kind == RehearsesSettings:
		set, of, err := s.settingPlace(r)
		if err != nil {
			s.frame.Fail(w, r, err)
			return
		}
		set.Problem = set.T("settings.wrong")
		s.showSettings(w, r, s.desk.(Settings), set, of, c.Values, wrong) //nolint:forcetypeassert // the form is of that page
	case len(wrong) > 0 && c.Kind == RehearsesDocuments:
		p.Problem = wrong["file"]
		s.showUnder(w, r, "unrehearsed", Page{Where: "rehearsals", Title: p.T("rehearsals"), Status: http.StatusUnprocessableEntity}, p)
	case len(wrong) > 0:
		s.showUnrehearsable(w, r, c, wrong)
	case id == "":
		p.Problem = p.Say("rehearsal.nothing." + c.Kind)
		s.showUnder(w, r, "unrehearsed", Page{Where: "rehearsals", Title: p.T("rehearsals"), Status: http.StatusUnprocessableEntity}, p)
	default:
		http.Redirect(w, r, "/rehearsals/"+url.PathEscape(id), http.StatusSeeOther)
	}
}

// uploaded reads the files of a form, which the guard has bounded.
func uploaded(r *http.Request) (out []RehearsedFile, err error) {
	if r.MultipartForm == nil {
		return nil, nil
	}
	for _, h := range r.MultipartForm.File["file"] {
		f, err := h.Open()
		if err != nil {
			return nil, fmt.Errorf("open an upload: %w", err)
		}
		data, err := io.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("read an upload: %w", err)
		}
		if h.Filename != "" && len(data) > 0 {
			out = append(out, RehearsedFile{h.Filename, data})
		}
	}
	return out, nil
}

// showUnrehearsable shows an invalid definition in its editor, with the errors.
func (s *Site) showUnrehearsable(w http.ResponseWriter, r *http.Request, c RehearsedChange, wrong map[string]string) {
	p := s.posted(r)
	checked, err := s.desk.(Workflows).CheckWorkflow(r.Context(), p.User, c.Text) //nolint:forcetypeassert // the form is of that page
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	text, base := p.Text, p.Base
	p.Workflow, p.Text, p.Base = checked, text, base
	if checked.Runs() {
		for where, message := range wrong {
			p.Problems = append(p.Problems, WorkflowProblem{Where: where, Message: message})
		}
	}
	s.showWorkflow(w, r, http.StatusUnprocessableEntity, p)
}

func (s *Site) rehearsal(w http.ResponseWriter, r *http.Request, d Rehearsals, problem string) {
	p := rehearsalPage{base: s.base(r), Problem: problem}
	var err error
	if p.Rehearsal, err = d.Rehearsal(r.Context(), p.User, r.PathValue("rehearsal")); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	if p.Bounds.Last == 0 {
		p.Bounds.Last, p.Bounds.Minutes, p.Bounds.All = defaultRehearsed, defaultMinutes, true
	}
	s.name(r, &p.base, p.Channels...)
	var from, to int
	p.Pager, from, to = paged(r, len(p.Rows), rehearsedPerPage)
	p.Shown = p.Rows[from:to]
	status := http.StatusOK
	if problem != "" {
		status = http.StatusConflict
	}
	s.showUnder(w, r, "rehearsal", Page{Where: "rehearsals", Title: fit.Clip(oneLine(p.Name), 80), Status: status}, p)
}

func (s *Site) actOnRehearsal(w http.ResponseWriter, r *http.Request, d Rehearsals) {
	v := s.frame.Visitor(r)
	id, do := r.PathValue("rehearsal"), RehearsalAct(r.PostFormValue("do"))
	b, problem := rehearsalBounds(r, v)
	if do == RehearsalStart && problem != "" {
		s.rehearsal(w, r, d, problem)
		return
	}
	refused, err := d.ActOnRehearsal(r.Context(), v.User, v.Thread, id, do, b)
	switch {
	case err != nil:
		s.frame.Fail(w, r, err)
	case refused != "":
		s.rehearsal(w, r, d, v.T("rehearsal.refused."+string(refused)))
	case do == RehearsalDiscard:
		http.Redirect(w, r, "/rehearsals?discarded=1", http.StatusSeeOther)
	default:
		http.Redirect(w, r, "/rehearsals/"+url.PathEscape(id), http.StatusSeeOther)
	}
}

// rehearsalBounds reads the form that starts a rehearsal.
func rehearsalBounds(r *http.Request, v Visitor) (b RehearsalBounds, problem string) {
	b.Channel, b.Baseline, b.All = strings.TrimSpace(r.PostFormValue("channel")), r.PostFormValue("baseline") != "", r.PostFormValue("all") != ""
	var wrong []error
	number := func(name string, most int) int {
		n, err := strconv.Atoi(strings.TrimSpace(r.PostFormValue(name)))
		if err != nil || n < 1 || n > most {
			wrong = append(wrong, fmt.Errorf("%s", phrase.Say(v.Lang, "web.rehearsal.wrong."+name, most)))
		}
		return n
	}
	b.Last, b.Minutes = number("last", maxRehearsed), number("minutes", maxRehearsalMinutes)
	if text := strings.TrimSpace(r.PostFormValue("cost")); text != "" {
		var err error
		if b.Cost, err = strconv.ParseFloat(text, 64); err != nil || !(b.Cost > 0 && b.Cost <= 1e6) { //nolint:staticcheck // NaN too
			wrong = append(wrong, errors.New(v.T("rehearsal.wrong.cost")))
		}
	}
	if len(wrong) > 0 {
		return b, strings.ReplaceAll(errors.Join(wrong...).Error(), "\n", " ")
	}
	return b, ""
}

func (s *Site) rehearsalQuestions(w http.ResponseWriter, r *http.Request, d Rehearsals) {
	var numbers []int
	for _, text := range r.URL.Query()["n"] {
		if n, err := strconv.Atoi(text); err == nil {
			numbers = append(numbers, n)
		}
	}
	lines, err := d.RehearsalQuestions(r.Context(), s.frame.Visitor(r).User, r.PathValue("rehearsal"), numbers)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="questions.jsonl"`)
	_, _ = w.Write(lines) // the client may be gone
}
