package openai_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

// contextServer is a model server in the shape of one that people run: its list of models, its own
// doors, and what it does with a prompt that is longer than its context. A path that it has not is
// a 404, as there.
type contextServer struct {
	*httptest.Server

	doors   map[string]string // by method and path
	context int               // tokens; 0: no bound
	cuts    bool              // a longer prompt in silence, else it is refused
	refusal string            // body of a refusal
	perWord float64           // tokens of a word
	cached  bool              // leaves what it knows already out of its count
	limits  bool              // counts the reply's limit, too

	mu      sync.Mutex
	asked   []string
	prompt  []string // of each call, as the model sees it
	limit   []int    // of each reply
	refused int
	seen    bool
}

func newContextServer(t *testing.T, s *contextServer) *contextServer {
	t.Helper()
	if s.perWord == 0 {
		s.perWord = 1
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		door := r.Method + " " + r.URL.Path
		if door != "POST /v1/chat/completions" {
			s.asked = append(s.asked, door)
			body, ok := s.doors[door]
			if !ok {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
			return
		}
		s.chat(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// chat answers with the number of words that the model saw.
func (s *contextServer) chat(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Stream   bool
		Limit    int `json:"max_tokens"`
		Messages []struct{ Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var words []string
	for _, m := range req.Messages {
		words = append(words, strings.Fields(m.Content)...)
	}
	tokens := int(float64(len(words)) * s.perWord)
	s.limit = append(s.limit, req.Limit)
	if !s.limits {
		req.Limit = 0
	}
	if s.context > 0 && tokens+req.Limit > s.context {
		if !s.cuts {
			s.refused++
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, s.refusal)
			return
		}
		keep := int(float64(s.context) / s.perWord) // Ollama: the first four tokens and the end
		words = append(words[:4:4], words[len(words)-keep+4:]...)
		tokens = s.context
	}
	s.prompt = append(s.prompt, strings.Join(words, " "))
	if s.cached && s.seen {
		tokens /= 20
	}
	s.seen = true
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"%s\"}}]}\n\n", firstLine(words))
	_, _ = fmt.Fprint(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
	_, _ = fmt.Fprintf(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":2,\"total_tokens\":%d}}\n\ndata: [DONE]\n\n", tokens, tokens+2)
}

// firstLine tells whether the model saw its instructions.
func firstLine(words []string) string {
	if strings.Contains(strings.Join(words, " "), "RULES: answer with OK") {
		return "OK"
	}
	return "what?"
}

// talk returns a request whose prompt has about so many words, most of them said long ago.
func talk(words int) llm.Request {
	req := llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.System, Content: "You are a bot of a team. RULES: answer with OK. " + strings.Repeat("Rule. ", 40)}}}
	for said := 60; said < words; said += 100 {
		req.Messages = append(req.Messages, llm.Message{Role: llm.User, Content: strings.Repeat("word ", 50)}, llm.Message{Role: llm.Assistant, Content: strings.Repeat("word ", 50)})
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.User, Content: "and now?"})
	return req
}

