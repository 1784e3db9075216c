package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// Errors that a caller of the [Runtime] can tell apart with errors.Is.
var (
	// ErrBusy reports that this process is running the thread.
	ErrBusy = errors.New("graph: the thread is running")
	// ErrUnfinished reports a request for another turn while the thread's last one waits or was interrupted; see
	// [UnfinishedError].
	ErrUnfinished = errors.New("graph: the thread's last turn is not finished")
	// ErrTurnPassed reports a turn that later turns followed.
	ErrTurnPassed = errors.New("graph: the turn was followed by others")
	// ErrNothingToResume reports a thread without a turn to resume.
	ErrNothingToResume = errors.New("graph: nothing to resume")
	// ErrStaleInterrupt reports an answer to a question that does not wait: superseded or never asked.
	ErrStaleInterrupt = errors.New("graph: the question does not wait any more")
	// ErrBadAnswer reports a rejected answer; see [AnswerError].
	ErrBadAnswer = errors.New("graph: the answer was refused")
	// ErrExpired reports an answer after its question's deadline.
	ErrExpired = errors.New("graph: the question's time is over")
	// ErrInterrupted is returned by [Ask] until the question is answered. A
	// node returns it (or an error that wraps it) upward.
	ErrInterrupted = errors.New("graph: waiting for an answer")
	// ErrStepLimit reports a run with too many super-steps; see [StepLimitError].
	ErrStepLimit = errors.New("graph: too many steps")
	// ErrPlanChanged reports an unfinished turn of another plan; see [PlanError].
	ErrPlanChanged = errors.New("graph: the plan changed while the turn was unfinished")
	// ErrCorrupt reports an unreadable record; see [RecordError].
	ErrCorrupt = errors.New("graph: unreadable record")
	// ErrParallelWrite reports that two tasks of one super-step wrote a state channel without a reducer.
	ErrParallelWrite = errors.New("graph: parallel writes to a channel without a reducer")
	// ErrStuck reports a waiting join without a next node.
	ErrStuck = errors.New("graph: a join waits for a node that will not run")
	// ErrAmbiguous reports an effect that started earlier with an unknown outcome.
	ErrAmbiguous = errors.New("graph: unknown whether the effect took place")
	// ErrNotApplied is wrapped by the error of an effect which is certain that
	// nothing took place.
	ErrNotApplied = errors.New("graph: the effect did not take place")
	// ErrRepeated reports a second effect or question under a name that the node's visit has used, or a question without
	// a key that is not the one asked in its place before: the record could not tell them apart.
	ErrRepeated = errors.New("graph: the name stands for something else in this visit")
	// ErrNoCheckpointer reports an operation that needs a log without one.
	ErrNoCheckpointer = errors.New("graph: the runtime has no checkpointer")
	// ErrNoTask reports a context outside a running node.
	ErrNoTask = errors.New("graph: not within a running node")
)

// CompileError lists everything that is wrong with a graph.
type CompileError struct {
	Graph    string
	Problems []string
}

// Error implements error.
func (e *CompileError) Error() string {
	return fmt.Sprintf("graph %q: %d problems:\n- %s", e.Graph, len(e.Problems), strings.Join(e.Problems, "\n- "))
}

// NodeError is an error of a node. The thread's turn stays resumable.
type NodeError struct {
	Node    string
	Step    int // super-step within the turn, 1-based
	Attempt int // 1-based
	Err     error
	Arg     json.RawMessage // the argument of a [Send]; nil if an edge started the task
}

// Error implements error.
func (e *NodeError) Error() string {
	return fmt.Sprintf("graph: node %s, step %d: %v", e.Node, e.Step, e.Err)
}

// Unwrap returns the node's own error.
func (e *NodeError) Unwrap() error { return e.Err }

// PanicError is a panic of a node, a router, a codec or a sink. The text of the
// error has no stack; log Stack.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// caught makes a panic the error of the function that defers it.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = &PanicError{p, debug.Stack()}
	}
}

// UnfinishedError is [ErrUnfinished] with details of the turn.
type UnfinishedError struct {
	Turn       string
	Interrupts []Interrupt // empty if the turn was broken off
}

// Error implements error.
func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("%v: turn %q, %d questions wait", ErrUnfinished, e.Turn, len(e.Interrupts))
}

// Is reports whether target is [ErrUnfinished].
func (e *UnfinishedError) Is(target error) bool { return target == ErrUnfinished }

// StepLimitError is [ErrStepLimit] with the limit. Running the same turn again
// goes on with a new allowance.
type StepLimitError struct {
	Limit int
	Next  []string // nodes that would run now
}

// Error implements error.
func (e *StepLimitError) Error() string {
	return fmt.Sprintf("%v: %d, next would be %s", ErrStepLimit, e.Limit, strings.Join(e.Next, ", "))
}

// Is reports whether target is [ErrStepLimit].
func (e *StepLimitError) Is(target error) bool { return target == ErrStepLimit }

// PlanError is [ErrPlanChanged] with the hashes.
type PlanError struct {
	Was, Now string
	Missing  []string // nodes that should run next and do not exist
}

// Error implements error.
func (e *PlanError) Error() string {
	s := fmt.Sprintf("%v: begun under %s, this is %s", ErrPlanChanged, e.Was, e.Now)
	if len(e.Missing) > 0 {
		s += "; missing nodes: " + strings.Join(e.Missing, ", ")
	}
	return s
}

// Is reports whether target is [ErrPlanChanged].
func (e *PlanError) Is(target error) bool { return target == ErrPlanChanged }

// AnswerError is [ErrBadAnswer] with the reason.
type AnswerError struct {
	ID  string // of the interrupt
	Err error
}

// Error implements error.
func (e *AnswerError) Error() string { return fmt.Sprintf("%v: %s: %v", ErrBadAnswer, e.ID, e.Err) }

// Is reports whether target is [ErrBadAnswer].
func (e *AnswerError) Is(target error) bool { return target == ErrBadAnswer }

// Unwrap returns the reason.
func (e *AnswerError) Unwrap() error { return e.Err }

// RecordError is [ErrCorrupt] with the place.
type RecordError struct {
	Thread, NS string
	Seq        int64
	Channel    string // "" if no channel is to blame
	Err        error
}

// Error implements error.
func (e *RecordError) Error() string {
	s := fmt.Sprintf("%v: thread %q", ErrCorrupt, e.Thread)
	if e.NS != "" {
		s += fmt.Sprintf(", namespace %q", e.NS)
	}
	s += fmt.Sprintf(", seq %d", e.Seq)
	if e.Channel != "" {
		s += fmt.Sprintf(", channel %q", e.Channel)
	}
	return fmt.Sprintf("%s: %v", s, e.Err)
}

// Is reports whether target is [ErrCorrupt].
func (e *RecordError) Is(target error) bool { return target == ErrCorrupt }

// Unwrap returns the reason.
func (e *RecordError) Unwrap() error { return e.Err }
