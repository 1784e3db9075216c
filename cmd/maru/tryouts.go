package main

import (
	"context"

	"github.com/google/uuid"

	"maru/agent/llm"
	"maru/bot/rehearsal"
	"maru/cmd/maru/console/tryout"
	"maru/cmd/maru/rehearse"
)

// tryouts returns the console's desk for rehearsals, which use the present settings.
func (a *app) tryouts() *tryout.Desk {
	return tryout.Over(a.desk(), tryout.Config{
		Record: a.record, Library: a.library, MaxFile: a.cfg.Documents.MaxFile, Settings: a.live.Now, Alone: a.cfg.Store.DatabaseURL.Reveal() == "", Me: uuid.NewString(), Log: a.log,
		Stage: func() (tryout.Build, func() error) {
			b := a.base
			b.cfg, b.opened = a.live.Now(), &closers{}
			on := stage{b, a.record, a.library, a.tools}
			return func(ctx context.Context, c rehearse.Change) (*rehearsal.Stage, llm.Model, error) {
				return on.build(ctx, c)
			}, b.opened.Close
		},
	})
}
