package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestPlainProgramsAsk calls /mcp as programs do that have no client of the protocol: in every version, with or without a session, and
// with the headers that they happen to send.
func TestPlainProgramsAsk(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t), "MARU_SECRET_KEY="+sealingKey)
	w.start()
	token := w.token("U1", "script ask,search")
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	begin := func(version string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}`
	}
	for name, c := range map[string]struct {
		body   string
		header []string // names and values
		status int
		want   string
	}{
		"2024-11-05":      {begin("2024-11-05"), nil, http.StatusOK, `"protocolVersion":"2024-11-05"`},
		"2025-03-26":      {begin("2025-03-26"), nil, http.StatusOK, `"protocolVersion":"2025-03-26"`},
		"2025-06-18":      {begin("2025-06-18"), nil, http.StatusOK, `"protocolVersion":"2025-06-18"`},
		"2025-11-25":      {begin("2025-11-25"), nil, http.StatusOK, `"protocolVersion":"2025-11-25"`},
		"a_later_version": {begin("2099-01-01"), nil, http.StatusOK, `"protocolVersion":"20`},
		"no_accept":       {list, []string{"Accept", ""}, http.StatusOK, "search_documents"},
		"json_alone":      {list, []string{"Accept", "application/json"}, http.StatusOK, "search_documents"},
		"json_and_more":   {list, []string{"Accept", "application/json, text/plain, */*"}, http.StatusOK, "search_documents"},
		"a_session":       {list, []string{"Mcp-Session-Id", "made-up"}, http.StatusOK, "search_documents"},
		"pages_alone":     {list, []string{"Accept", "text/html"}, http.StatusBadRequest, "Accept"},
		"an_old_version":  {list, []string{"MCP-Protocol-Version", "1999-01-01"}, http.StatusBadRequest, "2025-11-25"},
		"no_json":         {list, []string{"Content-Type", "text/plain"}, http.StatusUnsupportedMediaType, "application/json"},
		"unknown_token":   {list, []string{"Authorization", "Bearer maru_" + strings.Repeat("x", 26)}, http.StatusUnauthorized, "invalid_token"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+w.addr+"/mcp", strings.NewReader(c.body))
		must(t, name, err)
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		for i := 0; i+1 < len(c.header); i += 2 {
			if r.Header.Set(c.header[i], c.header[i+1]); c.header[i+1] == "" {
				r.Header.Del(c.header[i])
			}
		}
		resp, err := http.DefaultClient.Do(r)
		must(t, name, err)
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		must(t, name, err)
		if resp.StatusCode != c.status || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: status %d, %.200s", name, resp.StatusCode, text)
		}
	}
}