func contextModel(t *testing.T, s *contextServer, more func(*openai.Config)) *openai.Model {
	t.Helper()
	c := openai.Config{BaseURL: s.URL + "/v1", Model: "m", Log: slog.New(slog.DiscardHandler)}
	if more != nil {
		more(&c)
	}
	m, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const someModel = `{"object":"list","data":[{"id":"other","object":"model","max_model_len":1},{"id":"m","object":"model","created":1,"owned_by":"x"%s}]}`

// TestContextIsAsked: each server is asked in its own way, once, and prompts shrink to what it
// takes, the instructions and the question staying whole.
func TestContextIsAsked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		doors map[string]string
		want  int
	}{
		"vllm":       {map[string]string{"GET /v1/models": fmt.Sprintf(someModel, `,"root":"m","max_model_len":2048,"permission":[]`)}, 2048},
		"openrouter": {map[string]string{"GET /v1/models": fmt.Sprintf(someModel, `,"context_length":2048,"top_provider":{"context_length":2048}`)}, 2048},
		"groq":       {map[string]string{"GET /v1/models": fmt.Sprintf(someModel, `,"context_window":2048,"active":true`)}, 2048},
		"llama.cpp": {map[string]string{
			"GET /v1/models": fmt.Sprintf(someModel, `,"meta":{"n_vocab":1,"n_ctx_train":131072}`),
			"GET /props":     `{"default_generation_settings":{"id":0,"n_ctx":2048,"params":{"n_predict":-1}},"total_slots":2}`,
		}, 2048},
		"ollama, loaded": {map[string]string{
			"GET /v1/models": fmt.Sprintf(someModel, ``),
			"GET /api/ps":    `{"models":[{"name":"o:latest","context_length":9},{"name":"m:latest","model":"m:latest","size":1,"context_length":2048}]}`,
			"POST /api/show": `{"parameters":"num_ctx 16000","model_info":{"qwen2.context_length":32768}}`,
		}, 2048},
		"ollama, not loaded": {map[string]string{
			"GET /v1/models": fmt.Sprintf(someModel, ``), "GET /api/ps": `{"models":[]}`,
			"POST /api/show": `{"parameters":"stop \"<|im_end|>\"\nnum_ctx                        2048","model_info":{"qwen2.context_length":32768}}`,
		}, 2048},
		"ollama, of which only the model's own is known": {map[string]string{
			"GET /v1/models": fmt.Sprintf(someModel, ``), "GET /api/ps": `{"models":[]}`, "POST /api/show": `{"parameters":"","model_info":{"qwen2.context_length":1024}}`,
		}, 0},
		"lm studio": {map[string]string{
			"GET /v1/models":     `{"object":"list","data":[{"id":"m","object":"model","owned_by":"organization_owner"}]}`,
			"GET /api/v0/models": `{"object":"list","data":[{"id":"m","object":"model","type":"llm","state":"loaded","max_context_length":131072,"loaded_context_length":2048}]}`,
		}, 2048},
		"tgi":             {map[string]string{"GET /info": `{"model_id":"m","max_input_tokens":1800,"max_total_tokens":2048}`}, 2048},
		"tells nothing":   {map[string]string{"GET /v1/models": fmt.Sprintf(someModel, ``)}, 0},
		"web pages":       {map[string]string{"GET /v1/models": `<html>`, "GET /props": `<html>`, "GET /api/ps": `"ok"`}, 0},
		"of other models": {map[string]string{"GET /v1/models": `{"data":[{"id":"other","max_model_len":2048}]}`}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newContextServer(t, &contextServer{doors: tc.doors, context: tc.want})
			m := contextModel(t, s, nil)
			if got := m.Context(t.Context(), ""); got != tc.want {
				t.Fatalf("the context is %d, want %d; asked %q", got, tc.want, s.asked)
			}
			asked := len(s.asked)
			for range 3 {
				resp, err := m.Generate(t.Context(), talk(6000), nil)
				if err != nil || resp.Message.Content != "OK" {
					t.Fatalf("%q, %v", resp.Message.Content, err)
				}
			}
			if len(s.asked) != asked {
				t.Errorf("asked again: %q", s.asked)
			}
			for _, p := range s.prompt {
				n := len(strings.Fields(p))
				if tc.want > 0 && (n > tc.want*3/4 || n < tc.want/2) || tc.want == 0 && n < 5000 || !strings.HasSuffix(p, "and now?") {
					t.Errorf("%d words for a context of %d: … %s", n, tc.want, p[len(p)-20:])
				}
			}
		})
	}
}

