package discord_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
	"maru/logtest"
)

func TestHTTPInteractions(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	in := newIntake()
	in.onCommand = func(c bot.Invocation) (*bot.Card, error) {
		card := notice("over HTTP: " + c.Args)
		return &card, nil
	}
	log := &logtest.Log{}
	a := adapter(t, fake, discord.Config{PublicKey: fake.PublicKey(), Logger: log.Logger()})
	mux := http.NewServeMux()
	a.Mount(mux, in)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	url := srv.URL + "/discord/interactions"
	post := func(raw []byte, stamp, sig string) int {
		t.Helper()
		resp, err := fake.PostRaw(t.Context(), url, raw, stamp, sig)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		return resp.StatusCode
	}
	ping := []byte(`{"id":"1","type":1}`)
	now := strconv.FormatInt(time.Now().Unix(), 10)
	old := strconv.FormatInt(time.Now().Add(-6*time.Minute).Unix(), 10)
	ahead := strconv.FormatInt(time.Now().Add(6*time.Minute).Unix(), 10)
	huge := []byte(`{"id":"1","type":1,"x":"` + strings.Repeat("a", 1<<20) + `"}`) // by so little that all of it is sent before the answer
	for name, c := range map[string]struct {
		raw        []byte
		stamp, sig string
		want       int
	}{
		"ping":            {ping, now, fake.Sign(now, ping), 200},
		"no_signature":    {ping, now, "", 401},
		"wrong":           {ping, now, fake.Sign(now, []byte("other")), 401},
		"not_hex":         {ping, now, "zz", 401},
		"other_time":      {ping, now, fake.Sign(old, ping), 401},
		"old":             {ping, old, fake.Sign(old, ping), 401},
		"from_the_future": {ping, ahead, fake.Sign(ahead, ping), 401},
		"plus":            {ping, "+" + now, fake.Sign("+"+now, ping), 401},
		"no_time":         {ping, "", fake.Sign("", ping), 401},
		"too_large":       {huge, now, fake.Sign(now, huge), 413},
		"not_json":        {[]byte("{"), now, fake.Sign(now, []byte("{")), 400},
	} {
		if got := post(c.raw, c.stamp, c.sig); got != c.want {
			t.Errorf("%s: status %d, want %d", name, got, c.want)
		}
	}
	if told := log.String(); strings.Count(told, "clock right") != 1 {
		t.Errorf("of the clocks the operator is told: %s", told)
	}
	data := map[string]any{"name": "maru", "type": 1, "options": []any{map[string]any{"name": "ask", "type": 1, "options": []any{map[string]any{"name": "question", "type": 3, "value": "연차?"}}}}}
	p := fake.NewInteraction(fake.Alice, fake.General, 2, data, "")
	for range 2 { // the second is a repetition
		resp, err := fake.Post(t.Context(), url, p)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := fake.Await(ctx, func() bool {
		o := fake.Interaction(p.Interaction).Original
		return o != nil && o.Content == "over HTTP: 연차?"
	}); err != nil {
		t.Fatal(err, fmt.Sprint(fake.Interaction(p.Interaction)))
	}
	if len(in.invoked) != 1 {
		t.Errorf("carried out %d times", len(in.invoked))
	}
}

func TestWithoutKeyNothingIsServed(t *testing.T) {
	t.Parallel()
	fake := discordfake.Start(t, discordfake.Config{})
	mux := http.NewServeMux()
	adapter(t, fake, discord.Config{}).Mount(mux, newIntake())
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/discord/interactions", strings.NewReader("{}")))
	if rec.Code != http.StatusNotFound {
		t.Errorf("status %d", rec.Code)
	}
}
