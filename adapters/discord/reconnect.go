package discord

import (
	"context"
	"time"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/shard"
)

// The pauses between tries of a bot that Discord refuses after it had let it in.
const (
	firstRetry = 10 * time.Second
	lastRetry  = 5 * time.Minute
	lookAfter  = time.Second // how often it is looked whether a call was refused
)

// connect keeps the gateway connected. Where Discord refuses the bot from the start that is an error; where it refuses it
// later, as after a reset of the token, connect tries again with growing pauses: the state is in Ready meanwhile.
func (a *Adapter) connect(ctx context.Context, to *dispatcher) error {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		began := a.cfg.Now()
		err := a.shards.Run(ctx, to)
		if err == nil || ctx.Err() != nil || !a.shards.Worked() {
			return err
		}
		if a.cfg.Now().Sub(began) > lastRetry { // it was let in meanwhile
			pause = firstRetry
		}
		a.cfg.Logger.ErrorContext(ctx, "discord refuses the bot", "err", err.Error(), "wait", pause.String())
		a.refused.Store(true)
		if a.cfg.Wait(ctx, pause) != nil {
			return nil
		}
		a.api.Revive() // the gateway is asked for with the token
	}
}

// revive asks again, with growing pauses, whether Discord takes the token after a call was refused for it. Without an
// answer no more calls are made.
func (a *Adapter) revive(ctx context.Context) {
	look := time.NewTicker(lookAfter)
	defer look.Stop()
	for pause := firstRetry; ; {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		if !a.api.Dead() {
			pause = firstRetry
			continue
		}
		a.cfg.Logger.ErrorContext(ctx, "discord refuses the token", "err", rest.ErrToken.Error(), "wait", pause.String())
		if a.cfg.Wait(ctx, pause) != nil {
			return
		}
		a.api.Revive()
		if _, err := shard.Ask(ctx, a.api); err == nil {
			a.cfg.Logger.InfoContext(ctx, "discord takes the token again")
		}
		pause = min(2*pause, lastRetry)
	}
}
