package benchwire

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// instant is an OpenAI-shaped model that answers at once: the router's question with a route, any
// other with the mark of the last question, so that an answer to another question is noticed.
type instant struct {
	*httptest.Server
	calls atomic.Int64
}

func startModel(t *testing.T) *instant {
	t.Helper()
	m := &instant{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// mark begins a question's mark, which goes on to the next white space or quote.
const mark = "ask-"

// lastMark returns the last mark in a text, "" without one.
func lastMark(text []byte) string {
	i := bytes.LastIndex(text, []byte(mark))
	if i < 0 {
		return ""
	}
	end := bytes.IndexFunc(text[i:], func(r rune) bool { return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') })
	if end < 0 {
		end = len(text) - i
	}
	return string(text[i : i+end])
}

func (m *instant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	m.calls.Add(1)
	words := []string{"hello ", "to ", lastMark(body)}
	if bytes.Contains(body, []byte(`"response_format"`)) {
		words = []string{`{\"route\":\"agent\",`, `\"reason\":\"bench\"}`}
	}
	const usage = `"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":"instant","choices":[{"index":0,"finish_reason":"stop",`+
			`"message":{"role":"assistant","content":"%s"}}],%s}`, words[0]+words[1]+join(words[2:]), usage)
		return
	}
	const chunk = `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"instant","choices":[%s]%s}` + "\n\n"
	w.Header().Set("Content-Type", "text/event-stream")
	for _, word := range words {
		_, _ = fmt.Fprintf(w, chunk, `{"index":0,"delta":{"role":"assistant","content":"`+word+`"}}`, "")
	}
	_, _ = fmt.Fprintf(w, chunk, `{"index":0,"delta":{},"finish_reason":"stop"}`, "")
	_, _ = fmt.Fprintf(w, chunk, "", ","+usage)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func join(words []string) (s string) {
	for _, w := range words {
		s += w
	}
	return s
}

func TestTheLastMarkIsFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                    "",
		"hello":                               "",
		"hello ask-1-2":                       "ask-1-2",
		`{"a":"hello ask-1-2 x","b":"ask-3"}`: "ask-3",
		`ask-3\n`:                             "ask-3",
	} {
		if got := lastMark([]byte(text)); got != want {
			t.Errorf("last mark of %q is %q, want %q", text, got, want)
		}
	}
}
