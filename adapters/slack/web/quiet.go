package web

import (
	"context"
	"time"
)

// Quiet is how long a place that refused something is left alone.
const Quiet = time.Hour

// IsQuiet reports whether something was refused a short while ago.
func (w *Client) IsQuiet(what string) bool {
	until, ok := w.quiet.Get(what)
	return ok && w.Now().Before(until)
}

// QuietFor makes something not be asked for, or told, for a while.
func (w *Client) QuietFor(what string, d time.Duration) { w.quiet.Add(what, w.Now().Add(d)) }

// Quieten remembers that something is refused, so that it is not asked for with
// every message; it reports whether err was such a refusal.
func (w *Client) Quieten(ctx context.Context, what string, err error) bool {
	switch code := Code(err); code {
	case "", "ratelimited", "service_unavailable", "internal_error", "request_timeout":
		return false
	case "invalid_thread_ts", "thread_not_found", "message_not_found": // of this thread alone: it was deleted
		return true
	default:
		w.QuietFor(what, Quiet)
		w.Log.DebugContext(ctx, "slack does not take this here", "what", what, "code", code)
		return true
	}
}
