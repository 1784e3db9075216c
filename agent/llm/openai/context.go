package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"maru/phrase/pattern"
)

// How long an answer about the size of a model's context is believed, how long it is waited for,
// and how long a prompt has to be, in tokens, before it is asked.
const (
	contextFor  = time.Hour
	contextNone = time.Minute      // of a server that does not tell yet: Ollama tells of models that are loaded
	contextSlow = 10 * time.Minute // of one that did not answer in time
	contextWait = 2 * time.Second
	contextFrom = 900
)

// contexts keeps what the endpoint told about its models' contexts.
type contexts struct {
	mu    sync.Mutex
	known map[string]contextTold // by model
}

type contextTold struct {
	tokens int // 0: it does not tell
	until  time.Time
}

// Context returns how many tokens prompt and reply of a model may have together, 0 if neither a
// setting nor the endpoint tells. name is "" for the model of the settings.
func (m *Model) Context(ctx context.Context, name string) int {
	name = fallback(name, m.cfg.Model)
	if m.cfg.Context > 0 && name == m.cfg.Model {
		return m.cfg.Context
	}
	now := m.cfg.Now()
	m.contexts.mu.Lock()
	told, ok := m.contexts.known[name]
	m.contexts.mu.Unlock()
	if ok && now.Before(told.until) {
		return told.tokens
	}
	asking, cancel := context.WithTimeout(ctx, contextWait)
	defer cancel()
	told = contextTold{m.askContext(asking, name), now.Add(contextFor)}
	switch {
	case told.tokens == 0 && asking.Err() != nil:
		told.until = now.Add(contextSlow)
	case told.tokens == 0 && private(m.cfg.BaseURL):
		told.until = now.Add(contextNone)
	}
	if ctx.Err() != nil { // the caller's end says nothing about the endpoint
		return told.tokens
	}
	m.contexts.mu.Lock()
	defer m.contexts.mu.Unlock()
	if m.contexts.known == nil || len(m.contexts.known) > 100 {
		m.contexts.known = map[string]contextTold{}
	}
	m.contexts.known[name] = told
	return told.tokens
}

// askContext asks the endpoint in the ways of the servers that tell.
func (m *Model) askContext(ctx context.Context, name string) int {
	if m.cfg.Azure || m.cfg.BaseURL == defaultBase {
		return 0
	}
	var list struct{ Data []listedModel }
	m.read(ctx, http.MethodGet, m.cfg.BaseURL+"/models", nil, &list)
	for _, one := range list.Data {
		if !sameModel(one.ID, name) {
			continue
		}
		if n := one.tokens(); n > 0 {
			return n
		}
	}
	if !private(m.cfg.BaseURL) { // a service on the Internet has none of these paths
		return 0
	}
	root := strings.TrimSuffix(m.cfg.BaseURL, "/v1")
	for _, ask := range []func(context.Context, string, string) int{m.askOllama, m.askLlamaCPP, m.askLMStudio, m.askTGI} {
		if n := ask(ctx, root, name); n > 0 {
			return n
		}
	}
	return 0
}

// listedModel is an entry of /v1/models. max_model_len is vLLM's and SGLang's, context_length that
// of OpenRouter and Together, context_window Groq's, max_context_length Mistral's; n_ctx is
// llama.cpp's.
type listedModel struct {
	ID               string `json:"id"`
	MaxModelLen      int    `json:"max_model_len"`
	ContextLength    int    `json:"context_length"`
	ContextWindow    int    `json:"context_window"`
	MaxContextLength int    `json:"max_context_length"`
	Meta             struct {
		NCtx int `json:"n_ctx"`
	} `json:"meta"`
}

func (l listedModel) tokens() int {
	for _, n := range []int{l.MaxModelLen, l.ContextLength, l.ContextWindow, l.MaxContextLength, l.Meta.NCtx} {
		if n > 0 {
			return n
		}
	}
	return 0
}