// TestContextIsNotAsked: short prompts and known sizes need no question.
func TestContextIsNotAsked(t *testing.T) {
	t.Parallel()
	s := newContextServer(t, &contextServer{})
	if _, err := contextModel(t, s, nil).Generate(t.Context(), talk(300), nil); err != nil {
		t.Fatal(err)
	}
	m := contextModel(t, s, func(c *openai.Config) { c.Context = 1000 })
	if _, err := m.Generate(t.Context(), talk(6000), nil); err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(s.prompt[1])); n > 750 || len(s.asked) > 0 {
		t.Errorf("%d words; asked %q", n, s.asked)
	}
	// A model with another behind it leaves the prompt to that one.
	m = contextModel(t, s, func(c *openai.Config) { c.Context, c.Whole = 1000, true })
	if _, err := m.Generate(t.Context(), talk(6000), nil); llm.ClassOf(err) != llm.ContextLength || len(s.prompt) != 2 {
		t.Errorf("%v after %d calls", err, len(s.prompt))
	}
	if _, err := m.Generate(t.Context(), talk(300), nil); err != nil {
		t.Error(err)
	}
}

// TestLongInstructionsKeepTheirBeginning: what cannot be left out is cut in the middle, where a
// server would cut the beginning.
func TestLongInstructionsKeepTheirBeginning(t *testing.T) {
	t.Parallel()
	s := newContextServer(t, &contextServer{context: 2048, cuts: true})
	m := contextModel(t, s, func(c *openai.Config) { c.Context = 2048 })
	req := llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: "RULES: answer with OK. " + strings.Repeat("passage ", 2300)}, {Role: llm.User, Content: "and now?"},
	}}
	resp, err := m.Generate(t.Context(), req, nil)
	if n := len(strings.Fields(s.prompt[0])); err != nil || resp.Message.Content != "OK" || n > 2048 || !strings.HasSuffix(s.prompt[0], "passage and now?") {
		t.Errorf("%q, %v: %d words", resp.Message.Content, err, n)
	}
}

