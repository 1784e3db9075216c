package web

import (
	"context"
	"time"
)

// Quiet is how long a refused request is not repeated.
const Quiet = time.Hour

// IsQuiet reports whether a request is muted after a refusal.
func (w *Client) IsQuiet(what string) bool {
	until, ok := w.quiet.Get(what)
	return ok && w.Now().Before(until)
}

// QuietFor mutes a request or warning for a while.
func (w *Client) QuietFor(what string, d time.Duration) { w.quiet.Add(what, w.Now().Add(d)) }

// Quieten mutes a refused request, so that it is not repeated with every message; it reports
// whether err was such a refusal.
func (w *Client) Quieten(ctx context.Context, what string, err error) bool {
	switch code := Code(err); code {
	case "", "ratelimited", "service_unavailable", "internal_error", "request_timeout":
		return false
	case "invalid_thread_ts", "thread_not_found", "message_not_found": // specific to this thread: it was deleted
		return true
	default:
		w.QuietFor(what, Quiet)
		w.Log.DebugContext(ctx, "slack refuses this request, muting it", "what", what, "code", code)
		return true
	}
}
