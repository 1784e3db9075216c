package site

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"maru/bot"
)

// WorkflowEditor stores the versions of definitions that admins write in the console. Every method rejects people
// who may not change workflows.
//
// SaveWorkflow stores a text as the version after base, 0 for the first. id is that of the page; the text may have
// another id that is unused. If the text has errors or a newer version than base exists, the result says so and
// nothing is stored. RestoreWorkflow stores the text of version n again; RemoveWorkflow removes the workflow, or
// restores the folder's file of the same id.
//
// WorkflowVersions lists versions, newest first; WorkflowText returns one's text. Both return bot.ErrNotFound if
// there is none.
//
// CompleteWorkflow returns the completions at a byte offset of a text. TryWorkflow runs a text on a message: with
// the program's models and documents, with reading tools only, and without storing anything.
type WorkflowEditor interface {
	SaveWorkflow(ctx context.Context, by bot.User, id string, base int64, text string) (SavedWorkflow, error)
	RestoreWorkflow(ctx context.Context, by bot.User, id string, base, n int64) (SavedWorkflow, error)
	RemoveWorkflow(ctx context.Context, by bot.User, id string, base int64) (SavedWorkflow, error)
	WorkflowVersions(ctx context.Context, by bot.User, id string) ([]WorkflowVersion, error)
	WorkflowText(ctx context.Context, by bot.User, id string, n int64) (string, error)
	CompleteWorkflow(ctx context.Context, by bot.User, text string, at int) (Completion, error)
	TryWorkflow(ctx context.Context, by bot.User, text, message string) (Trial, error)
}

// SavedWorkflow is the result of a change.
type SavedWorkflow struct {
	Workflow

	Saved bool
	Newer WorkflowVersion // another person's version, saved since the page was opened; zero if none
}

// WorkflowVersion is a saved version, without its text.
type WorkflowVersion struct {
	N        int64 // from 1; 0: none
	By       string
	At       time.Time
	Restores int64 // the version whose text it repeats, 0 for none
	Removed  bool
}

// Before returns the number of the previous version.
func (v WorkflowVersion) Before() int64 { return v.N - 1 }

// Completion holds the proposals at one position: each replaces the bytes from From to To.
type Completion struct {
	From, To int
	List     []Proposal
}

// Proposal is one of them. The cursor goes Back characters from its end.
type Proposal struct {
	Label, About, Text string
	Back               int
}

// Trial is the result of running a definition on a message.
type Trial struct {
	Workflow // with the path taken

	Answer  string // Markdown
	Failed  string // why there is no answer, for people
	Asks    []TrialAsk
	Sources []bot.Source
	Events  []bot.RunEvent
	Took    time.Duration
	Usage   bot.RunUsage
}

// TrialAsk is the question at which a trial ended, since nobody is asked.
type TrialAsk struct{ Node, Question string }

// newWorkflow is the id of the page for a definition that is not saved yet.
const newWorkflow = "~new"

// blank is the initial text of a new definition.
const blank = `{
  "id": "my-workflow",
  "name": "My workflow",
  "description": "",
  "version": "1",
  "nodes": [
    { "id": "start", "node_type": "start" },
    { "id": "answer", "node_type": "llm_call", "config": { "prompt": "{{input}}", "output": "final_answer" } },
    { "id": "end", "node_type": "end" }
  ],
  "edges": [
    { "source": "start", "target": "answer" },
    { "source": "answer", "target": "end" }
  ]
}
`

// editing adds the routes of the editor.
func (s *Site) editing(out map[string]http.HandlerFunc, d Workflows, e WorkflowEditor) {
	out["GET /workflows/"+newWorkflow] = func(w http.ResponseWriter, r *http.Request) { s.blankWorkflow(w, r, d) }
	out["GET /workflows/{workflow}/versions"] = func(w http.ResponseWriter, r *http.Request) { s.workflowVersions(w, r, e) }
	out["POST /workflows/save"] = func(w http.ResponseWriter, r *http.Request) { s.saveWorkflow(w, r, e) }
	out["POST /workflows/restore"] = func(w http.ResponseWriter, r *http.Request) { s.restoreWorkflow(w, r, e) }
	out["POST /workflows/remove"] = func(w http.ResponseWriter, r *http.Request) { s.removeWorkflow(w, r, e) }
	out["POST /workflows/complete"] = func(w http.ResponseWriter, r *http.Request) { s.completeWorkflow(w, r, e) }
	out["POST /workflows/try"] = func(w http.ResponseWriter, r *http.Request) { s.tryWorkflow(w, r, d, e) }
}

func (s *Site) blankWorkflow(w http.ResponseWriter, r *http.Request, d Workflows) {
	p := s.workflowPage(r)
	var err error
	if p.Workflow, err = d.CheckWorkflow(r.Context(), p.User, blank); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	p.Name, p.Text, p.Page = p.T("workflows.new"), blank, newWorkflow
	s.showWorkflow(w, r, http.StatusOK, p)
}

// posted reads the definition in the editor's form.
func (s *Site) posted(r *http.Request) workflowPage {
	p := s.workflowPage(r)
	p.Page = r.PostFormValue("page")
	p.Base, _ = strconv.ParseInt(r.PostFormValue("base"), 10, 64) // 0, the first version, if it is not a number
	p.Text = strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n")
	return p
}

