package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"maru/adapters/discord/gateway"
	"maru/bot"
)

// The events that the adapter wants: guilds, their messages, direct messages.
// What the messages say is an intent of its own, which Discord grants to whom an
// admin has allowed it.
const (
	intents       = int(discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages)
	intentContent = int(discordgo.IntentMessageContent)
)

// connect keeps the gateway connected until ctx ends or it can never work.
func (a *Adapter) connect(ctx context.Context, in bot.Intake) error {
	for {
		var g gatewayInfo
		err := a.patiently(ctx, "ask for the gateway", func(ctx context.Context) (err error) {
			g, err = a.askGateway(ctx)
			return err
		})
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			err = a.runShards(ctx, in, g.shards())
		}
		if ctx.Err() != nil {
			return nil
		}
		if !a.canHelp(ctx, err, g.shards()) {
			a.setDown(err)
			return explain(err)
		}
	}
}

// canHelp reports whether another attempt, made differently, can work: without
// the right to read messages, or with more shards.
func (a *Adapter) canHelp(ctx context.Context, err error, shards int) bool {
	var c *gateway.CloseError
	if !errors.As(err, &c) {
		return false
	}
	switch c.Code {
	case gateway.CloseIntents:
		if a.limited() {
			return false
		}
		a.log.ErrorContext(ctx, "discord lets the bot read only messages that mention it and direct messages", "fix", fixContent)
		a.mu.Lock()
		a.noContent = true
		a.mu.Unlock()
		return true
	case gateway.CloseNeedsShards, gateway.CloseInvalidShard:
		g, err := a.askGateway(ctx)
		return err == nil && g.shards() > shards
	}
	return false
}

// fixContent is what an admin does about the missing intent.
const fixContent = "switch on “Message Content Intent” on the “Bot” page of the developer portal and restart"

// errLimited is told by Ready's and Check's callers.
var errLimited = fmt.Errorf("discord: %w: the bot may not read messages without a mention: %s", bot.ErrLimited, fixContent)

// limited reports whether Discord hides what messages say unless they mention
// the bot.
func (a *Adapter) limited() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.noContent
}

func (a *Adapter) wanted() int {
	if a.limited() {
		return intents
	}
	return intents | intentContent
}

// explain says what to do about an end of the gateway that is final.
func explain(err error) error {
	var c *gateway.CloseError
	if errors.Is(err, errToken) {
		return errToken
	}
	if !errors.As(err, &c) {
		return err
	}
	switch c.Code {
	case gateway.CloseToken:
		return errToken
	case gateway.CloseInvalidShard, gateway.CloseNeedsShards:
		return fmt.Errorf("discord: the gateway does not take the number of shards that it names itself (close code %d): try again later", c.Code)
	case gateway.CloseVersion:
		return errors.New("discord: the gateway does not speak this version of the API any more (close code 4012): update the program")
	case gateway.CloseInvalidIntents:
		return errors.New("discord: the gateway does not know the intents that were asked for (close code 4013): update the program")
	case gateway.CloseIntents:
		return errors.New("discord: the gateway refused the intents (close code 4014): look at the “Bot” page of the developer portal")
	}
	return err
}

// patiently repeats f until it works, cannot ever, or ctx ends.
func (a *Adapter) patiently(ctx context.Context, what string, f func(context.Context) error) error {
	for n := 0; ; n++ {
		err := f(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil, errors.Is(err, errToken):
			a.setDown(err)
			return err
		}
		a.setDown(err)
		a.log.WarnContext(ctx, "discord adapter cannot start yet", "step", what, "err", err)
		if a.cfg.Wait(ctx, min(200*time.Millisecond<<min(n, 6), 10*time.Second)) != nil {
			return ctx.Err()
		}
	}
}

// runShards keeps all shards connected that are this process's, until ctx ends
// or one of them can never work.
func (a *Adapter) runShards(ctx context.Context, in bot.Intake, shards int) error {
	a.tracks.divide(shards)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	own := a.ownAll(ctx, &running, shards)
	for i := range shards {
		running.Go(func() {
			if err := own(i, func(ctx context.Context) error { return a.standShard(ctx, in, i, shards) }); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// ownAll returns how a shard is run while this process is its one owner: always,
// if there are no others.
func (a *Adapter) ownAll(ctx context.Context, running *sync.WaitGroup, shards int) func(int, func(context.Context) error) error {
	if a.cfg.Owners == nil {
		return func(_ int, run func(context.Context) error) error { return run(ctx) }
	}
	base, d := a.deed(), newDivision(shards)
	running.Go(func() { a.divideShards(ctx, base, d) })
	return func(shard int, run func(context.Context) error) error {
		return a.own(ctx, d, shard, shardName(base, shard, shards), run)
	}
}

// standShard runs a shard from where it was left.
func (a *Adapter) standShard(ctx context.Context, in bot.Intake, shard, shards int) error {
	a.links.open(shard)
	defer a.links.drop(shard)
	if a.patiently(ctx, "read notes", func(ctx context.Context) error { return a.adopt(ctx, shard) }) != nil {
		return nil // ctx has ended
	}
	return a.runShard(ctx, in, shard, shards)
}

// runShard keeps one shard connected until ctx ends.
func (a *Adapter) runShard(ctx context.Context, in bot.Intake, shard, shards int) error {
	err := gateway.New(gateway.Config{
		Token: a.cfg.Token, Shard: shard, Shards: shards,
		Begin: func(ctx context.Context) (gateway.Start, error) { return a.beginSession(ctx, shard) },
		Spend: func(ctx context.Context) error { return a.spendIdentify(ctx, shard) },
		Handle: func(ctx context.Context, d gateway.Dispatch) {
			if d.Type == "READY" {
				a.onReady(ctx, in, shard, shards, d.Data)
			}
			a.on(ctx, in, d.Type, d.Data)
		},
		Up:     func() { a.links.set(shard, nil) },
		Down:   func(cause error, _ bool) { a.links.set(shard, cause) },
		Missed: func() { a.regain(ctx, shard) },
		Log:    a.log, Wait: a.cfg.Wait, Jitter: a.cfg.Jitter, Proxy: http.ProxyFromEnvironment,
	}).Run(ctx)
	if ctx.Err() != nil {
		a.refundIdentify(context.WithoutCancel(ctx), shard)
	}
	return err
}

// onReady begins a new session: who the bot is, what was missed, its commands.
func (a *Adapter) onReady(ctx context.Context, in bot.Intake, shard, shards int, raw []byte) {
	var r ready
	a.tookTurn(ctx, shard)
	if !a.decode(ctx, "READY", raw, &r) {
		return
	}
	a.mu.Lock()
	a.botID, a.botName = first(r.User.ID, a.botID), first(r.User.name(), a.botName)
	a.appID = first(r.Application.ID, a.appID)
	a.mu.Unlock()
	a.noteGuilds(ctx, in, r, shard, shards)
	a.beginCatchUp(shard)
	a.log.InfoContext(ctx, "discord gateway ready", "bot", r.User.ID, "shard", shard, "reads_all_messages", !a.limited())
	if shard == 0 {
		a.spawn(ctx, func(ctx context.Context) { a.register(ctx, in.Commands()) })
	}
}
