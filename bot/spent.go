package bot

import (
	"context"
	"errors"
	"strings"

	"maru/agent"
)

// SpentOn says what model calls outside of runs were for.
type SpentOn string

// The kinds of use outside of runs. Their words for people are in the catalogues,
// under [SpentOn.key].
const (
	SpentAddressing SpentOn = "addressing" // who is spoken to among several people
	SpentMemory     SpentOn = "memory"     // what is learned after an answer
	SpentIndexing   SpentOn = "indexing"   // vectors of documents
	SpentTools      SpentOn = "tools"      // vectors of tools
	SpentEvaluation SpentOn = "evaluation" // maru eval
)

// key names the kind's words in the catalogues.
func (k SpentOn) key() string { return "spent." + string(k) }

// kindMark begins the name of a kind where sums are named by agents, none of which
// has it in its name.
const kindMark = "/"

// Column is the name under which a sum is kept: the agent's, or one for the kind.
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

// counted lets what model calls outside of a run cost be counted in the sums of a
// place and a person.
func (b *Bot) counted(ctx context.Context, t Thread, u User, on SpentOn) context.Context {
	if b.cfg.Listen == nil {
		return ctx
	}
	return b.cfg.Listen(ctx, func(spent agent.Usage) {
		if spent == (agent.Usage{}) {
			return
		}
		// Paid is paid, whoever does not wait for the answer.
		ctx, cancel := atTheEnd(ctx)
		defer cancel()
		err := b.cfg.Record.Spend(ctx, Used{
			Day: b.today(), Team: t.TeamKey(), Channel: t.Channel, User: u.ID, Kind: on, Usage: spent,
		})
		if err != nil {
			b.log.ErrorContext(ctx, "usage lost", "kind", on, "team", t.TeamKey(), "err", err)
		}
	})
}

// ScopePlace returns the workspace, as [Thread.TeamKey] has it, and the channel
// whose documents are in a scope; both are "" for documents of everybody.
func ScopePlace(scope string) (team, channel string, err error) {
	kind, place, _ := strings.Cut(scope, ":")
	parts := strings.Split(place, "/")
	switch {
	case scope == ScopePublic:
		return "", "", nil
	case kind == "team" && len(parts) == 2:
		return place, "", nil
	case kind == "channel" && len(parts) == 3:
		return parts[0] + "/" + parts[1], unesc(parts[2]), nil
	}
	return "", "", errors.New("bot: a scope of no place")
}
