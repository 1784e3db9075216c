package command

import (
	"context"

	"maru/agent"
	"maru/phrase"
)

// Toolbox describes the program's tools.
//
// Tools lists those offered to a run with these scopes, by name. Servers reports the state of the servers that
// provide tools, in the operator's order. Accept accepts a changed tool if it still matches the change with this
// hash; otherwise it returns [bot.ErrNotFound].
type Toolbox interface {
	Tools(scopes []string) []ToolInfo
	Servers() []ToolServer
	Accept(ctx context.Context, name, hash string) error
}

// ToolInfo is a tool in a list.
type ToolInfo struct {
	Name   string
	Title  phrase.Sentence // untrusted text if from a server
	Effect agent.Effect
	Asks   bool // a person decides before every call
}

// ToolServer is a server that provides tools.
type ToolServer struct {
	Name    string
	Up      bool
	Tools   int // offered now
	Changes []ToolChange
}

// ToolChange is a tool that is withheld because it differs from the accepted version.
type ToolChange struct {
	Tool          string
	Hash          string // of the present version
	Before, After string // beginnings of its descriptions: data
}