func (s *Site) saveWorkflow(w http.ResponseWriter, r *http.Request, e WorkflowEditor) {
	p := s.posted(r)
	id := p.Page
	if id == newWorkflow {
		id = ""
	}
	done, err := e.SaveWorkflow(r.Context(), p.User, id, p.Base, p.Text)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	if done.Saved {
		http.Redirect(w, r, "/workflows/"+url.PathEscape(done.ID)+"?saved="+strconv.FormatInt(done.Newest.N, 10), http.StatusSeeOther)
		return
	}
	text, base := p.Text, p.Base
	p.Workflow, p.Newer = done.Workflow, done.Newer
	p.Text, p.Base = text, base
	status := http.StatusUnprocessableEntity
	if p.Newer.N > 0 { // the text is kept, and may be saved over the newer version
		status, p.Base = http.StatusConflict, p.Newer.N
		p.Saved, p.Newest = !p.Newer.Removed, p.Newer
		theirs, err := e.WorkflowText(r.Context(), p.User, done.ID, p.Newer.N)
		if err != nil {
			s.frame.Fail(w, r, err)
			return
		}
		p.Diff = diff(theirs, text)
	}
	s.showWorkflow(w, r, status, p)
}

// restoreWorkflow makes an earlier version the newest.
func (s *Site) restoreWorkflow(w http.ResponseWriter, r *http.Request, e WorkflowEditor) {
	p := s.posted(r)
	n, _ := strconv.ParseInt(r.PostFormValue("n"), 10, 64) // no version has the number 0
	done, err := e.RestoreWorkflow(r.Context(), p.User, p.Page, p.Base, n)
	s.changed(w, r, p, done, err)
}

func (s *Site) removeWorkflow(w http.ResponseWriter, r *http.Request, e WorkflowEditor) {
	p := s.posted(r)
	done, err := e.RemoveWorkflow(r.Context(), p.User, p.Page, p.Base)
	s.changed(w, r, p, done, err)
}

// changed redirects after a change without a text to the versions, which show intermediate ones.
func (s *Site) changed(w http.ResponseWriter, r *http.Request, p workflowPage, done SavedWorkflow, err error) {
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	to := url.Values{}
	switch {
	case done.Saved:
		to.Set("saved", strconv.FormatInt(done.Newest.N, 10))
	case done.Newer.N > 0:
		to.Set("conflict", "1")
	default:
		to.Set("unfit", "1")
	}
	http.Redirect(w, r, "/workflows/"+url.PathEscape(p.Page)+"/versions?"+to.Encode(), http.StatusSeeOther)
}

// completeWorkflow answers the script with proposals. Its offsets count UTF-16 units, as browsers do.
func (s *Site) completeWorkflow(w http.ResponseWriter, r *http.Request, e WorkflowEditor) {
	text := r.PostFormValue("text")
	at, err := strconv.Atoi(r.PostFormValue("at"))
	if err != nil {
		s.frame.Fail(w, r, &bot.Error{Code: bot.CodeBadCommand, Err: err})
		return
	}
	c, err := e.CompleteWorkflow(r.Context(), s.frame.Visitor(r).User, text, bytesIn(text, at))
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	type proposal struct {
		Label string `json:"label"`
		About string `json:"about,omitempty"`
		Text  string `json:"text"`
		Back  int    `json:"back,omitempty"`
	}
	out := struct {
		From int        `json:"from"`
		To   int        `json:"to"`
		List []proposal `json:"list"`
	}{From: unitsIn(text[:c.From]), To: unitsIn(text[:c.To]), List: []proposal{}}
	for _, one := range c.List {
		out.List = append(out.List, proposal(one))
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // the client may be gone
}

// bytesIn returns the byte offset of a number of UTF-16 units, at most the text's length.
func bytesIn(text string, units int) int {
	for i, r := range text {
		if units <= 0 {
			return i
		}
		units -= max(utf16.RuneLen(r), 1)
	}
	return len(text)
}

// unitsIn counts the UTF-16 units of a text.
func unitsIn(text string) (n int) {
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// maxTried limits the message of a trial, in characters.
const maxTried = 8000

func (s *Site) tryWorkflow(w http.ResponseWriter, r *http.Request, d Workflows, e WorkflowEditor) {
	p := s.posted(r)
	p.Message = strings.TrimSpace(r.PostFormValue("message"))
	text, base := p.Text, p.Base
	if n := utf8.RuneCountInString(p.Message); n == 0 || n > maxTried {
		var err error
		if p.Workflow, err = d.CheckWorkflow(r.Context(), p.User, text); err != nil {
			s.frame.Fail(w, r, err)
			return
		}
		p.Text, p.Base, p.Refused = text, base, fmt.Sprintf(p.T("workflows.trial.length"), count(maxTried))
		s.showWorkflow(w, r, http.StatusUnprocessableEntity, p)
		return
	}
	tried, err := e.TryWorkflow(r.Context(), p.User, p.Text, p.Message)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	p.Workflow = tried.Workflow
	p.Text, p.Base = text, base
	if p.Trial = &tried; tried.Answer != "" {
		p.Answer = s.frame.Markdown(tried.Answer, p.Lang)
	}
	s.showWorkflow(w, r, http.StatusOK, p)
}
