package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
)

// admin fetches a page of the operator's listener.
func (p *program) ofAdmin(path string) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://"+p.admin+path, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// logged waits for a line of the log with these parts, and returns it.
func (p *program) logged(parts ...string) string {
	p.t.Helper()
	ctx := within(p.t, atMost)
	for ctx.Err() == nil {
		p.mu.Lock()
		log := p.log.String()
		p.mu.Unlock()
		for line := range strings.SplitSeq(log, "\n") {
			has := true
			for _, part := range parts {
				has = has && strings.Contains(line, part)
			}
			if has && line != "" {
				return line
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.t.Fatalf("no line of the log has %q", parts)
	return ""
}

// TestABadTokenLeavesTheOthersServing starts with a Discord token that is refused: Slack is answered, the log says what
// to do, and so does the readiness, which stays ready.
func TestABadTokenLeavesTheOthersServing(t *testing.T) {
	t.Parallel()
	unraced(t)
	f := discordfake.Start(t, discordfake.Config{})
	w := newSlackWorld(t, brain(t), "DISCORD_BOT_TOKEN=not."+"the.token", "DISCORD_API_URL="+f.URL())
	w.start()
	w.logged("platform refuses the bot", `"platform":"discord"`, "DISCORD_BOT_TOKEN", `"wait":"10s"`)
	w.await("C1", w.slack.Say("U1", "C1", "<@UBOT> hello", ""), 1, "You said: hello")
	line := w.logged(`"msg":"answered"`, `"thread":"slack/T1/C1/`, `"outcome":"done"`, `"agent":"chat"`, `"route":"agent"`)
	if strings.Contains(line, "hello") {
		t.Errorf("the log has what was said: %s", line)
	}
	code, body := w.ofAdmin("/readyz?verbose")
	var state readiness
	if err := json.Unmarshal([]byte(body), &state); err != nil {
		t.Fatal(err)
	}
	if code != http.StatusOK || !state.Ready || state.Parts["discord"] != "limited" || state.Parts["slack"] != "ok" || !strings.Contains(state.Reasons["discord"], "DISCORD_BOT_TOKEN") {
		t.Errorf("ready: %d %s", code, body)
	}
}

// TestATokenTakenAwayLeavesTheOthersServing has Discord end the session of a running program for good: Slack is answered, the
// log and the readiness say what to do, and Discord is answered once it lets the bot in again.
func TestATokenTakenAwayLeavesTheOthersServing(t *testing.T) {
	t.Parallel()
	unraced(t)
	f := discordfake.Start(t, discordfake.Config{})
	general, user := f.AddChannel("general"), f.AddUser("철수")
	w := newSlackWorld(t, brain(t), "DISCORD_BOT_TOKEN="+f.Token(), "DISCORD_API_URL="+f.URL())
	d := &discordWorld{program: w.program, discord: f, general: general, user: user}
	d.begin()
	d.await(f.Say(user, general, f.Mention()+" first").ID, 1, "You said: first")
	f.RefuseIdentify(4004)
	f.CloseGateway(4004)
	w.logged("discord refuses the bot", "DISCORD_BOT_TOKEN", `"wait":"10s"`)
	w.await("C1", w.slack.Say("U1", "C1", "<@UBOT> hello", ""), 1, "You said: hello")
	code, body := w.ofAdmin("/readyz?verbose")
	var state readiness
	if err := json.Unmarshal([]byte(body), &state); err != nil {
		t.Fatal(err)
	}
	if code != http.StatusOK || !state.Ready || state.Parts["discord"] == "ok" || state.Parts["slack"] != "ok" || state.Reasons["discord"] == "" {
		t.Errorf("ready: %d %s", code, body)
	}
	f.RefuseIdentify(0)
	if err := f.AwaitReady(within(t, atMost)); err != nil {
		t.Fatal("the bot does not connect again")
	}
	d.await(f.Say(user, general, f.Mention()+" second").ID, 1, "You said: second")
}

// TestSettingsAreReadAgain changes the file of a running program: after SIGHUP the log level and the defaults of places
// hold, the log says what needs a restart, and a file with a fault changes nothing.
func TestSettingsAreReadAgain(t *testing.T) {
	t.Parallel()
	unraced(t)
	file := filepath.Join(t.TempDir(), "maru.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("place: {language: ko}\n")
	p := newProgram(t, "MARU_CONFIG="+file)
	p.env = slices.DeleteFunc(p.env, func(e string) bool { return strings.HasPrefix(e, "LOG_LEVEL=") })
	p.start()
	hup := func() {
		t.Helper()
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	write("place: {language: en}\nlog: {level: debug}\nrun: {workers: 3}\n")
	hup()
	p.logged("settings reloaded", `"changed":["LOG_LEVEL","MARU_LANGUAGE"]`, `"needs_restart":["MARU_WORKERS"]`)
	write("place: {agent: nobody}\n")
	hup()
	p.logged("reload settings", "MARU_AGENT", "nobody")
	if code, _ := p.get("/readyz"); code != http.StatusOK {
		t.Errorf("ready answers %d", code)
	}
	write("place: {language: en, agent: guide}\nlog: {level: debug}\n")
	hup()
	p.logged("settings reloaded", `"changed":["MARU_AGENT"]`, `"needs_restart":[]`)
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// TestARunIsOneTrace: a task that waits for a person is killed meanwhile and goes on in another process. A collector gets
// one trace of the whole run, with what was done before and after, and nothing that was said.
func TestARunIsOneTrace(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies, figures []string
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			t.Error(err)
		case r.URL.Path == "/v1/traces":
			bodies = append(bodies, string(body))
		case r.URL.Path == "/v1/metrics":
			figures = append(figures, string(body))
		default:
			t.Errorf("a request for %s", r.URL.Path)
		}
	}))
	t.Cleanup(collector.Close)
	w := newSlackWorld(t, planner(t), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "ENABLE_STEP_APPROVAL=false",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_RESOURCE_ATTRIBUTES=deployment.environment=test")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 숫자들을 계산해 줘", "")
	ts := ""
	if err := w.slack.Wait(within(t, atMost), func() bool {
		for _, r := range w.slack.Replies("C1", root) {
			if slices.Contains(r.Buttons(), "승인") {
				ts = r.TS
			}
		}
		return ts != ""
	}); err != nil {
		t.Fatalf("no plan is shown: %q", w.bots("C1", root))
	}
	w.kill()
	w.start()
	if _, err := w.slack.Click("U1", "C1", ts, "승인"); err != nil {
		t.Fatal(err)
	}
	w.await("C1", root, 2, "합은 5, 곱은 42예요.")
	w.logged(`"msg":"answered"`, `"agent":"orchestrator"`, `"tools":2`)
	ctx := within(t, atMost)
	for ctx.Err() == nil {
		mu.Lock()
		n := len(bodies)
		mu.Unlock()
		if n > 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if bodies = slices.Compact(bodies); len(bodies) != 1 { // cut off by the end of the program, the same is sent again
		t.Fatalf("%d traces", len(bodies))
	}
	for _, want := range []string{`"invoke_agent orchestrator"`, `"chat test"`, `"execute_tool calculator"`, `"dynamic_planning"`, `"tool_execution"`, `"asks a person: plan"`, `"deployment.environment"`, `"gen_ai.usage.input_tokens"`} {
		if !strings.Contains(bodies[0], want) {
			t.Errorf("the trace has no %s", want)
		}
	}
	if len(figures) != 1 { // the interval is a minute, and a killed program sends nothing
		t.Fatalf("%d requests with metrics", len(figures))
	}
	for _, want := range []string{`"maru_runs_finished_total"`, `"gen_ai.client.operation.duration"`, `"gen_ai.client.token.usage"`, `"gen_ai.provider.name"`, `"service.instance.id"`, `"deployment.environment"`} {
		if !strings.Contains(figures[0], want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
	for _, never := range []string{"숫자들", "합은", "2+3"} {
		if strings.Contains(bodies[0], never) || strings.Contains(figures[0], never) {
			t.Errorf("the collector is told %q", never)
		}
	}
}

// refusing returns an address that refuses connections until the test ends: its port is taken, so no other test gets it, but
// nobody listens.
func refusing(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(socket)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(at.(*syscall.SockaddrInet4).Port)) //nolint:errcheck // as it was bound
}

// TestNoCollector: questions are answered and the program ends as ever while the collector refuses every connection, which
// the log says once.
func TestNoCollector(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newSlackWorld(t, brain(t), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+refusing(t), "OTEL_METRIC_EXPORT_INTERVAL=100")
	w.start()
	w.logged("metrics were not taken", "OTEL_EXPORTER_OTLP_ENDPOINT")
	w.await("C1", w.slack.Say("U1", "C1", "<@UBOT> hello", ""), 1, "You said: hello")
	began := time.Now()
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("the end took %s", took)
	}
	if n := strings.Count(w.log.String(), "metrics were not taken"); n != 1 {
		t.Errorf("the log says %d times that metrics were not taken", n)
	}
}

// TestCommandsOfARunningProgram gives commands beside a program that holds the embedded record and index: it carries them
// out itself.
func TestCommandsOfARunningProgram(t *testing.T) {
	t.Parallel()
	unraced(t)
	p := newProgram(t)
	p.start()
	rules := filepath.Join(t.TempDir(), "picnic.md")
	if err := os.WriteFile(rules, []byte("# Picnic\n\nThe summer picnic takes place on 14 July at Lake Hwarang.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"ingest", "--tag", "fun", rules}, exitOK, "1 added, 0 unchanged, 0 failed", ""},
		{[]string{"ingest", rules}, exitOK, "0 added, 1 unchanged, 0 failed", ""},
		{[]string{"ingest", "/no/such/file"}, exitFailed, "", "no such file or folder"},
		{[]string{"usage", "--days", "2"}, exitOK, "day,team,channel", ""},
		{[]string{"usage", "--days", "0"}, exitUsage, "", "from 1"},
		{[]string{"audit", "verify"}, exitOK, "", ""},
		{[]string{"audit", "list", "--format", "csv"}, exitOK, "", ""},
	} {
		code, out, errs := runHere(t, "", append(slices.Clone(p.env), "LANG=en_US.UTF-8"), tt.args...)
		if code != tt.code || !strings.Contains(out, tt.stdout) || !strings.Contains(errs, tt.stderr) {
			t.Errorf("maru %v: %d\n%s%s", tt.args, code, out, errs)
		}
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	if code, out, errs := runHere(t, "", p.env, "docs"); code != exitOK || !strings.Contains(out, "picnic.md") { // it is there
		t.Errorf("maru docs: %d %s%s", code, out, errs)
	}
}
