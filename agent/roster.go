package agent

// Roster has agents that come and go, such as the workflows of a team. It is
// safe for concurrent use; an agent that was looked up goes on working.
type Roster interface {
	Lookup(name string) (Agent, bool)
	Names() []string // sorted
}

// Extend adds a roster of agents. The runner's own come first. It is called
// while the program is wired, before anything runs.
func (r *Runner) Extend(more Roster) { r.rosters = append(r.rosters, more) }

// Charge sets what a model call costs, by its model and tokens. It is called
// before the first run.
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
