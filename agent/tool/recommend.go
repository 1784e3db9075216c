package tool

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"maru/agent/llm"
	"maru/rag"
)

// Recommender finds the tools that a task may need among thousands: by the words of their names,
// descriptions and parameters, by embeddings where configured, and by past use. It is safe for
// concurrent use; tools may be added and removed meanwhile.
type Recommender struct {
	embed llm.Embedder
	log   *slog.Logger

	mu      sync.RWMutex
	index   index
	changes map[string]*Spec // that the index lacks, by name; nil for a tool to be removed from it

	embedding sync.Mutex // one at a time; taken before mu, which is not held meanwhile
}

// NewRecommender returns an empty recommender. embed may be nil: then words alone
// decide.
func NewRecommender(embed llm.Embedder, log *slog.Logger) *Recommender {
	return &Recommender{embed: embed, log: log, index: newIndex(), changes: map[string]*Spec{}}
}

// Want is what tools are looked for.
type Want struct {
	Task   string   // in the words of the person or of a plan's step
	Limit  int      // how many; 0 means 5
	Scopes []string // of the run; tools forbidden there are excluded
	Past   []Use    // earlier tasks of the same people, the most similar first; the first 200 are read
	Memory Memory   // may be nil
}

// Use is one use of a tool that is remembered.
type Use struct {
	Task string // the task it was used for
	Tool string
	OK   bool // it succeeded
}

// Memory returns the past success of tools. It is asked once a search, about at most a few dozen names; a tool that it
// does not mention has no standing. An error leaves the order as it was.
type Memory interface {
	Standings(ctx context.Context, tools []string) (map[string]Standing, error)
}

// Standing is a tool's record.
type Standing struct {
	Success float64 // share of successful uses, 0 to 1
	Uses    int     // how many that is a share of; with 0 Success says nothing
	Avoid   bool    // it shall come after all others
}

// Recommendation is one tool that may fit.
type Recommendation struct {
	Spec  Spec
	Score float64 // from 0 up, comparable within one answer only
	Why   Why
}

// Why says what speaks for a tool, for people and for tests.
type Why struct {
	Words   []string // of the task, that name, description or parameters hold
	Meaning float64  // how sure the vectors are, 0 if they say nothing
	Past    float64  // how much similar tasks speak for it, less than 0 if against it
	Standing
}

// defaultWant and maxWant bound the tools of one answer.
const defaultWant, maxWant = 5, 50

// successBoost is how much a tool that always succeeded gains on one that is
// unknown.
const successBoost = 0.3

// Add adds tools and replaces those of the same names. Words find them at once, embeddings after
// [Recommender.Embed].
func (r *Recommender) Add(specs ...Spec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range specs {
		r.changes[s.Name] = &s
	}
}

// Remove removes tools; unknown names are ignored.
func (r *Recommender) Remove(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range names {
		if _, in := r.index.slots[n]; in {
			r.changes[n] = nil
		} else {
			delete(r.changes, n)
		}
	}
}

// settle brings the index up to date. It is done before a search and not at a change, so that runs of the program that look
// for no tool start without indexing any.
func (r *Recommender) settle() {
	r.mu.RLock()
	settled := len(r.changes) == 0
	r.mu.RUnlock()
	if settled { // searches do not wait for each other
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.changes)) {
		r.index.remove(name)
		if spec := r.changes[name]; spec != nil {
			r.index.add(*spec)
		}
	}
	clear(r.changes)
	r.index.settle()
}

// Len returns the number of tools.
func (r *Recommender) Len() int {
	r.settle()
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.index.slots)
}

// Recommend returns the tools that fit a task best, the best first, and none for an unrelated task.
func (r *Recommender) Recommend(ctx context.Context, w Want) []Recommendation {
	limit := cmp.Or(max(w.Limit, 0), defaultWant)
	limit = min(limit, maxWant)
	var a rag.Analyzer
	terms := questionTerms(&a, w.Task)
	vector := r.question(ctx, w.Task)
	r.settle()
	r.mu.RLock()
	found := r.index.search(terms, vector, 4*limit, w)
	r.mu.RUnlock()
	r.stand(ctx, w.Memory, found)
	slices.SortFunc(found, byScore)
	return found[:min(len(found), limit)]
}

// stand re-ranks results by past use.
func (r *Recommender) stand(ctx context.Context, m Memory, found []Recommendation) {
	if m == nil || len(found) == 0 {
		return
	}
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.Spec.Name
	}
	standings, err := m.Standings(ctx, names)
	if err != nil {
		r.log.WarnContext(ctx, "tools are ranked without memory", "err", err)
		return
	}
	for i := range found {
		s := standings[found[i].Spec.Name]
		found[i].Why.Standing = s
		if s.Uses > 0 {
			found[i].Score *= 1 + successBoost*min(1, max(0, s.Success))
		}
	}
}

// byScore orders recommendations, the best first; those to avoid come last.
func byScore(a, b Recommendation) int {
	if a.Why.Avoid != b.Why.Avoid {
		if a.Why.Avoid {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Spec.Name, b.Spec.Name))
}
