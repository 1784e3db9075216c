package main

import (
	"context"
	"io"

	"maru/bot/operate"
)

// desk makes a subcommand of one that reads the record. chat is its command there.
func desk(do func(operate.Desk, context.Context, []string, io.Writer) error, chat string) func(context.Context, invocation) error {
	return func(ctx context.Context, inv invocation) error {
		d := operate.Desk{Zone: inv.cfg.Place.Location(), Open: func(ctx context.Context) (operate.Record, func(), error) {
			b := newBase(inv.cfg, inv.log)
			r, _, err := openRecord(ctx, b)
			if err != nil {
				return nil, nil, whileServing(err, "ask it in the chat with `/maru "+chat+"`, or stop it first")
			}
			return r, func() { _ = b.opened.Close() }, nil // nothing was written
		}}
		return do(d, ctx, inv.args, inv.stdout)
	}
}
