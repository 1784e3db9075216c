package site

import (
	"bytes"
	"context"
	"html/template"
	"net/http"
	"slices"

	"maru/bot"
)

// Workflows shows the agents' definitions, and checks a draft. ListWorkflows lists them without their text.
// CheckWorkflow checks and draws a text as `maru workflow validate` does, without storing it.
type Workflows interface {
	ListWorkflows(ctx context.Context, by bot.User) ([]Workflow, error)
	Workflow(ctx context.Context, by bot.User, id string) (Workflow, error)
	CheckWorkflow(ctx context.Context, by bot.User, text string) (Workflow, error)
}

// Workflow is a definition.
type Workflow struct {
	ID, Name, Description, Version string
	Own                            bool   // the team's, not built in
	Drawing                        string // SVG by our own code, which escapes names
	Text                           string // JSON
	Nodes                          int
	Problems                       []WorkflowProblem
	Saved                          bool            // in the console
	Newest                         WorkflowVersion // that was saved there
	Replaces                       string          // the folder's file that the saved version goes before, "" if there is none
}

// WorkflowProblem is an error in a definition with its position.
type WorkflowProblem struct {
	Where, Message, Hint string
	Warning              bool
}

// Runs reports whether nothing but warnings is wrong.
func (w Workflow) Runs() bool {
	return !slices.ContainsFunc(w.Problems, func(p WorkflowProblem) bool { return !p.Warning })
}

// SVG returns the drawing for a page.
func (w Workflow) SVG() template.HTML {
	return template.HTML(w.Drawing) //nolint:gosec // G203: made by our own code, which escapes names
}

type workflowPage struct {
	base
	Workflow

	List     []Workflow
	Edits    bool   // workflows can be saved
	Page     string // the id that the page is about, or [newWorkflow]
	Base     int64  // the version that is edited, 0 for none
	Done     string // number of the version that was just saved
	Newer    WorkflowVersion
	Diff     []DiffLine // from Newer to the text
	Message  string     // that the definition is tried on
	Trial    *Trial
	Answer   template.HTML // of the trial
	Refused  string        // why the message was not tried
	Versions bool          // there are saved versions
	Builtin  bool          // it is the definition of a built-in agent

	Rehearses bool // a change can be tried on recorded questions
}

// workflowPage begins the page of a definition.
func (s *Site) workflowPage(r *http.Request) workflowPage {
	return workflowPage{base: s.base(r), Edits: has[WorkflowEditor](s.desk), Rehearses: has[Rehearsals](s.desk)}
}

func (s *Site) workflows(w http.ResponseWriter, r *http.Request, d Workflows) {
	p := s.workflowPage(r)
	var err error
	if p.List, err = d.ListWorkflows(r.Context(), p.User); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.show(w, r, "workflows", p.T("workflows"), p)
}

func (s *Site) workflow(w http.ResponseWriter, r *http.Request, d Workflows) {
	p := s.workflowPage(r)
	var err error
	if p.Workflow, err = d.Workflow(r.Context(), p.User, r.PathValue("workflow")); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	p.Builtin = !p.Own
	p.Page, p.Base, p.Done = p.ID, p.Newest.N, r.URL.Query().Get("saved")
	s.showWorkflow(w, r, http.StatusOK, p)
}

// showWorkflow shows one definition, in the navigation below the list of all.
func (s *Site) showWorkflow(w http.ResponseWriter, r *http.Request, status int, p workflowPage) {
	p.Versions = p.Base > 0 && p.Page != newWorkflow
	s.showUnder(w, r, "workflow", Page{Where: "workflows", Title: oneLine(p.Name), Status: status}, p)
}

// checkWorkflow checks the editor's text; the script requests only the result.
func (s *Site) checkWorkflow(w http.ResponseWriter, r *http.Request, d Workflows) {
	p := s.posted(r)
	text := p.Text
	var err error
	if p.Workflow, err = d.CheckWorkflow(r.Context(), p.User, text); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	p.Text = text
	if r.PostFormValue("fragment") == "" {
		s.showWorkflow(w, r, http.StatusOK, p)
		return
	}
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, "checked", p); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the client may be gone
}
