package slack_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	slackgo "github.com/slack-go/slack"
	"gopkg.in/yaml.v3"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/logtest"
)

func TestConnectionComesBack(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.until("connected", func() bool { n, _ := w.Connections(); return n == 1 })
	for i, cut := range []func(){
		func() { w.Disconnect("warning") }, func() { w.Disconnect("refresh_requested") }, func() { w.Disconnect("link_disabled") },
		w.Kill, func() {
			w.Frame(`{"type":"events_api","envelope_id":`)
			w.Frame("not json")
			w.Frame(`{"type":"unheard_of"}`)
		},
	} {
		cut()
		ts := w.Say("U1", "D1", "still there? "+strconv.Itoa(i), "")
		w.settle()
		if _, ok := w.in.unique()["slack/T1/D1/"+ts]; !ok {
			t.Errorf("cut %d lost a message", i)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for w.adapter.Ready(ctx) != nil {
		if err := shortly(ctx, time.Second); err != nil {
			t.Fatal("not ready again")
		}
	}
}

func TestOrderIsKept(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	for i := range 200 {
		w.Say("U1", "D1", strconv.Itoa(i), "")
	}
	w.settle()
	for i, m := range w.in.said() {
		if m.Text != strconv.Itoa(i) {
			t.Fatalf("message %d is %q", i, m.Text)
		}
	}
}

func TestRefusedTokensEndRun(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	for name, change := range map[string]func(*slack.Config){
		"bot_token": func(c *slack.Config) { c.BotToken = "xoxb-wrong-secret" },
		"app_token": func(c *slack.Config) { c.AppToken = "xapp-1-AMARU-wrong-secret" },
	} {
		c := config(f)
		change(&c)
		a, err := slack.New(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		err = a.Run(ctx, &intake{})
		cancel()
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "SLACK_") {
			t.Errorf("%s: %v", name, err)
		}
		if a.Ready(t.Context()) == nil {
			t.Errorf("%s: ready", name)
		}
	}
}

// A workspace that moves into an organisation lets nobody in until it is there: the
// adapter waits for that.
func TestAccessIsWithheldAtStart(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	f.Fail(slackfake.Fault{Method: "auth.test", Code: "org_login_required", Times: 2})
	f.Fail(slackfake.Fault{Method: "apps.connections.open", Code: "team_access_not_granted", Times: 1})
	w := run(t, f, config(f))
	f.Say("U1", "D1", "hi", "")
	w.until("what is said arrives", func() bool { return len(w.in.said()) > 0 })
}

func TestConfigSaysEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := slack.New(slack.Config{APIURL: "::"})
	for _, want := range []string{"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_API_URL"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not in %v", want, err)
		}
	}
}

func TestSlackIsAwayAtStart(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	f.Fail(slackfake.Fault{Method: "auth.test", Status: 500, Times: 3})
	w := run(t, f, config(f))
	w.Say("U1", "D1", "hi", "")
	w.settle()
	if len(w.in.said()) != 1 {
		t.Error("message lost")
	}
}

