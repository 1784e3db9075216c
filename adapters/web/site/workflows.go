package site

import (
	"bytes"
	"context"
	"html/template"
	"net/http"
	"strings"

	"maru/bot"
)

// Workflows shows the definitions of the agents, and checks one that somebody writes. ListWorkflows lists them without
// their text. CheckWorkflow checks and draws a text as `maru workflow validate` would; it stores nothing.
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
}

// WorkflowProblem is what is wrong with a definition, and where.
type WorkflowProblem struct {
	Where, Message, Hint string
	Warning              bool
}

// Runs reports whether nothing but warnings is wrong.
func (w Workflow) Runs() bool {
	for _, p := range w.Problems {
		if !p.Warning {
			return false
		}
	}
	return true
}

// SVG returns the drawing for a page.
func (w Workflow) SVG() template.HTML {
	return template.HTML(w.Drawing) //nolint:gosec // G203: made by our own code, which escapes names
}

type workflowPage struct {
	base
	Workflow

	List []Workflow
}

func (s *Site) workflows(w http.ResponseWriter, r *http.Request, d Workflows) {
	p := workflowPage{base: s.base(r)}
	var err error
	if p.List, err = d.ListWorkflows(r.Context(), p.User); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.show(w, r, "workflows", p.T("workflows"), p)
}

func (s *Site) workflow(w http.ResponseWriter, r *http.Request, d Workflows) {
	p := workflowPage{base: s.base(r)}
	var err error
	if p.Workflow, err = d.Workflow(r.Context(), p.User, r.PathValue("workflow")); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.showWorkflow(w, r, p)
}

// showWorkflow shows one definition, in the navigation below the list of all.
func (s *Site) showWorkflow(w http.ResponseWriter, r *http.Request, p workflowPage) {
	var b bytes.Buffer
	if err := s.templates.ExecuteTemplate(&b, "workflow", p); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.frame.Show(w, r, Page{Where: "workflows", Title: oneLine(p.Name), Body: template.HTML(b.String())}) //nolint:gosec // G203: made by our own template
}

// checkWorkflow checks the text in the editor: the script asks for what stands beside it alone.
func (s *Site) checkWorkflow(w http.ResponseWriter, r *http.Request, d Workflows) {
	p := workflowPage{base: s.base(r)}
	text := strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n")
	var err error
	if p.Workflow, err = d.CheckWorkflow(r.Context(), p.User, text); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	p.Text = text
	if r.PostFormValue("fragment") == "" {
		s.showWorkflow(w, r, p)
		return
	}
	var b bytes.Buffer
	if err := s.templates.ExecuteTemplate(&b, "checked", p); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the client may be gone
}
