package desk

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot"
)

func TestReceivable(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://ci.example.com/maru?key=1": true, "http://10.0.0.7:8080/x": true, "http://[::1]:8080/x": true, "http://ci.example.com/x": false, "http://8.8.8.8/x": false, "https://예시.example/훅": true,
		"": false, "ci.example.com": false, "ftp://ci.example.com": false, "javascript:alert(1)": false, "https://": false, "https:///x": false,
		"https://me:secret@ci.example.com": false, "https://ci.example.com/#x": false, "https://ci.example.com/a b": false, "https://ci.example.com/\n": false,
		"https://" + strings.Repeat("x", 2000): false,
	} {
		if got := receivable(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}

// TestTell: the receiver gets the status under the request's ID, once it takes it; its answers say whether and when it is tried again.
func TestTell(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   error // nil: taken
		after  time.Duration
	}{
		"taken": {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }},
		"down":  {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, want: bot.ErrUnavailable},
		"busy":  {answer: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "7"); w.WriteHeader(429) }, want: bot.ErrUnavailable, after: 7 * time.Second},
		"busy for ever": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "99999999")
			w.WriteHeader(503)
		}, want: bot.ErrUnavailable, after: mostPatience},
		"refuses": {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, want: bot.ErrForbidden},
		"leads away": {answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, want: bot.ErrForbidden},
		"hangs up": {answer: func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = c.Close()
			}
		}, want: bot.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex // a connection that hangs up orders nothing
			var got Status
			asked := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				raw, err := io.ReadAll(r.Body)
				mu.Lock()
				defer mu.Unlock()
				asked++
				if err != nil || json.Unmarshal(raw, &got) != nil || r.Method != http.MethodPost || r.Header.Get("Idempotency-Key") != "r1" || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s %v: %s", r.Method, r.Header, raw)
				}
				c.answer(w, r)
			}))
			t.Cleanup(s.Close)
			d := New(Config{Client: s.Client()})
			_, err := d.tell(t.Context(), s.URL+"/hook?key=secret", Status{ID: "r1", State: Approved, Receipt: "x.y.z"})
			mu.Lock()
			defer mu.Unlock()
			if !errors.Is(err, c.want) || c.want == nil && err != nil || asked != 1 || got.Receipt != "x.y.z" {
				t.Errorf("asked %d times, %v: %+v", asked, err, got)
			}
			var fault *bot.DeliveryError
			if err != nil && (strings.Contains(err.Error(), "secret") || !errors.As(err, &fault) || fault.After != c.after) {
				t.Errorf("the error is %v, after %v", err, fault)
			}
		})
	}
}