// askOllama reads the context with which a model is loaded, or with which its Modelfile has it
// loaded. The context_length of /api/show is what the model could do, not what the server gives it.
func (m *Model) askOllama(ctx context.Context, root, name string) int {
	var loaded struct {
		Models []struct {
			Name, Model   string
			ContextLength int `json:"context_length"`
		}
	}
	if !m.read(ctx, http.MethodGet, root+"/api/ps", nil, &loaded) {
		return 0
	}
	for _, one := range loaded.Models {
		if one.ContextLength > 0 && (sameModel(one.Name, name) || sameModel(one.Model, name)) {
			return one.ContextLength
		}
	}
	var shown struct{ Parameters string }
	body, err := json.Marshal(map[string]string{"model": name})
	if err != nil || !m.read(ctx, http.MethodPost, root+"/api/show", body, &shown) {
		return 0
	}
	for line := range strings.SplitSeq(shown.Parameters, "\n") {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			n, _ := strconv.Atoi(f[1]) // 0 is unknown
			return n
		}
	}
	return 0
}

// sameModel reports whether two names are of one model: Ollama adds ":latest".
func sameModel(one, other string) bool {
	return strings.TrimSuffix(one, ":latest") == strings.TrimSuffix(other, ":latest")
}

// askLlamaCPP reads the context of one slot.
func (m *Model) askLlamaCPP(ctx context.Context, root, _ string) int {
	var props struct {
		Default struct {
			NCtx int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	m.read(ctx, http.MethodGet, root+"/props", nil, &props)
	return props.Default.NCtx
}

// askLMStudio reads the context with which a model is loaded.
func (m *Model) askLMStudio(ctx context.Context, root, name string) int {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Loaded int    `json:"loaded_context_length"`
		}
	}
	m.read(ctx, http.MethodGet, root+"/api/v0/models", nil, &list)
	for _, one := range list.Data {
		if one.ID == name {
			return one.Loaded
		}
	}
	return 0
}

func (m *Model) askTGI(ctx context.Context, root, _ string) int {
	var info struct {
		Total int `json:"max_total_tokens"`
	}
	m.read(ctx, http.MethodGet, root+"/info", nil, &info)
	return info.Total
}

// maxTold bounds what an endpoint tells of its models: OpenRouter lists hundreds.
const maxTold = 4 << 20

// read asks for a JSON value; false if there is none.
func (m *Model) read(ctx context.Context, method, address string, body []byte, into any) bool {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return false
	}
	if m.cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+m.cfg.APIKey)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := m.doer.http.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxTold))
	return err == nil && resp.StatusCode == http.StatusOK && json.Unmarshal(raw, into) == nil
}

// private reports whether an address is of this machine or a network of the operator's.
func private(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") || strings.HasSuffix(host, ".localhost")
}

// refusedContext finds the size of the context in a refusal: "maximum context length is 8192
// tokens" (OpenAI, vLLM), "the available context size (4096 tokens)" (llama.cpp), "`inputs`
// tokens + `max_new_tokens` must be <= 2048" (TGI), "model's context length (4096 tokens)" (SGLang),
// "214315 tokens > 200000 maximum" (Anthropic), "tokens allowed (1048576)" (Gemini), "model with
// 32768 maximum context length" (Mistral).
var refusedContext = pattern.New(`(?i)(?:maximum (?:context|prompt) (?:length|size)[^0-9]{0,20}|available context size[^0-9]{0,4}|must be <= |context window[^0-9]{0,20}|` +
	`n_ctx[^0-9]{0,4}|model's context length[^0-9]{0,4}|tokens > |tokens allowed \(|\bmodel with )(\d{3,8})\b`)

// refusedPrompt finds the size of the prompt in a refusal, as the request less the completion: "8606 tokens (506 in the messages, 100 in
// the functions, and 8000 in the completion)" (OpenAI), or by itself: "your request has 675 input tokens" (vLLM). vLLM's "at least 675
// input tokens" is where it stopped to count.
var refusedPrompt = pattern.New(`(?i)\brequested (\d{1,8}) tokens \([^()]{1,200}?\b(\d{1,8}) (?:in|for) the completion|\brequest has (\d{1,8}) input tokens`)

// promptIn returns the size of the prompt that a refusal names, 0 for none.
func promptIn(says string) int {
	m := refusedPrompt.FindStringSubmatch(says)
	if m == nil {
		return 0
	}
	all, _ := strconv.Atoi(m[1] + m[3]) // digits
	completion, _ := strconv.Atoi(m[2]) // or ""
	return max(0, all-completion)
}

// contextIn returns the size that a refusal of a prompt names, 0 for none.
func contextIn(says string) int {
	m := refusedContext.FindStringSubmatch(says)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // digits
	return n
}
