package workflow

import (
	"encoding/json"
	"errors"
	"fmt"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
)

// Failure adds to the error of a run the code of its sentence for people; without a code it becomes a neutral
// sentence. It names the items of a map that failed.
func Failure(err error) error {
	err = named(err)
	code := modelCode(llm.ClassOf(err))
	if errors.Is(err, llm.ErrOnlyThoughts) {
		code = "model_thoughts"
	}
	if errors.Is(err, graph.ErrStepLimit) {
		code = "too_many_steps"
	}
	if errors.Is(err, graph.ErrPlanChanged) {
		code = "upgraded"
	}
	if errors.Is(err, graph.ErrTurnPassed) { // it was parked, and its conversation went on
		code = "followed"
	}
	if code == "" {
		return err
	}
	f := &agent.Failure{Code: code, Err: err}
	var e *llm.Error
	if errors.As(err, &e) {
		f.After = e.After
	}
	return f
}

// modelCode returns the code of the sentence about a model's failure.
func modelCode(class llm.Class) string {
	switch class {
	case llm.RateLimited, llm.Overloaded, llm.Busy:
		return "model_busy"
	case llm.Network:
		return "model_away"
	case llm.Cut:
		return "model_cut"
	case llm.Garbage:
		return "model_garbled"
	case llm.WebPage:
		return "model_address"
	case llm.Timeout:
		return "timeout"
	case llm.Auth, llm.NotFound:
		return "model_auth"
	case llm.BadRequest:
		return "model_unfit"
	case llm.Quota:
		return "model_quota"
	case llm.ContextLength:
		return "too_long"
	case llm.Length:
		return "model_no_room"
	case llm.OverBudget:
		return "spent"
	case llm.ContentFilter, llm.Refused, llm.Invalid:
		return "model_refused"
	}
	return ""
}

// named adds to each failed task of a map the item that it worked on.
func named(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // how the engine joins those of one step
		var all []error
		for _, one := range several.Unwrap() {
			all = append(all, named(one))
		}
		return errors.Join(all...)
	}
	if item, ok := failedItem(err); ok {
		return fmt.Errorf("item %d of %d of map %s (index %d): %w", item.Index+1, item.Count, item.Map, item.Index, err)
	}
	return err
}

// failedItem returns the item of a map whose task an error is of.
func failedItem(err error) (Item, bool) {
	var failed *graph.NodeError
	var item Item
	if !errors.As(err, &failed) || failed.Arg == nil || json.Unmarshal(failed.Arg, &item) != nil {
		return Item{}, false
	}
	return item, item.Map != ""
}
