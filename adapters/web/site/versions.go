package site

import (
	"fmt"
	"net/http"
	"strconv"
)

// versionsPage lists the versions of a workflow and compares two of them.
type versionsPage struct {
	base

	ID       string
	Versions []WorkflowVersion
	Old, New int64 // that are compared; 0: the empty text
	Diff     []DiffLine
	Saved    string // number of the version that was just saved
	Conflict bool   // not saved, because another person changed it first
	Unfit    bool   // not saved, because the version no longer compiles
}

// Newest returns the active version.
func (p versionsPage) Newest() WorkflowVersion { return p.Versions[0] }

// Doing describes a version's change.
func (p versionsPage) Doing(v WorkflowVersion) string {
	switch {
	case v.Removed:
		return p.T("workflows.version.removed")
	case v.Restores > 0:
		return fmt.Sprintf(p.T("workflows.version.restored"), v.Restores)
	}
	return p.T("workflows.version.saved")
}

func (s *Site) workflowVersions(w http.ResponseWriter, r *http.Request, e WorkflowEditor) {
	f := r.URL.Query()
	p := versionsPage{base: s.base(r), ID: r.PathValue("workflow"), Saved: f.Get("saved"), Conflict: f.Has("conflict"), Unfit: f.Has("unfit")}
	var err error
	if p.Versions, err = e.WorkflowVersions(r.Context(), p.User, p.ID); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	p.New, p.Old = p.Newest().N, p.Newest().N-1
	if n, err := strconv.ParseInt(f.Get("new"), 10, 64); err == nil {
		p.New = n
	}
	if n, err := strconv.ParseInt(f.Get("old"), 10, 64); err == nil {
		p.Old = n
	}
	var texts [2]string
	for i, n := range []int64{p.Old, p.New} {
		if n == 0 {
			continue
		}
		if texts[i], err = e.WorkflowText(r.Context(), p.User, p.ID, n); err != nil {
			s.frame.Fail(w, r, err)
			return
		}
	}
	p.Diff = diff(texts[0], texts[1])
	s.showUnder(w, r, "versions", Page{Where: "workflows", Title: fmt.Sprintf(p.T("workflows.versions.of"), oneLine(p.ID))}, p)
}
