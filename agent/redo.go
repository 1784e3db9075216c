package agent

// Redo repeats the task of an earlier run of the thread from one of its steps on. Earlier
// approvals do not carry over.
type Redo struct {
	Run  string // the earlier run, as its Request named it; "" for none
	Step int    // 1-based, as the numbers of the run's last Plan
}

// Redoer is implemented by agents that carry out tasks step by step and know
// [Request].Redo. Their Run fails with the code "redo_gone" if the state in which
// the earlier run ended is not kept any more, and with "redo_step" if it has no
// such step or did not come so far.
type Redoer interface {
	// Redoes says nothing but that the agent is one.
	Redoes()
}

// Redoes reports whether an agent of that name is installed and a [Redoer].
func (r *Runner) Redoes(name string) bool {
	a, ok := r.lookup(name)
	if !ok {
		return false
	}
	_, ok = a.(Redoer)
	return ok
}
