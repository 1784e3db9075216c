package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"maru/agent/llm/openai"
)

// TestOneAnswerInOnePieceIsNoHabit: an endpoint that answers once in one piece is asked
// for a stream again; one that does so always is not, until some time has passed. The
// answer is taken: nobody pays for it twice.
func TestOneAnswerInOnePieceIsNoHabit(t *testing.T) {
	t.Parallel()
	const later = "later"
	tests := map[string]struct {
		calls []string // how the endpoint answers a call for a stream: "piece", "stream", "nonsense"; or "later"
		asked []bool   // of each request, whether it was for a stream
	}{
		"once":                {[]string{"piece", "stream", "stream"}, []bool{true, true, true}},
		"now_and_then":        {[]string{"piece", "stream", "piece", "stream"}, []bool{true, true, true, true}},
		"always":              {[]string{"piece", "piece", "piece"}, []bool{true, true, false}},
		"tried_again":         {[]string{"piece", "piece", "piece", later, "stream", "stream"}, []bool{true, true, false, true, true}},
		"tried_again_in_vain": {[]string{"piece", "piece", later, "piece", "piece"}, []bool{true, true, true, false}},
		"no_answer":           {[]string{"nonsense", "stream"}, []bool{true, false, true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []bool
			how := ""
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var req struct {
					Stream bool `json:"stream"`
				}
				if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
					t.Error(err)
				}
				asked = append(asked, req.Stream)
				if req.Stream && how == "stream" {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"five\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
					return
				}
				w.Header().Set("Content-Type", "application/json")
				if req.Stream && how == "nonsense" {
					_, _ = io.WriteString(w, `{"status":"queued"}`)
					return
				}
				_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"five"},"finish_reason":"stop"}]}`)
			}))
			defer srv.Close()
			now := time.Now()
			m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "fake", Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			for i, kind := range tt.calls {
				if how = kind; how == later {
					now = now.Add(time.Hour)
					continue
				}
				resp, err := m.Generate(t.Context(), ask("2+3"), nil)
				if err != nil || resp.Message.Content != "five" {
					t.Fatalf("call %d: %s, %v", i, show(resp), err)
				}
			}
			if !slices.Equal(asked, tt.asked) {
				t.Errorf("asked for a stream: %v, want %v", asked, tt.asked)
			}
		})
	}
}
