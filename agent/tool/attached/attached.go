// Package attached holds the rows of MCP servers that admins add while the program runs, and the
// [Store] that keeps them. It knows no protocol and no platform: agent/tool/mcp connects,
// bot/toolserver talks to admins.
package attached

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"maru/agent"
)

// ErrChanged says that a row is no longer at the version that was read.
var ErrChanged = errors.New("tool server: somebody else changed it")

// Row is an MCP server over streamable HTTP that an admin added, or one of the configuration file that people use with accounts of
// their own.
type Row struct {
	Name    string `json:"-"` // begins the names of its tools; unique over all workspaces
	Version int64  `json:"-"` // 0: not stored yet
	Team    string `json:"-"` // the workspace whose admin added it, such as "slack/T1"; nobody else is offered its tools. "": the configuration file

	URL      string
	By       string // name of the admin
	Created  time.Time
	Places   []string          `json:",omitempty"` // channels it is limited to, such as "slack/T1/C1"; none: the whole workspace
	Accepted map[string]Accept `json:",omitempty"` // by the tools' names at the server

	Personal bool   `json:",omitempty"` // each person signs in with an account of their own
	Header   string `json:",omitempty"` // name of the header that it wants, "" for none
	Secret   []byte `json:",omitempty"` // value of that header, sealed with [Row.About]
	Client   []byte `json:",omitempty"` // of a personal server: a [Client] in JSON, sealed with [Row.AboutClient]; nil: Maru registers itself
}

// Client is Maru as an admin registered it by hand where people sign in for a server. Secret is "" for a public client.
type Client struct{ ID, Secret string }

// About names what the secret of the row is for: it is sent nowhere else.
func (r Row) About() string { return "tool server/" + r.Team + "/" + r.Name + "/" + r.URL }

// AboutClient names what the client of the row is for.
func (r Row) AboutClient() string { return "tool server client/" + r.Team + "/" + r.Name + "/" + r.URL }

// Accept is a tool as an admin accepted it.
type Accept struct {
	Hash        string // of its name, description and schemas
	Description string // its beginning, to show what changed
	Effect      agent.Effect
	Tool        json.RawMessage `json:",omitempty"` // of a personal server, whose tools are offered without asking it
}

// Store keeps rows. PutToolServer stores a row if the stored one is at its version, and returns
// the next version; DropToolServer removes it likewise. Both return [ErrChanged] otherwise.
type Store interface {
	PutToolServer(ctx context.Context, r Row) (int64, error)
	ToolServers(ctx context.Context) ([]Row, error) // by name
	DropToolServer(ctx context.Context, name string, version int64) error
}