// TestContextIsLearnedFromRefusals: the size that a refusal names holds for the next prompts.
func TestContextIsLearnedFromRefusals(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{
		"openai":    `{"error":{"message":"This model's maximum context length is 2048 tokens. However, your messages resulted in 6100 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		"vllm":      `{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 6100 tokens in the messages, Please reduce the length of the messages.","type":"BadRequestError","param":null,"code":400}`,
		"llama.cpp": `{"error":{"code":400,"message":"request (6100 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":6100,"n_ctx":2048}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// What it tells is the size of all its slots together.
			s := newContextServer(t, &contextServer{context: 2048, refusal: refusal, doors: map[string]string{"GET /v1/models": fmt.Sprintf(someModel, `,"max_model_len":8192`)}})
			refusals := openai.RefusalsIn(t.TempDir())
			m := llm.Shortened(contextModel(t, s, func(c *openai.Config) { c.Refusals = refusals }))
			for range 2 {
				resp, err := m.Generate(t.Context(), talk(6000), nil)
				if err != nil || resp.Message.Content != "OK" {
					t.Fatalf("%q, %v", resp.Message.Content, err)
				}
			}
			if n := len(strings.Fields(s.prompt[1])); n < 1000 || n > 1600 {
				t.Errorf("the second prompt has %d words", n)
			}
			if learned := refusals.Learned(time.Now()); len(learned) == 0 {
				t.Error("nothing is remembered")
			}
		})
	}
}

// TestTooLargeReplyLimitLeavesThePrompt: where only the reply's limit is too large, that is lowered to what the prompt leaves, however
// the server words it; the next call is not refused.
func TestTooLargeReplyLimitLeavesThePrompt(t *testing.T) {
	t.Parallel()
	const size = "This model's maximum context length is 8192 tokens"
	for name, tc := range map[string]struct {
		refusal      string
		words, limit int
		least        int // of the reply's limit then
		calls        int
	}{
		"openai":          {size + ". However, you requested 8675 tokens (675 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.", 606, 8000, 7517, 2},
		"with_functions":  {size + ". However, you requested 8606 tokens (506 in the messages, 100 in the functions, and 8000 in the completion).", 606, 8000, 7586, 2},
		"for_completion":  {size + ", however you requested 8606 tokens (606 in your prompt; 8000 for the completion). Please reduce your prompt; or completion length.", 606, 8000, 7586, 2},
		"over_half":       {size + ". However, you requested 11006 tokens (5006 in the messages, 6000 in the completion).", 5006, 6000, 3186, 1},
		"vllm_too_large":  {"'max_tokens' or 'max_completion_tokens' is too large: 8000. " + size + " and your request has 606 input tokens (8000 > 8192 - 606).", 606, 8000, 7586, 2},
		"vllm_at_least":   {size + ". However, you requested 8000 output tokens and your prompt contains at least 193 input tokens, for a total of at least 8193 tokens.", 606, 8000, 6000, 2},
		"prompt_not_told": {size + ". Please reduce the length of the messages or completion.", 606, 8000, 6000, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newContextServer(t, &contextServer{context: 8192, limits: true, refusal: `{"error":{"message":"` + tc.refusal + `","type":"invalid_request_error","code":400}}`})
			m := contextModel(t, s, func(c *openai.Config) { c.MaxTokens = tc.limit })
			req := llm.Request{Messages: []llm.Message{{Role: llm.System, Content: "RULES: answer with OK. " + strings.Repeat("passage ", tc.words-6)}, {Role: llm.User, Content: "and now?"}}}
			for range tc.calls {
				if resp, err := m.Generate(t.Context(), req, nil); err != nil || resp.Message.Content != "OK" {
					t.Fatalf("%q, %v", resp.Message.Content, err)
				}
			}
			for _, prompt := range s.prompt {
				if n := len(strings.Fields(prompt)); n != tc.words {
					t.Errorf("a prompt has %d words", n)
				}
			}
			if s.refused != 1 || s.limit[1] < tc.least {
				t.Errorf("%d refusals, limits %d", s.refused, s.limit)
			}
		})
	}
}

// TestRefusedContextIsAskedAgain: a prompt that is refused as too long is shortened and answered in the same call, also if the
// instructions are the long part, and if the server counts more tokens than we do. A model with another behind it leaves the prompt to that one.
func TestRefusedContextIsAskedAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		perWord float64
		whole   bool
		asks    int // at most
		class   llm.Class
	}{
		"instructions":     {perWord: 1, asks: 2},
		"other_tokens":     {perWord: 2, asks: 4},
		"another_may_take": {perWord: 1, whole: true, asks: 1, class: llm.ContextLength},
		"never":            {perWord: 400, asks: 4, class: llm.ContextLength},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newContextServer(t, &contextServer{context: 2048, perWord: tc.perWord,
				refusal: `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - request (6100 tokens) exceeds the available context size (2048 tokens), try increasing it\nmodel=m. context_window_fallbacks=None. fallbacks=None.\n\nSet 'context_window_fallback' - https://docs.litellm.ai/docs/routing#fallbacks\n\nLiteLLM: model group 'm' failed with the error above. No fallback was attempted.","type":"invalid_request_error","param":null,"code":"400"}}`})
			m := contextModel(t, s, func(c *openai.Config) { c.Whole = tc.whole })
			resp, err := m.Generate(t.Context(), llm.Request{Messages: []llm.Message{
				{Role: llm.System, Content: "RULES: answer with OK. " + strings.Repeat("passage ", 2600)}, {Role: llm.User, Content: "and now?"},
			}}, nil)
			if llm.ClassOf(err) != tc.class || err == nil && resp.Message.Content != "OK" {
				t.Errorf("%q, %v", resp.Message.Content, err)
			}
			if n := s.refused + len(s.prompt); n > tc.asks {
				t.Errorf("asked %d times, at most %d", n, tc.asks)
			}
			for _, prompt := range s.prompt {
				if !strings.HasSuffix(prompt, "and now?") {
					t.Errorf("the question is cut: …%s", prompt[max(0, len(prompt)-40):])
				}
			}
		})
	}
}
