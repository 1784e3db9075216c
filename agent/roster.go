package agent

import (
	"maps"
	"slices"
)

// Roster is a changing set of agents, such as a team's workflows. It is safe for concurrent use;
// an agent keeps working after its removal.
type Roster interface {
	Lookup(name string) (Agent, bool)
	Names() []string // sorted
}

// Unlisted is implemented by agents that no place can choose: a command begins them.
type Unlisted interface{ Unlisted() }

// Names returns the names of the agents that places can choose, sorted.
func (r *Runner) Names() []string {
	return slices.DeleteFunc(r.All(), func(name string) bool {
		a, _ := r.lookup(name)
		_, unlisted := a.(Unlisted)
		return unlisted
	})
}

// All returns the names of all installed agents, sorted.
func (r *Runner) All() []string {
	names := slices.Collect(maps.Keys(r.agents))
	for _, s := range r.rosters {
		names = append(names, s.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Extend adds a roster of agents. The runner's own come first. It is called
// while the program is wired, before anything runs.
func (r *Runner) Extend(more Roster) { r.rosters = append(r.rosters, more) }

// Charge sets the price of a model call by its usage. It must be called before the first run.
func (r *Runner) Charge(price func(Usage) float64) { r.price = price }

// lookup returns the agent of a name.
func (r *Runner) lookup(name string) (Agent, bool) {
	if a, ok := r.agents[name]; ok {
		return a, true
	}
	for _, s := range r.rosters {
		if a, ok := s.Lookup(name); ok {
			return a, true
		}
	}
	return nil, false
}
