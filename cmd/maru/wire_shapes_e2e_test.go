package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// thinker is an endpoint that signs each call and wants the signatures of the whole thread back,
// as Gemini 3 and DeepSeek do; its model "poor" refuses everything and says nothing of why.
type thinker struct {
	mu    sync.Mutex
	signs int // signatures that came with the last request
}

func (e *thinker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var q struct {
		Model    string
		Messages []struct {
			Role      string
			ToolCalls []json.RawMessage `json:"tool_calls"`
		}
		ResponseFormat json.RawMessage `json:"response_format"`
		Tools          []json.RawMessage
	}
	if err != nil || json.Unmarshal(raw, &q) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	refuse := func() {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `[{"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT"}}]`)
	}
	w.Header().Set("Content-Type", "application/json")
	e.mu.Lock()
	defer e.mu.Unlock()
	calls := 0
	for _, m := range q.Messages {
		calls += len(m.ToolCalls)
	}
	e.signs = strings.Count(string(raw), `"extra_content":{"google":{"thought_signature":"c2ln"}}`)
	said := func(message, finish string) {
		_, _ = io.WriteString(w, `{"id":7,"created":1.5,"choices":[{"index":0,"message":`+message+`,"finish_reason":"`+finish+`"}]}`)
	}
	switch {
	case q.Model == "poor", calls != e.signs:
		refuse()
	case q.ResponseFormat != nil || len(q.Tools) == 0:
		said(`{"content":"{\"route\":\"agent\",\"reason\":\"a sum\"}"}`, "stop")
	case q.Messages[len(q.Messages)-1].Role == "tool":
		said(`{"content":"It is 408."}`, "stop")
	default:
		said(`{"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"calculator","arguments":"{\"expression\":\"12*34\"}"},"extra_content":{"google":{"thought_signature":"c2ln"}}}]}`, "tool_calls")
	}
}

// TestSignaturesSurviveTheProcess: what an endpoint wants back of an earlier message comes back in
// the next turn of the thread, also from another process; and where the preferred model refuses a
// request without a reason, the next one is asked.
func TestSignaturesSurviveTheProcess(t *testing.T) {
	t.Parallel()
	unraced(t)
	e := &thinker{}
	srv := httptest.NewServer(e)
	defer srv.Close()
	p := newProgram(t, "LANG=C.UTF-8", "OPENAI_BASE_URL="+srv.URL, "OPENAI_MODEL=poor", "OPENAI_FALLBACK_MODELS=rich", "OPENAI_RETRIES=0")
	for turn := range 3 {
		if got := p.talk("sums", "What is 12*34? Use the calculator."); !strings.Contains(got, "It is 408.") {
			t.Errorf("turn %d: %s", turn, got)
		}
		if e.signs != turn+1 {
			t.Errorf("turn %d: %d signatures came back", turn, e.signs)
		}
	}
}
