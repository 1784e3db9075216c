package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"maru/bot"
)

// TestTheEdgePausesAllCalls: Cloudflare, in front of the API, limits the address and not a route, and may name no delay.
// Calls of other routes would prolong that.
func TestTheEdgePausesAllCalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header, body string
		alone        bool // it is the API's own limit of a route
		want         time.Duration
	}{
		"a page":              {body: "<html>error code: 1015</html>", want: time.Minute},
		"a page with a delay": {header: "30", body: "error code: 1015", want: 30 * time.Second},
		"words":               {body: `{"message": "You are being blocked from accessing our API temporarily", "code": 0}`, want: time.Minute},
		"a quota of the API":  {header: "90", body: `{"message": "Max number of daily application command creates has been reached (200)", "code": 30034}`, alone: true, want: 90 * time.Second},
		"the API":             {header: "7", body: `{"message": "You are being rate limited.", "retry_after": 6.5, "global": false}`, alone: true, want: 7 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.Path)
				if len(asked) > 1 {
					return
				}
				if c.header != "" {
					w.Header().Set("Retry-After", c.header)
				}
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(w, c.body)
			}))
			defer srv.Close()
			now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
			var client *Client
			var waited time.Duration
			other := errors.New("not asked")
			client = New(Config{
				Token: "t", APIURL: srv.URL + "/api/v10", HTTPClient: srv.Client(), Server: func(string) string { return "" },
				Now: func() time.Time { return now },
				Wait: func(ctx context.Context, d time.Duration) error {
					if d == grace { // of a call that is under way
						<-ctx.Done()
						return ctx.Err()
					}
					other = client.Do(ctx, Call{Method: http.MethodPost, Path: "/channels/2/messages", Bucket: "post/2"})
					waited, now = waited+d, now.Add(d)
					return nil
				},
			})
			if err := client.Do(t.Context(), Call{Method: http.MethodPost, Path: "/channels/1/messages", Bucket: "post/1", Urgent: true}); err != nil {
				t.Fatal(err)
			}
			var d *bot.DeliveryError
			refused := errors.As(Delivery("post", other), &d) && errors.Is(d, bot.ErrUnavailable) && d.After == c.want
			if waited != c.want || refused == c.alone || (other == nil) != c.alone {
				t.Errorf("it waits %v, want %v; the other call ends with %v", waited, c.want, other)
			}
			if got := strings.Count(strings.Join(asked, " "), "/2/"); got != 0 != c.alone {
				t.Errorf("asked meanwhile: %v", asked)
			}
		})
	}
}