// TestForgedRequests: nothing that Slack did not sign, now and for us, comes in.
func TestForgedRequests(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	c := config(f)
	overHTTP(&c)
	log := &logtest.Log{}
	c.Logger = log.Logger()
	a, err := slack.New(c)
	if err != nil {
		t.Fatal(err)
	}
	in := &intake{}
	mux := http.NewServeMux()
	a.Mount(mux, in)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	body := `{"type":"event_callback","team_id":"T1","event":{"type":"message","channel":"D1","user":"U1","ts":"5.5","text":"forged"}}`
	otherApp := strings.Replace(body, `"team_id"`, `"api_app_id":"AOTHER","team_id"`, 1)
	otherTeam := strings.Replace(body, `"team_id":"T1"`, `"team_id":"T2","authorizations":[{"team_id":"T2"}]`, 1)
	now := time.Now().Unix()
	stamp := func(d time.Duration) string { return strconv.FormatInt(now+int64(d/time.Second), 10) }
	sign := func(secret, at, body string) string { return slackfake.Signature(secret, at, []byte(body)) }
	var zipped bytes.Buffer
	zw := gzip.NewWriter(&zipped)
	_, _ = zw.Write(bytes.Repeat([]byte("a"), 1<<20))
	_ = zw.Close()
	huge := strings.Repeat(" ", 1<<20+1)
	for name, r := range map[string]struct {
		at, sig, body, encoding string
		chunked                 bool
		want                    int
	}{
		"no_signature":      {stamp(0), "", body, "", false, 401},
		"no_time":           {"", sign(f.SigningSecret(), "", body), body, "", false, 401},
		"wrong_secret":      {stamp(0), sign("wrong", stamp(0), body), body, "", false, 401},
		"empty_secret":      {stamp(0), sign("", stamp(0), body), body, "", false, 401},
		"other_version":     {stamp(0), strings.Replace(sign(f.SigningSecret(), stamp(0), body), "v0", "v1", 1), body, "", false, 401},
		"old":               {stamp(-6 * time.Minute), sign(f.SigningSecret(), stamp(-6*time.Minute), body), body, "", false, 401},
		"future":            {stamp(6 * time.Minute), sign(f.SigningSecret(), stamp(6*time.Minute), body), body, "", false, 401},
		"plus":              {"+" + stamp(0), sign(f.SigningSecret(), "+"+stamp(0), body), body, "", false, 401},
		"time_changed":      {stamp(time.Second), sign(f.SigningSecret(), stamp(0), body), body, "", false, 401},
		"body_changed":      {stamp(0), sign(f.SigningSecret(), stamp(0), body), body + " ", "", false, 401},
		"too_large":         {stamp(0), sign(f.SigningSecret(), stamp(0), huge), huge, "", false, 413},
		"too_large_chunked": {stamp(0), sign(f.SigningSecret(), stamp(0), huge), huge, "", true, 413},
		"gzip_bomb":         {stamp(0), sign(f.SigningSecret(), stamp(0), zipped.String()), zipped.String(), "gzip", false, 415},
		"not_json":          {stamp(0), sign(f.SigningSecret(), stamp(0), "{"), "{", "", false, 400},
		"wrong_app":         {stamp(0), sign(f.SigningSecret(), stamp(0), otherApp), otherApp, "", false, 401},
		"wrong_team":        {stamp(0), sign(f.SigningSecret(), stamp(0), otherTeam), otherTeam, "", false, 200}, // it is not said whom we serve
		"genuine":           {stamp(0), sign(f.SigningSecret(), stamp(0), body), body, "", false, 200},
	} {
		var rd io.Reader = strings.NewReader(r.body)
		if r.chunked {
			rd = io.MultiReader(rd)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/slack/events", rd)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Slack-Request-Timestamp", r.at)
		req.Header.Set("X-Slack-Signature", r.sig)
		if r.encoding != "" {
			req.Header.Set("Content-Encoding", r.encoding)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(name, err)
		}
		told, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != r.want {
			t.Errorf("%s: status %d, want %d", name, resp.StatusCode, r.want)
		}
		if s := string(told); strings.Contains(s, "signature") || strings.Contains(s, "forged") || r.sig != "" && strings.Contains(s, r.sig) {
			t.Errorf("%s: told %q", name, s)
		}
	}
	if n := len(in.said()); n != 1 {
		t.Errorf("%d messages came in, want the genuine one", n)
	}
	if told := log.String(); strings.Count(told, "check this machine") != 1 || strings.Contains(told, "forged") || !strings.Contains(told, "off=") {
		t.Errorf("of the clocks the operator is told: %s", told)
	}
}

func TestChallengeAndForeignTeams(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{}, overHTTP)
	id := w.EmitRaw("events_api", []byte(`{"type":"url_verification","challenge":"3eZbrw1a<b>","token":"x"}`))
	w.EmitRaw("events_api", []byte(`{"type":"event_callback","team_id":"T2","authorizations":[{"team_id":"T2"}],"event":{"type":"message","channel":"D1","user":"U1","ts":"6.1","text":"not ours"}}`))
	w.EmitRaw("events_api", []byte(`{"type":"event_callback","team_id":"T2","is_ext_shared_channel":true,"authorizations":[{"team_id":"T1"}],"event":{"type":"message","channel":"C1","user":"U8","user_team":"T2","ts":"6.2","text":"<@UBOT> shared"}}`))
	w.settle()
	for _, d := range w.Deliveries() {
		if d.Status != http.StatusOK {
			t.Errorf("status %d for %s", d.Status, d.Payload)
		}
		if d.ID == id && string(d.Reply) != "3eZbrw1a<b>" {
			t.Errorf("challenge answered with %q", d.Reply)
		}
	}
	got := w.in.unique()
	if m, ok := got["slack/T1/C1/6.2"]; len(got) != 1 || !ok || !m.User.External || !m.User.Watched {
		t.Errorf("messages: %+v", got)
	}
}

