package rest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

func TestTokenStaysWithItsHost(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host was asked, with the token %q", r.Header.Get("Authorization"))
	}))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer first.Close()
	_, err := do(t, first.URL, 10)
	if rest.StatusOf(err) != http.StatusFound {
		t.Fatalf("a redirect: %v", err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		after  time.Duration // to wait, 0 for none
		want   error
	}{
		{name: "as long as allowed", status: 200, body: "0123456789"},
		{name: "longer", status: 200, body: "0123456789a", want: rest.ErrTooLarge},
		{name: "absent", status: 404, want: rest.Status(404)},
		{name: "no content is no answer", status: 204, want: rest.Status(204)},
		{name: "limited", status: 429, want: rest.Status(429), after: time.Minute},
		{name: "limited for seconds", status: 429, header: map[string]string{"Retry-After": " 7 "}, want: rest.Status(429), after: 7 * time.Second},
		{name: "limited for a year", status: 503, header: map[string]string{"Retry-After": "31536000"}, want: rest.Status(503), after: 24 * time.Hour},
		{name: "limited until the past", status: 503, header: map[string]string{"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, want: rest.Status(503), after: -1},
		{name: "down", status: 503, want: rest.Status(503)},
		{name: "an odd header", status: 503, header: map[string]string{"Retry-After": "soon"}, want: rest.Status(503)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range c.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				if c.body != "" {
					_, _ = w.Write([]byte(c.body))
				}
			}))
			defer s.Close()
			a, err := do(t, s.URL, 10)
			if !errors.Is(err, c.want) || c.want == nil && string(a.Data) != c.body {
				t.Fatalf("%q, %v, want %v", a.Data, err, c.want)
			}
			wait, waits := errors.AsType[*source.Wait](err)
			if waits != (c.after != 0) || waits && wait.For != max(c.after, 0) {
				t.Fatalf("waits %v: %v", waits, wait)
			}
			if waits && rest.StatusOf(err) != 0 {
				t.Fatal("a limit is taken for a refusal of the thing asked for")
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		address string
		token   bool
		key     string // of the fault
	}{
		{"https://wiki.example.com/x", true, ""},
		{"http://wiki.example.com/x", false, ""},
		{"http://wiki.example.com/x", true, "source.not_https"},
		{"http://localhost:8090/x", true, ""},
		{"http://[::1]:8090/x", true, ""},
		{"http://127.0.0.1.example.com/x", true, "source.not_https"},
		{"ftp://wiki.example.com/x", true, "source.bad_url"},
		{"wiki.example.com", true, "source.bad_url"},
		{"https://", false, "source.bad_url"},
	} {
		_, err := rest.ParseURL(c.address, c.token)
		fault, bad := errors.AsType[*source.Fault](err)
		if bad != (c.key != "") || bad && (fault.Key != c.key || !fault.Permanent || !strings.Contains(fault.Error(), c.address)) {
			t.Errorf("%s with a token %v: %v, want %q", c.address, c.token, err, c.key)
		}
	}
}

// A listing of everything comes again after an hour, at once while it is small, and a cursor of another version begins again.
func TestPosition(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	list := func(cursor string, parts int) string {
		t.Helper()
		at := rest.ReadCursor[rest.Position](cursor)
		at.Begin(now, 8)
		at.Mark = now
		for n := range parts {
			var err error
			if cursor, err = at.Step(n < parts-1); err != nil {
				t.Fatal(err)
			}
		}
		return cursor
	}
	whole := func(cursor string) bool {
		at := rest.ReadCursor[rest.Position](cursor)
		at.Begin(now, 8)
		return at.Whole
	}
	large, few := list("", 20), list("", 3)
	if !whole("") || whole(large) || !whole(few) || !whole(`{"begun": 7}`) {
		t.Error("first, large, small, unreadable:", whole(""), whole(large), whole(few), whole(`{"begun": 7}`))
	}
	now = now.Add(59 * time.Minute)
	changes := list(large, 2)
	if at := rest.ReadCursor[rest.Position](changes); whole(changes) || !at.Since.Equal(now) {
		t.Error("after a listing of changes:", at)
	}
	if now = now.Add(time.Minute); !whole(changes) {
		t.Error("after an hour only changes are listed")
	}
}

func do(t *testing.T, address string, most int64) (rest.Answer, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer secret")
	return rest.New(http.DefaultClient, "Maru/1").Do(req, most, rest.Refusal)
}
