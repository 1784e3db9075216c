package autonomous_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"maru/agent"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/workflow/node"
)

// TestRequestsObeyWhoseWordsWereRead: a request of a workflow is a query to a service outside. With a
// stranger's words in it, it waits for a person, whatever its method, and is not sent without a yes.
func TestRequestsObeyWhoseWordsWereRead(t *testing.T) {
	t.Parallel()
	const (
		find = `{"id":"find","node_type":"tool_call","config":{"tool":"shop_find","output":"metadata.found"}}`
		idle = `{"id":"idle","node_type":"set_state","config":{"set":{"metadata.found":"hunter2"}}}`
		send = `{"id":"send","node_type":"http_request","config":{"url":"%s","hosts":["%h"]%m}}`
		say  = `{"id":"say","node_type":"set_state","config":{"set":{"final_answer":"{{last_output.status}} {{error}}"}}}`
	)
	for name, c := range map[string]struct {
		first, url, more string
		shows            string // on the card; "" for no question
	}{
		"words of a stranger":         {find, `/?q={{metadata.found}}`, ``, "hunter2"},
		"escaped words of a stranger": {find, `/?q={{replace(metadata.found, \"u\", \"%75\")}}`, ``, "hunter2"},
		"in the body":                 {find, `/`, `,"method":"POST","body":{"text":"{{metadata.found}}"}`, "hunter2"},
		"in a header":                 {find, `/`, `,"headers":{"X-Note":"{{metadata.found}}"}`, "hunter2"},
		"words of the person":         {find, `/?q={{replace(input, \" \", \"+\")}}`, ``, ""},
		"words of the author":         {find, `/?q=prices+of+tea`, `,"headers":{"Authorization":"Bearer fixed-4021"}`, ""},
		"nobody outside":              {idle, `/?q={{metadata.found}}`, ``, ""},
		"the author's word":           {find, `/?q={{metadata.found}}`, `,"approval":"never"`, ""},
		"always":                      {idle, `/?q=tea`, `,"approval":"always"`, "q=tea"},
		"a word of a sub-workflow":    {`{"id":"find","node_type":"sub_workflow","config":{"workflow":"inner","output":"metadata.found"}}`, `/?q={{metadata.found}}`, ``, "hunter2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, allowed := range []bool{true, false} {
				var mu sync.Mutex
				sent := 0
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					sent++
					_, _ = io.WriteString(w, "ok")
				}))
				t.Cleanup(server.Close)
				host := strings.TrimPrefix(server.URL, "http://")
				d := newDesk(t, llmtest.Script())
				d.cfg.Tools, d.cfg.HTTP = registryOf(t, shop{tool.Result{Text: "hunter2", From: "shop"}}), node.NewHTTPClient(only(host))
				inner := line("inner", find, `{"id":"out","node_type":"set_state","config":{"set":{"final_answer":"{{metadata.found}}"}}}`)
				d.team(line("t", c.first, strings.NewReplacer("%s", server.URL+c.url, "%h", host, "%m", c.more).Replace(send), say), inner)
				req := d.request("green tea", "en")
				res, err := d.agent.Run(t.Context(), req, d.sink)
				if err != nil {
					t.Fatal(err)
				}
				if c.shows == "" {
					if len(res.Interrupts) > 0 || sent != 1 || strings.TrimSpace(res.Text) != "200" {
						t.Errorf("%d questions, %d requests, %q", len(res.Interrupts), sent, res.Text)
					}
					return
				}
				if len(res.Interrupts) != 1 || sent != 0 {
					t.Fatalf("%d questions, %d requests before a yes", len(res.Interrupts), sent)
				}
				var shown agent.Ask
				if err := json.Unmarshal(res.Interrupts[0].Payload, &shown); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(shown.Detail, c.shows) || !strings.Contains(shown.Question, host) || strings.Contains(strings.ReplaceAll(shown.Detail, host, ""), "4021") {
					t.Errorf("the card shows %q with %q", shown.Question, shown.Detail)
				}
				if why := strings.Join(shown.Notes, " "); c.first != idle && (!strings.Contains(why, "shop") || !strings.Contains(why, "hunter2") || !strings.Contains(why, host)) {
					t.Errorf("the card does not say whose words would go where: %q", why)
				}
				req.Decisions = []agent.Decision{{Interrupt: res.Interrupts[0].ID, By: "u2", Value: json.RawMessage(fmt.Sprintf(`{"approved":%t}`, allowed))}}
				res, err = d.agent.Run(t.Context(), req, d.sink)
				want, requests := "200", 1
				if !allowed {
					want, requests = "0 http_request: refused", 0
				}
				if err != nil || strings.TrimSpace(res.Text) != want || sent != requests {
					t.Errorf("after %t: %q, %v, %d requests", allowed, res.Text, err, sent)
				}
			}
		})
	}
}
