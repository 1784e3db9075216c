package web

import (
	"context"
	"errors"
	"net/url"
	"time"

	"maru/bot"
)

// Tries is how often a call is made that may be made again.
const Tries = 3

// Again repeats what may be repeated. A call that was sent is not given up with
// its draft: Slack would carry it out all the same, perhaps after the answer.
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

// temporary reports whether the same request may work in a moment.
func temporary(err error) bool {
	var done *bot.DeliveryError
	if errors.As(err, &done) {
		return false // the gate's word
	}
	return Code(err) == "" || Ambiguous(err)
}

// Steady is [Client.Do] for a call that changes what is shown: its turn may be given
// up with the draft that it shows, the call itself not, or nobody would know
// what it did, and when. What then hangs must not hold up the answer, nor the
// program's end, for longer than grace.
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

// Ask makes a call that somebody's right waits for.
func (w *Client) Ask(ctx context.Context, method, place string, args url.Values, out any) error {
	return w.Again(ctx, Job{Method: method, Channel: place, Urgent: true}, func(ctx context.Context) error {
		return w.Call(ctx, method, args, out)
	})
}