func TestStopsInOrder(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	a, err := slack.New(config(f))
	if err != nil {
		t.Fatal(err)
	}
	in := &intake{}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	entered := make(chan struct{})
	in.onMessage = func(bot.Message) error {
		close(entered)
		cancel() // while the event is being committed
		return nil
	}
	go func() { done <- a.Run(ctx, in) }()
	f.Say("U1", "D1", "last words", "")
	<-entered
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
	if len(in.said()) != 1 {
		t.Error("the event was not committed")
	}
	if err := a.Ready(t.Context()); err == nil {
		t.Error("ready after the end")
	}
}

func TestRevokedIsNotReady(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.Emit(map[string]any{"type": "app_uninstalled"})
	w.settle()
	if err := w.adapter.Ready(t.Context()); err == nil {
		t.Error("ready without access")
	}
}

func TestManifest(t *testing.T) {
	t.Parallel()
	m, err := slack.Manifest(slack.ManifestOptions{})
	if err != nil || !strings.Contains(m, "socket_mode_enabled: true") || !strings.Contains(m, "agent_view") {
		t.Fatalf("%v\n%s", err, m)
	}
	var known slackgo.Manifest
	dec := yaml.NewDecoder(strings.NewReader(m))
	dec.KnownFields(true)
	if err := dec.Decode(&known); err != nil {
		t.Errorf("Slack knows no such field: %v", err)
	}
	if n := len(known.Display.LongDescription); n < 175 || len(known.Display.Description) > 140 {
		t.Errorf("descriptions of %d and %d characters", n, len(known.Display.Description))
	}
	h, err := slack.Manifest(slack.ManifestOptions{URL: "https://maru.example.com/"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"socket_mode_enabled: false", "https://maru.example.com/slack/events", "https://maru.example.com/slack/interactions", "url: https://maru.example.com/slack/commands"} {
		if !strings.Contains(h, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, bad := range []string{"http://maru.example.com", "maru.example.com", "https://a.example/?x=1"} {
		if _, err := slack.Manifest(slack.ManifestOptions{URL: bad}); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

// BenchmarkAck measures from an event that Slack sends to its acknowledgement,
// at a hundred events a second and an intake that commits at once.
func BenchmarkAck(b *testing.B) {
	f := slackfake.Start(b, slackfake.Options{})
	a, err := slack.New(config(f))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, &intake{}) }()
	f.Say("U1", "D1", "warm up", "")
	if err := f.Settle(ctx); err != nil {
		b.Fatal(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for b.Loop() {
		<-tick.C
		f.Say("U1", "D1", "hello", "")
	}
	if err := f.Settle(ctx); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for _, d := range f.Deliveries()[1:] {
		took = append(took, d.AckedAt.Sub(d.SentAt))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	cancel()
	if err := <-done; err != nil {
		b.Error(err)
	}
}

// A store that needs longer than Slack waits has the event in the end: it is not
// acknowledged, but what Slack sends again does not begin again.
func TestASlowStoreHasTheEventInTheEnd(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{Retries: []time.Duration{}})
	c := config(f)
	overHTTP(&c)
	w := run(t, f, c)
	store, kept := make(chan struct{}), make(chan struct{})
	w.in.slow = func(ctx context.Context) error {
		select {
		case <-store:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.in.onMessage = func(bot.Message) error { close(kept); return nil }
	w.Say("U1", "D1", "hello", "")
	w.settle()
	if d := w.Deliveries(); d[len(d)-1].Status != http.StatusServiceUnavailable {
		t.Errorf("answered with %d before it was stored", d[len(d)-1].Status)
	}
	close(store)
	select {
	case <-kept:
	case <-time.After(patience):
		t.Error("the event is lost")
	}
}
