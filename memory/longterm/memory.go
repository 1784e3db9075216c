package longterm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Embedder converts texts to vectors: memories or, with question set, a query for them.
type Embedder func(ctx context.Context, texts []string, question bool) ([][]float32, error)

// Config holds the dependencies of a Memory.
type Config struct {
	Store Store
	Embed Embedder         // nil: search by keywords only
	Now   func() time.Time // default time.Now
}

// Memory is long-term memory: the managers over one store. It is safe for
// concurrent use.
type Memory struct {
	Plans          *Plans
	Tools          *Tools
	Clarifications *Clarifications
	Behaviors      *Behaviors
	Workflows      *Workflows
	Preferences    *Preferences

	store Store
	embed Embedder
	now   func() time.Time
	kinds map[Kind]learner
}

// New returns a Memory. It panics without a store, which is a programming error.
func New(cfg Config) *Memory {
	if cfg.Store == nil {
		panic("longterm: New needs a Store")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	m := &Memory{store: cfg.Store, embed: cfg.Embed, now: cfg.Now}
	m.Plans = &Plans{manager[PlanLesson, Plan]{m, planRule()}}
	m.Tools = &Tools{manager[ToolLesson, Tool]{m, toolRule()}}
	m.Clarifications = &Clarifications{manager[ClarificationLesson, Clarification]{m, clarificationRule()}}
	m.Behaviors = &Behaviors{manager[BehaviorLesson, Behavior]{m, behaviorRule()}}
	m.Workflows = &Workflows{manager[WorkflowLesson, Workflow]{m, workflowRule()}}
	m.Preferences = &Preferences{manager[PreferenceLesson, Preference]{m, preferenceRule()}}
	m.kinds = map[Kind]learner{
		KindPlan: m.Plans, KindTool: m.Tools, KindClarification: m.Clarifications,
		KindBehavior: m.Behaviors, KindWorkflow: m.Workflows, KindPreference: m.Preferences,
	}
	return m
}

// Lesson is a lesson of a run, convertible to and from agent.Lesson.
type Lesson struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// ErrLesson reports an invalid lesson; retries cannot succeed.
var ErrLesson = errors.New("longterm: not a valid lesson")

// learner is the untyped interface of a manager.
type learner interface {
	learn(ctx context.Context, o Owner, session string, at time.Time, data json.RawMessage) (added bool, err error)
	fold(r Record, notes []Note) (Record, error)
}

// Take consolidates the lessons of a session. It skips invalid lessons and reports them as ErrLesson. It is
// idempotent, so callers may retry after any failure; added counts the new lessons.
func (m *Memory) Take(ctx context.Context, o Owner, session string, at time.Time, lessons []Lesson) (added int, err error) {
	if o.absent() {
		return 0, nil
	}
	var invalid []error
	for i, l := range lessons {
		k, ok := m.kinds[Kind(l.Kind)]
		if !ok {
			invalid = append(invalid, fmt.Errorf("%w: unknown kind %q", ErrLesson, l.Kind))
			continue
		}
		fresh, err := k.learn(ctx, o, fmt.Sprintf("%s#%d", session, i), at, l.Data)
		if errors.Is(err, ErrLesson) {
			invalid = append(invalid, err)
		} else if err != nil {
			return added, err
		}
		if fresh {
			added++
		}
	}
	return added, errors.Join(invalid...)
}

// Fold folds a record of any kind, for the store.
func (m *Memory) Fold(r Record, notes []Note) (Record, error) {
	k, ok := m.kinds[r.Kind]
	if !ok {
		return r, fmt.Errorf("longterm: record of unknown kind %q", r.Kind)
	}
	return k.fold(r, notes)
}
