package longterm

import (
	"slices"
	"strings"
)

// Owner identifies the person, and the scope of a query or lesson.
type Owner struct {
	Workspace string   // "slack/T1"; "" means Person up to its last "/"
	Person    string   // unique over platforms and workspaces: agent.User.ID, "slack/T1/U1"
	Scopes    []string // readable scopes, agent.Request.Scopes; nothing else is found
	Home      string   // scope of new lessons: agent.Request.Home
	Message   string   // the message that teaches, for Unlearn: agent.Request.Message
	Off       bool     // memory is disabled here: nothing is found or learned
}

// workspace returns the owner's workspace.
func (o Owner) workspace() string {
	if o.Workspace != "" {
		return o.Workspace
	}
	if i := strings.LastIndexByte(o.Person, '/'); i > 0 {
		return o.Person[:i]
	}
	return ""
}

// scopes returns the readable scopes, including the home scope.
func (o Owner) scopes() []string {
	if o.Home == "" || slices.Contains(o.Scopes, o.Home) {
		return o.Scopes
	}
	return append(slices.Clone(o.Scopes), o.Home)
}

// absent reports whether the owner lacks a person or permission.
func (o Owner) absent() bool { return o.Off || o.Person == "" }
