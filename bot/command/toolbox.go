package command

import (
	"context"

	"maru/agent"
	"maru/phrase"
)

// Toolbox is the tools of this program, as people are told about them.
//
// Tools lists those that a run of these scopes is offered, by name. Servers
// tells how the servers are that bring tools, in the operator's order. Accept
// offers a changed tool from now on, if it still is what the change with this
// hash showed; else it returns [bot.ErrNotFound].
type Toolbox interface {
	Tools(scopes []string) []ToolInfo
	Servers() []ToolServer
	Accept(ctx context.Context, name, hash string) error
}

// ToolInfo is a tool in a list.
type ToolInfo struct {
	Name   string
	Title  phrase.Sentence // data where a server says it
	Effect agent.Effect
	Asks   bool // a person decides before every call
}

// ToolServer is a server that brings tools.
type ToolServer struct {
	Name    string
	Up      bool
	Tools   int // offered now
	Changes []ToolChange
}

// ToolChange is a tool that is kept out because it is no longer what was
// accepted.
type ToolChange struct {
	Tool          string
	Hash          string // of what it is now
	Before, After string // beginnings of its descriptions: data
}
