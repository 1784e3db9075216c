package autonomous_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"maru/agent/llm/llmtest"
	"maru/agent/workflow/node"
)

// TestHTTPRequestOverTLS asks a service with a certificate: it is followed within
// bounds, never from https to http, and what is too long is cut between letters.
func TestHTTPRequestOverTLS(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("plain")) }))
	t.Cleanup(plain.Close)
	mux := http.NewServeMux()
	to := func(path, target string) { mux.Handle(path, http.RedirectHandler(target, http.StatusFound)) }
	mux.HandleFunc("/end", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("end")) })
	to("/r1", "/end")
	to("/r2", "/r1")
	to("/r3", "/r2")
	to("/r4", "/r3")
	to("/loop", "/loop")
	to("/down", plain.URL)
	to("/out", "https://elsewhere.example.com/")
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("xx" + strings.Repeat("가", 200_000)))
	})
	mux.HandleFunc("/none", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/teapot", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	server := httptest.NewUnstartedServer(mux)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a handshake is refused below
	server.StartTLS()
	t.Cleanup(server.Close)
	host, plainHost := strings.TrimPrefix(server.URL, "https://"), strings.TrimPrefix(plain.URL, "http://")
	ask := func(path, say string, known bool) (string, error) {
		d := newDesk(t, llmtest.Script())
		client := node.NewHTTPClient(only(host, plainHost))
		if tr, ok := client.Transport.(*http.Transport); ok && known {
			theirs, isTransport := server.Client().Transport.(*http.Transport)
			if !isTransport {
				t.Fatal("the test server's client has another transport")
			}
			tr.TLSClientConfig = theirs.TLSClientConfig.Clone()
		}
		d.cfg.HTTP = client
		config := fmt.Sprintf(`{"url":%q,"hosts":[%q,%q]}`, server.URL+path, host, plainHost)
		d.team(line("t", `{"id":"n","node_type":"http_request","config":`+config+`}`,
			fmt.Sprintf(`{"id":"say","node_type":"set_state","config":{"set":{"final_answer":%q}}}`, say)))
		res, err := d.ask("x")
		return res.Text, err
	}
	const all = "{{last_output.status}} {{last_output.cut}} {{last_output.body}}"
	for path, want := range map[string]string{"/end": "200 false end", "/r3": "200 false end", "/none": "204 false", "/teapot": "418 false"} {
		if got, err := ask(path, all, true); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	for path, want := range map[string]string{"/r4": "more than 3 times", "/loop": "more than 3 times", "/down": "from https to http", "/out": "redirected to elsewhere.example.com"} {
		if got, err := ask(path, all, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	if got, err := ask("/end", all, false); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody vouches for: %q, %v", got, err)
	}
	if got, err := ask("/huge", "{{last_output.status}} {{last_output.cut}}", true); err != nil || got != "200 true" {
		t.Errorf("too long a reply: %q, %v", got, err)
	}
	got, err := ask("/huge", "{{last_output.body}}", true)
	if n := len(got); err != nil || n > 256<<10 || n < 255<<10 || strings.ContainsRune(got, utf8.RuneError) {
		t.Errorf("%d bytes of too long a reply, ends %q, %v", n, got[max(0, n-8):], err)
	}
}
