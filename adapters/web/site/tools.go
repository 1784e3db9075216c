package site

import (
	"context"
	"html/template"
	"net/http"
	"time"

	"maru/bot"
)

// Tools shows the agents' tools and the MCP servers that provide some of them.
//
// ListTools lists the servers that a person may see, and describes the tools of a place as "/maru tools" does, in
// Markdown, with those that run there without a question. LookAtServer requests a server's tools; problem explains a failure. ChangeTools carries out an action
// of "/maru tools" and returns the message for the person, in Markdown.
type Tools interface {
	ListTools(ctx context.Context, by bot.User, from, place bot.Thread) (servers []ToolServer, here PlaceTools, err error)
	LookAtServer(ctx context.Context, by bot.User, from bot.Thread, name string) (look ServerLook, problem string, err error)
	ChangeTools(ctx context.Context, by bot.User, from bot.Thread, c ToolChange) (said string, err error)
}

// PlaceTools are the tools of a place.
type PlaceTools struct {
	Text    string // in Markdown
	Place   string // a channel such as "slack/T1/C1", with Allowed alone
	Allowed []AllowedTool
}

// AllowedTool is a tool that an admin allowed without a question, for a time.
type AllowedTool struct {
	Name, By string
	Until    time.Time
}

// ToolServer is an MCP server.
type ToolServer struct {
	Name    string
	Where   string // its address, "" for one of the configuration file
	Team    string // whose admin added it, "" for one of the configuration file
	By      string
	Up      bool // of the configuration file alone: it is connected
	Tools   int  // offered or, of an added one, accepted
	Places  []string
	Own     bool          // people use it with their own accounts
	Header  string        // in which it is sent a token, "" for none
	Changed []ChangedTool // of the configuration file alone: tools that wait for acceptance
}

// File reports whether the server is from the configuration file, and connected for everybody.
func (s ToolServer) File() bool { return s.Team == "" && !s.Own }

// ChangedTool is a tool whose definition differs from the accepted one.
type ChangedTool struct{ Name, Hash, Before, After string }

// ServerLook is a server's present offer.
type ServerLook struct {
	Name   string
	Digest string // accepts exactly the tools that wait, "" if none does
	Others string // why this person can't accept those that wait, "" if they can
	Fixed  bool   // its effects are set in the configuration file
	Offers []OfferedTool
}

// OfferedTool is a tool of a server.
type OfferedTool struct {
	Name, Description string
	Effect, Words     string // its class, with an explanation
	New, Changed      bool
	Was               string // the description that was accepted, if it changed
}

// ToolChange is an action of "/maru tools". Server is empty for a tool of the configuration file, and for a new server.
type ToolChange struct {
	Do     string // "add", "accept", "class", "limit", "token", "client", "remove" or "disallow"
	Server string
	Place  string   // a workspace or a channel such as "slack/T1/C1", "" for the console
	Args   []string // as for the command; for "token" the header and its value, for "client" its ID and secret
}

// effects lists the classes of tools.
var effects = []string{"reads", "sends", "writes", "executes"}

type toolsPage struct {
	base
	placeField

	Servers []ToolServer
	Here    template.HTML
	Allowed PlaceTools
	Look    ServerLook
	Said    template.HTML
	Problem string
	Changes bool // the visitor may change tools
}

// Effects lists the classes of tools.
func (toolsPage) Effects() []string { return effects }

// EffectWord names a class.
func (p toolsPage) EffectWord(s string) string {
	return map[string]string{"reads": p.T("tools.reads"), "sends": p.T("tools.sends"), "writes": p.T("tools.writes"), "executes": p.T("tools.executes")}[s]
}

// tools shows the page; p has the result of an action.
func (s *Site) tools(w http.ResponseWriter, r *http.Request, d Tools, p toolsPage) {
	p.base = s.base(r)
	p.Changes = p.User.Operator || p.User.Admin
	p.placeField = s.placeField(r, &p.base, r.URL.Query().Get("place"))
	place := p.Thread
	if p.Key != "" {
		if at, wrong := p.thread(p.Lang); wrong != nil {
			p.Problem = wrong.Text(p.Lang)
		} else {
			place = at
		}
	}
	servers, here, err := d.ListTools(r.Context(), p.User, p.Thread, place)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	keys := []string{here.Place}
	for _, one := range servers {
		keys = append(append(keys, one.Team), one.Places...)
	}
	s.name(r, &p.base, keys...)
	p.Servers, p.Allowed, p.Here = servers, here, s.frame.Markdown(here.Text, p.Lang)
	s.show(w, r, "tools", p.T("tools"), p)
}

// changeTools handles the forms of the page.
func (s *Site) changeTools(w http.ResponseWriter, r *http.Request, d Tools) {
	v := s.base(r)
	at := s.placeField(r, &v, r.PostFormValue("place"))
	var p toolsPage
	if at.Key != "" {
		if _, wrong := at.thread(v.Lang); wrong != nil {
			p.Problem = wrong.Text(v.Lang)
			s.tools(w, r, d, p)
			return
		}
	}
	c := ToolChange{Do: r.PostFormValue("do"), Server: r.PostFormValue("server"), Place: at.Key, Args: r.PostForm["arg"]}
	var err error
	if c.Do == "test" {
		p.Look, p.Problem, err = d.LookAtServer(r.Context(), v.User, v.Thread, c.Server)
	} else {
		var said string
		said, err = d.ChangeTools(r.Context(), v.User, v.Thread, c)
		p.Said = s.frame.Markdown(said, v.Lang)
	}
	if err == nil && (c.Do == "class" || c.Do == "accept") && c.Server != "" {
		p.Look, p.Problem, err = d.LookAtServer(r.Context(), v.User, v.Thread, c.Server)
	}
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.tools(w, r, d, p)
}
