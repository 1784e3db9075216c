package bot

import "strings"

// SpentOn is the purpose of model calls outside of runs.
type SpentOn string

// The kinds of use outside of runs. Their words for people are in the catalogues, under [SpentOn.Key].
const (
	SpentAddressing SpentOn = "addressing" // deciding whom a message addresses
	SpentMemory     SpentOn = "memory"     // learning after an answer
	SpentIndexing   SpentOn = "indexing"   // vectors of documents
	SpentTools      SpentOn = "tools"      // vectors of tools
	SpentEvaluation SpentOn = "evaluation" // maru eval
)

// Key names the kind's words in the catalogues.
func (k SpentOn) Key() string { return "spent." + string(k) }

// kindMark starts the name of a kind where usage is listed by agent; no agent's name contains it.
const kindMark = "/"

// Column returns the key of a sum: the agent's name, or one for the kind.
func (u Used) Column() string {
	if u.Kind != "" {
		return kindMark + string(u.Kind)
	}
	return u.Agent
}

// SetColumn reverses [Used.Column].
func (u *Used) SetColumn(name string) {
	if kind, ok := strings.CutPrefix(name, kindMark); ok {
		u.Agent, u.Kind = "", SpentOn(kind)
		return
	}
	u.Agent, u.Kind = name, ""
}
