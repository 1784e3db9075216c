package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

// TestForeignKeysAreMasked: an endpoint that repeats a key, ours or another's, does not bring it into the log; names of
// models and plain words stay.
func TestForeignKeysAreMasked(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"Incorrect API key provided: sk-proj-Ab12Cd34Ef56. You can find it":           "Incorrect API key provided: sk-***. You can find it",
		"key 9f86d081884c7d659a2feaa0c55ad015 is not valid":                           "key 9f8*** is not valid",
		"Bearer gsk_1234567890abcdef":                                                 "Bearer gsk_***",
		"own key own-key-123 is wrong":                                                "own key *** is wrong",
		"The model claude-3-5-sonnet-20241022 does not exist":                         "The model claude-3-5-sonnet-20241022 does not exist",
		"model meta-llama/Llama-3.1-70B-Instruct-Turbo is internationalization-ready": "model meta-llama/Llama-3.1-70B-Instruct-Turbo is internationalization-ready",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"`+body+`"}}`)
		}))
		t.Cleanup(srv.Close)
		m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "m", APIKey: "own-key-123"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "hi"}}}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
