package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"maru/adapters/web/signin/oidcfake"
	"maru/memory/memtest/servers"
)

// TestDoctorTriesTheKeysOfTools: a key that the service refuses is told by its setting,
// and never shown.
func TestDoctorTriesTheKeysOfTools(t *testing.T) {
	t.Parallel()
	unraced(t)
	var refuse atomic.Bool
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case refuse.Load():
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/search":
			_, _ = io.WriteString(w, `{"results":[{"title":"a","url":"https://example.org/a","content":"b"}]}`)
		default:
			_, _ = io.WriteString(w, `{"name":"Seoul","main":{"temp":7},"weather":[{"description":"clear"}]}`)
		}
	}))
	t.Cleanup(service.Close)
	env := []string{
		"DATA_DIR=" + t.TempDir(), "MARU_PYTHON=off", "OPENWEATHER_API_KEY=canary-1", "TAVILY_API_KEY=canary-2",
		"OPENWEATHER_BASE_URL=" + service.URL, "TAVILY_BASE_URL=" + service.URL,
	}
	if code, stdout, _ := runHere(t, "", env, "doctor"); code != 0 || !strings.Contains(stdout, "weather answers") || !strings.Contains(stdout, "web_search answers") {
		t.Errorf("with good keys: exit %d\n%s", code, stdout)
	}
	refuse.Store(true)
	code, stdout, stderr := runHere(t, "", env, "doctor")
	for _, want := range []string{"✗ tool         weather", "OPENWEATHER_API_KEY", "✗ tool         web_search", "TAVILY_API_KEY"} {
		if code != 1 || !strings.Contains(stdout, want) {
			t.Errorf("with bad keys it lacks %q: exit %d\n%s", want, code, stdout)
		}
	}
	if strings.Contains(stdout+stderr, "canary") {
		t.Errorf("a key is shown:\n%s%s", stdout, stderr)
	}
}

// TestDoctorBesideARunningProgram: what the running one holds is no fault.
func TestDoctorBesideARunningProgram(t *testing.T) {
	t.Parallel()
	unraced(t)
	for name, tt := range map[string]struct {
		env  func(*testing.T) []string
		want string
	}{
		"embedded": {func(*testing.T) []string { return nil }, "· record       in use by a running maru: "},
		"postgres": {func(t *testing.T) []string { return []string{"DATABASE_URL=" + servers.StartPostgres(t).URL} }, "· documents    in use by a running maru: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, tt.env(t)...)
			p.start()
			code, stdout, _ := runHere(t, "", append([]string{"DATA_DIR=" + p.dir + "/data", "MARU_PYTHON=off"}, p.own...), "doctor")
			if code != 0 || !strings.Contains(stdout, tt.want) {
				t.Errorf("exit %d\n%s", code, stdout)
			}
		})
	}
}

// TestInterruptedDoctor: who interrupts the doctor is told that, and no reasons that are none.
func TestInterruptedDoctor(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	p := process{
		args: []string{"doctor"}, environ: []string{"DATA_DIR=" + t.TempDir()}, readFile: os.ReadFile, stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
	}
	if code := p.run(ctx); code != exitFailed || strings.Count(out.String(), "✗") != 1 || !strings.Contains(out.String(), "interrupted") || strings.Contains(out.String(), "canceled") {
		t.Errorf("%d %s%s", code, out.String(), errs.String())
	}
}

// TestDoctorSaysWhatSignInsNeed: people cannot sign in at a server of the file without an address and a key.
func TestDoctorSaysWhatSignInsNeed(t *testing.T) {
	t.Parallel()
	env := []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "MARU_PYTHON=off", "MARU_CONFIG=" + serversFile(t, `mcp: [{name: notes, url: "https://notes.example.com/mcp", auth: oauth}]`)}
	if code, stdout, _ := runHere(t, "", env, "doctor"); code == 0 || !strings.Contains(stdout, "notes: people cannot sign in") || !strings.Contains(stdout, "set MARU_PUBLIC_URL and MARU_SECRET_KEY") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	env = append(env, "MARU_PUBLIC_URL=https://maru.example.com", "MARU_SECRET_KEY="+strings.Repeat("ab", 32))
	if _, stdout, _ := runHere(t, "", env, "doctor"); strings.Contains(stdout, "people cannot sign in") {
		t.Errorf("with both: %s", stdout)
	}
}

// TestDoctorTriesSignIns: a provider that does not answer, or is another one, is named.
func TestDoctorTriesSignIns(t *testing.T) {
	t.Parallel()
	p := oidcfake.Start(t)
	for name, c := range map[string]struct {
		issuer, want string
		code         int
	}{
		"answers": {p.URL, "✓ sign-in      oidc: the provider answers; its redirect address is https://maru.example.com/signin/oidc/callback", exitOK},
		"away":    {"http://127.0.0.1:1", "✗ sign-in      oidc: ", exitFailed},
		"another": {p.URL + "/realm", "✗ sign-in      oidc: ", exitFailed},
	} {
		env := []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "MARU_PYTHON=off", "MARU_PUBLIC_URL=https://maru.example.com", "OIDC_ISSUER=" + c.issuer, "OIDC_CLIENT_ID=maru", "OIDC_CLIENT_SECRET=shh", "OIDC_ROLES=viewer:*"}
		code, out, errs := runHere(t, "", env, "doctor")
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, errs)
		}
	}
}

// TestDoctorTriesTheCollector: an address without a collector, and one that takes no traces, are named with what to do.
func TestDoctorTriesTheCollector(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Api-Key") != "s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path != "/v1/metrics" || body["resourceMetrics"] == nil {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer srv.Close()
	for name, c := range map[string]struct {
		env  []string
		want []string
		code int
	}{
		"metrics alone": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + srv.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key=s3cret"}, []string{"✓ collector    " + srv.URL + "/v1/metrics", "✗ collector    " + srv.URL + "/v1/traces", "OTEL_TRACES_EXPORTER=none"}, exitFailed},
		"both told":     {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + srv.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key=s3cret", "OTEL_TRACES_EXPORTER=none"}, []string{"✓ collector    " + srv.URL + "/v1/metrics"}, exitOK},
		"wrong key":     {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + srv.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key=0ther"}, []string{"answers 401", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS"}, exitFailed},
		"away":          {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"}, []string{"✗ collector    http://127.0.0.1:1/v1/traces", "that the collector runs"}, exitFailed},
	} {
		code, out, errs := runHere(t, "", append([]string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "MARU_PYTHON=off"}, c.env...), "doctor")
		if code != c.code || strings.Contains(out+errs, "s3cret") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, errs)
		}
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: no %q in\n%s", name, w, out)
			}
		}
	}
}

// TestDoctorWithoutTheRecord: where the database is away it is the only fault, on one line.
func TestDoctorWithoutTheRecord(t *testing.T) {
	t.Parallel()
	env := []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "MARU_PYTHON=off", "DATABASE_URL=postgres://u:pw@127.0.0.1:1/x"}
	code, out, _ := runHere(t, "", env, "doctor")
	if code != exitFailed || strings.Count(out, "✗") != 1 || strings.Contains(out, "\n\t") || !strings.Contains(out, "· documents    not looked at") {
		t.Errorf("exit %d\n%s", code, out)
	}
}
