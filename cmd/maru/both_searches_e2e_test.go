package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// TestSlackMessagesAndTheWebInOneRequest searches messages and then the web for one answer: it links to both, each is searched
// once, and no file holds the words of messages.
func TestSlackMessagesAndTheWebInOneRequest(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var queries []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		mu.Lock()
		queries = append(queries, body.String())
		mu.Unlock()
		_, _ = w.Write([]byte(`{"results":[{"title":"Launch windows","url":"https://example.com/launch","content":"Launches take place at dawn.","score":0.9}]}`))
	}))
	t.Cleanup(service.Close)
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
		}
		read := ""
		for _, m := range r.Messages {
			if m.Role == "tool" {
				read += m.Text() + "\n"
			}
		}
		switch {
		case !strings.Contains(read, "  > "):
			return llmtest.CallTool("search_messages", `{"query":"launch"}`)
		case !strings.Contains(read, "example.com/launch"):
			return llmtest.CallTool("web_search", `{"query":"launch"}`)
		}
		return llmtest.Text("I read both: [there](" + linkOf.FindStringSubmatch(read)[1] + ") and [here](https://example.com/launch).")
	})
	w := newSearchWorld(t, slackfake.Options{Scopes: "chat:write,search:read.public"}, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test", "TAVILY_API_KEY=tvly-test", "TAVILY_BASE_URL="+service.URL)
	said := w.address("C3", w.slack.Say("U3", "C3", "the launch is on Friday, "+secretWords, ""))
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> who said what about the launch, and what does the web say about the launch?", "")
	w.await("C1", root, 1, "I read both")
	answer := strings.Join(w.asShown("C1", root), "\n")
	if !strings.Contains(answer, said) || !strings.Contains(answer, "https://example.com/launch") {
		t.Errorf("the answer lacks a link: %s", answer)
	}
	mu.Lock()
	defer mu.Unlock()
	if n := len(w.slack.Calls("assistant.search.context")); n != 1 || len(queries) != 1 {
		t.Errorf("%d searches of messages, the web was asked %q", n, queries)
	}
	if files := w.holds(secretWords); len(files) > 0 {
		t.Errorf("the words are kept in %v", files)
	}
}
