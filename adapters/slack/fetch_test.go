package slack_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

func TestFetch(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	elsewhere := slackfake.Start(t, slackfake.Options{}) // another host: it must not see the token
	moved := elsewhere.AddFile(slackfake.File{Name: "a.txt", MIME: "text/plain", Data: []byte("moved")})
	host := strings.TrimSuffix(elsewhere.URL(), "/api/")
	get := func(f slackfake.File, limit int64, change func(*bot.File)) (string, error) {
		id := w.AddFile(f)
		ts := w.SayFiles("U1", "D1", "file", "", id)
		w.settle()
		file := w.in.unique()["slack/T1/D1/"+ts].Files[0]
		if change != nil {
			change(&file)
		}
		r, err := w.adapter.Fetch(t.Context(), file, limit)
		if err != nil {
			return "", err
		}
		defer func() { _ = r.Close() }()
		raw, err := io.ReadAll(r)
		return string(raw), err
	}
	if s, err := get(slackfake.File{Name: "a.txt", MIME: "text/plain", Data: []byte("hello")}, 100, nil); s != "hello" || err != nil {
		t.Errorf("%q %v", s, err)
	}
	if s, err := get(slackfake.File{Name: "a.html", MIME: "text/html", Data: []byte("<p>x")}, 100, nil); s != "<p>x" || err != nil {
		t.Errorf("%q %v", s, err)
	}
	if s, err := get(slackfake.File{Name: "a.txt", MIME: "text/plain", Data: []byte("by id")}, 100, func(f *bot.File) { f.URL = "" }); s != "by id" || err != nil {
		t.Errorf("%q %v", s, err)
	}
	big := slackfake.File{Name: "b.txt", MIME: "text/plain", Data: []byte(strings.Repeat("x", 1000))}
	if _, err := get(big, 100, nil); !errors.Is(err, bot.ErrTooLarge) {
		t.Errorf("large: %v", err)
	}
	big.NoSize = true
	if s, err := get(big, 100, nil); !errors.Is(err, bot.ErrTooLarge) || len(s) > 100 {
		t.Errorf("large without a size: %d bytes, %v", len(s), err)
	}
	if _, err := get(slackfake.File{Name: "a.pdf", MIME: "application/pdf", Login: true}, 100, nil); !errors.Is(err, bot.ErrForbidden) {
		t.Errorf("sign-in page: %v", err)
	}
	_, err := get(slackfake.File{Name: "a.txt", MIME: "text/plain", Redirect: host + "/files-pri/T1-" + moved + "/a.txt"}, 100, nil)
	if err == nil {
		t.Error("the token went to another host")
	}
	var visits atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	defer inside.Close()
	for _, to := range []string{inside.URL, "http://169.254.169.254/latest/meta-data/", "https://10.0.0.1/x", "https://slack.com.evil.example/x"} {
		if _, err := get(slackfake.File{Name: "a.txt", MIME: "text/plain", Redirect: to}, 100, nil); err == nil || !strings.Contains(err.Error(), "not on Slack's file host") {
			t.Errorf("a redirect to %s: %v", to, err)
		}
	}
	if n := visits.Load(); n > 0 {
		t.Errorf("%d requests went to another host", n)
	}
	for _, u := range []string{"https://evil.example/files-pri/x", "http://files.slack.com/x", "file:///etc/passwd", "https://files.slack.com.evil.example/x"} {
		if _, err := w.adapter.Fetch(t.Context(), bot.File{ID: "F", URL: u}, 10); err == nil || strings.Contains(err.Error(), "evil") {
			t.Errorf("%s: %v", u, err)
		}
	}
}

// TestFetchOfWhatIsNotTheFile: what comes in place of a file, or is a part of it, is
// refused, and the error says whether it is worth trying again.
func TestFetchOfWhatIsNotTheFile(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	page := []byte("<p>A page of ours that is longer than what Slack has people sign in with: it lists who is to be asked for what, in every office.</p>")
	for name, c := range map[string]struct {
		file   slackfake.File
		change func(*bot.File)
		want   error
		after  time.Duration
	}{
		"sign_in_page_for_a_page":       {slackfake.File{Name: "a.html", MIME: "text/html", Data: page, Login: true}, nil, bot.ErrForbidden, 0},
		"sign_in_page_for_a_short_page": {slackfake.File{Name: "a.html", MIME: "text/html", Data: page[:9], Login: true}, nil, bot.ErrForbidden, 0},
		"cut_off":                       {slackfake.File{Name: "a.txt", MIME: "text/plain", Data: []byte("the first half")}, func(f *bot.File) { f.Size *= 2 }, bot.ErrUnavailable, 0},
		"canvas_of_another_size":        {slackfake.File{Name: "a", MIME: "text/html", Data: page, Mode: "quip"}, nil, nil, 0},
		"busy":                          {slackfake.File{Name: "a.txt", MIME: "text/plain", Status: http.StatusTooManyRequests}, nil, bot.ErrUnavailable, 7 * time.Second},
		"broken":                        {slackfake.File{Name: "a.txt", MIME: "text/plain", Status: http.StatusBadGateway}, nil, bot.ErrUnavailable, 7 * time.Second},
		"denied":                        {slackfake.File{Name: "a.txt", MIME: "text/plain", Status: http.StatusForbidden}, nil, bot.ErrForbidden, 0},
		"gone":                          {slackfake.File{Name: "a.txt", MIME: "text/plain", Status: http.StatusNotFound}, nil, bot.ErrGone, 0},
		"link_to_another_service": {slackfake.File{Name: "Plan", MIME: "text/plain"}, func(f *bot.File) {
			f.URL = "https://docs.google.example/document/d/1/edit"
		}, bot.ErrElsewhere, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ts := w.SayFiles("U1", "D1", "file", "", w.AddFile(c.file))
			w.settle()
			file := w.in.unique()["slack/T1/D1/"+ts].Files[0]
			if c.change != nil {
				c.change(&file)
			}
			r, err := w.adapter.Fetch(t.Context(), file, 1000)
			if err == nil {
				_, err = io.ReadAll(r)
				_ = r.Close()
			}
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			var d *bot.DeliveryError
			if errors.As(err, &d) && d.After != c.after {
				t.Errorf("to be tried again after %s, want %s", d.After, c.after)
			}
		})
	}
}

// TestCallsFollowNoRedirect: whoever answers in place of Slack does not get the
// call, and the token in it, sent on to an address of their choice.
func TestCallsFollowNoRedirect(t *testing.T) {
	t.Parallel()
	var visits atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	defer inside.Close()
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
	}))
	defer door.Close()
	a, err := slack.New(slack.Config{BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: door.URL + "/api/"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Post(t.Context(), target("C1", "1.1"), text("an answer"), "run-1"); err == nil || visits.Load() > 0 {
		t.Errorf("error %v after %d calls elsewhere", err, visits.Load())
	}
}
