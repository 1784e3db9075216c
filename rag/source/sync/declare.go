package sync

import (
	"context"
	"errors"

	"maru/rag/source"
)

// declare stores the sources of the configuration file once. One that is not in the file any more stays with its
// documents, and nobody looks at it: a program that was started without its file deletes nothing.
func (e *Engine) declare(ctx context.Context) error {
	if e.declared {
		return nil
	}
	have, err := e.Store.Sources(ctx)
	if err != nil {
		return err
	}
	byName := map[string]source.Row{}
	for _, r := range have {
		byName[r.Name] = r
	}
	var changed []source.Row
	for _, want := range e.Rows {
		r, ok := byName[want.Name]
		delete(byName, want.Name)
		if ok && r.File && !r.Left && !r.Removed && r.Spec == want.Spec {
			continue
		}
		if !ok {
			r = source.Row{Name: want.Name, Created: e.Now()}
		}
		r.Spec, r.Team, r.File, r.Left, r.Removed, r.By = want.Spec, want.Team, true, false, false, ""
		changed = append(changed, r)
	}
	for _, r := range byName {
		if r.File && !r.Left {
			r.Left = true
			changed = append(changed, r)
		}
	}
	for _, r := range changed {
		if _, err := e.Store.PutSource(ctx, r); errors.Is(err, source.ErrChanged) {
			return nil // another replica or a person was faster: the next poll reads again
		} else if err != nil {
			return err
		}
	}
	e.declared = true
	return nil
}
