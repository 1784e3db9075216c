package longterm

import (
	"slices"
	"strings"
)

// Owner is whose memory is meant, and where it is asked for or learned.
type Owner struct {
	Workspace string   // "slack/T1"; "" takes what stands before the last "/" of Person
	Person    string   // unique over platforms and workspaces: agent.User.ID, "slack/T1/U1"
	Scopes    []string // what may be used here: agent.Request.Scopes. Nothing else is found
	Home      string   // the scope of what is learned here: agent.Request.Home
	Message   string   // the message that teaches, so that it can be unlearned: agent.Request.Message
	Off       bool     // memory is switched off here: nothing is found and nothing learned
}

// workspace is the owner's workspace.
func (o Owner) workspace() string {
	if o.Workspace != "" {
		return o.Workspace
	}
	if i := strings.LastIndexByte(o.Person, '/'); i > 0 {
		return o.Person[:i]
	}
	return ""
}

// scopes is what may be read here: what was learned here can also be used here.
func (o Owner) scopes() []string {
	if o.Home == "" || slices.Contains(o.Scopes, o.Home) {
		return o.Scopes
	}
	return append(slices.Clone(o.Scopes), o.Home)
}

// absent reports that there is nobody to remember or no leave to do so.
func (o Owner) absent() bool { return o.Off || o.Person == "" }
