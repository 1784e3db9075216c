package web

import (
	"context"
	"errors"
	"net/url"
	"time"

	"maru/bot"
)

// Tries is the maximum number of attempts of a retriable call.
const Tries = 3

// Again retries a retriable call. A sent call is not cancelled with its draft: Slack would
// execute it anyway, perhaps after the answer.
func (w *Client) Again(ctx context.Context, j Job, call func(context.Context) error) error {
	var err error
	for try := range Tries {
		err = w.Steady(ctx, j, call)
		if err == nil || ctx.Err() != nil || !temporary(err) || try == Tries-1 {
			return err
		}
		if w.Wait(ctx, time.Second<<try) != nil {
			return err
		}
	}
	return err
}

// temporary reports whether retrying the request may succeed.
func temporary(err error) bool {
	var done *bot.DeliveryError
	if errors.As(err, &done) {
		return false // from the gate
	}
	return Code(err) == "" || Ambiguous(err)
}

// Steady is [Client.Do] for a call that changes visible content: waiting for its turn may be
// cancelled with its draft, but not the sent call, since its effect and time would be
// unknown. A hanging call delays the answer, or the shutdown, by at most grace.
func (w *Client) Steady(ctx context.Context, j Job, call func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.gates.do(ctx, j, func(ctx context.Context) error {
		sent, cancel := context.WithTimeout(context.WithoutCancel(ctx), CallTimeout)
		defer cancel()
		defer context.AfterFunc(ctx, func() {
			if w.Wait(sent, grace) == nil {
				cancel()
			}
		})()
		return call(sent)
	})
}

// Ask makes a call on which a permission depends.
func (w *Client) Ask(ctx context.Context, method, place string, args url.Values, out any) error {
	return w.Again(ctx, Job{Method: method, Channel: place, Urgent: true}, func(ctx context.Context) error {
		return w.Call(ctx, method, args, out)
	})
}
