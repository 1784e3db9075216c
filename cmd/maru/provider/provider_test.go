package provider_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
	"maru/cmd/maru/provider"
	"maru/config"
)

func load(t *testing.T, file string) config.Config {
	t.Helper()
	c, _, err := config.Load(config.Source{
		Environ: []string{"MARU_CONFIG=m.yaml", "OPENAI_RETRIES=0", "OPENAI_MODEL_CHOICES=big"},
		Read:    func(string) ([]byte, error) { return []byte(file), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAsks: each purpose is asked of its role's model, a role falls back to its own models, and a
// chosen model of the answer's endpoint means nothing to roles with a model of their own.
func TestAsks(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply { return llmtest.Text(r.Model) })
	c := load(t, fmt.Sprintf(`models:
  answer: {endpoint: %[1]q, name: a, fallbacks: [c]}
  plan: {name: fake-500, fallbacks: [p2], limits: {output: 77}}
  summary: {name: s}
  vision: {name: v}
  rerank: {name: rr}
  sets:
    x: {answer: {name: xa}, grade: {name: xg}}
`, srv.URL))
	m, err := provider.New(c, openai.RefusalsIn(""), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Reranks() || load(t, fmt.Sprintf("models: {answer: {endpoint: %q, name: a}}", srv.URL)).Reranks() {
		t.Error("passages are reranked where a model has that role, and nowhere else")
	}
	for _, tc := range []struct {
		purpose llm.Purpose
		repairs llm.Purpose
		place   string // what the place has chosen
		want    string
		from    string // the models that were unable
	}{
		{purpose: llm.ForAnswer, want: "a"},
		{purpose: llm.ForUndefined, want: "a"},
		{purpose: llm.ForRoute, want: "a"},
		{purpose: llm.ForPlan, want: "p2", from: "fake-500"},
		{purpose: llm.ForExtract, want: "p2", from: "fake-500"},
		{purpose: llm.ForRepair, repairs: llm.ForSummary, want: "s"},
		{purpose: llm.ForTitle, want: "s"},
		{purpose: llm.ForRerank, want: "rr"},
		{purpose: llm.ForRerank, place: "x", want: "xa"},
		{purpose: "vision", want: "v"},
		{purpose: "embedding", want: "a"}, // no chat call is for vectors
		{purpose: llm.ForAnswer, place: "big", want: "big"},
		{purpose: llm.ForReview, place: "big", want: "big"},
		{purpose: llm.ForSummary, place: "big", want: "s"},
		{purpose: llm.ForAnswer, place: "x", want: "xa"},
		{purpose: llm.ForPlan, place: "x", want: "xa"},
		{purpose: llm.ForReview, place: "x", want: "xg"},
	} {
		req := llm.Request{Purpose: tc.purpose, Repairs: tc.repairs, Messages: []llm.Message{{Role: llm.User, Content: "hi"}}}
		x := m.Asks().Exec(0)
		x.Request = agent.Request{Run: "r", Model: tc.place}
		resp, switches, err := x.ResilientInvoke(t.Context(), req, nil)
		from := ""
		for _, s := range switches {
			from += s.From
		}
		if err != nil || resp.Message.Content != tc.want || from != tc.from {
			t.Errorf("%s of a place with %q: %q, unable %q, %v; want %q, %q", tc.purpose, tc.place, resp.Message.Content, from, err, tc.want, tc.from)
		}
		resp, err = x.Bind(m.One()).Generate(t.Context(), req, nil)
		if err != nil || resp.Message.Content != tc.want {
			t.Errorf("%s of a place with %q, as one: %q, %v; want %q", tc.purpose, tc.place, resp.Message.Content, err, tc.want)
		}
	}
	for _, r := range srv.Chats() {
		if bounded := r.MaxTokens != nil && *r.MaxTokens == 77; bounded != (r.Model == "p2" || r.Model == "fake-500") {
			t.Errorf("%s has a limit: %v", r.Model, bounded)
		}
	}
}

// TestRoleBesideTheBuiltInModel: without a chat endpoint for answers a role may still have one.
func TestRoleBesideTheBuiltInModel(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Text("short") })
	m, err := provider.New(load(t, fmt.Sprintf("models: {summary: {endpoint: %q, name: s}}", srv.URL)), openai.RefusalsIn(""), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(p llm.Purpose, text string) string {
		resp, err := m.One().Generate(t.Context(), llm.Request{Purpose: p, Messages: []llm.Message{{Role: llm.User, Content: text}}}, nil)
		if err != nil {
			t.Error(err)
		}
		return resp.Message.Content
	}
	if got := ask(llm.ForSummary, "a long talk"); got != "short" {
		t.Errorf("summary %q", got)
	}
	if got := ask(llm.ForAnswer, "3+4?"); got == "" || got == "short" || len(srv.Chats()) != 1 {
		t.Errorf("answer %q", got)
	}
	if m.Name() != provider.BuiltIn {
		t.Errorf("name %q", m.Name())
	}
}

// TestProbesOfRoles: each model once, with the setting to check.
func TestProbesOfRoles(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServerWith(t, llmtest.Config{Key: "k"})
	c := load(t, fmt.Sprintf(`models:
  answer: {endpoint: %[1]q, name: a, key: k, fallbacks: [b]}
  route: {name: a}
  plan: {name: p, key: wrong}
  transcription: {name: w}
  sets: {x: {answer: {name: a}, plan: {name: b}}}
`, srv.URL))
	m, err := provider.New(c, openai.RefusalsIn(""), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	probes, err := m.Probes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range probes {
		said := p.Part + " " + p.Name
		if _, err := p.Try(t.Context(), false); err != nil {
			said += ": " + p.Fix(err)
		}
		got = append(got, said)
	}
	// The plan's fallback b is asked with the plan's key, so it is another client than the answer's.
	want := "model a|fallback b|plan p: check models.plan.key|plan fallback b: check models.plan.key|transcription w"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	for _, e := range srv.Journal() {
		if strings.HasSuffix(e.Path, "/models") && e.Status != http.StatusOK {
			t.Errorf("the endpoint of recordings was refused: %+v", e)
		}
	}
}

// TestNotesTellTheContext: a model with less room than prompts are made for is told with its remedy.
func TestNotesTellTheContext(t *testing.T) {
	t.Parallel()
	for tokens, want := range map[int]string{
		2048: "; its context has 2048 tokens: give it 4096 or more (Ollama: OLLAMA_CONTEXT_LENGTH)", 8192: "; its context has 8192 tokens", 0: "",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/ps" {
				http.NotFound(w, r)
				return
			}
			_, _ = fmt.Fprintf(w, `{"models":[{"model":"a:latest","context_length":%d}]}`, tokens)
		}))
		t.Cleanup(srv.Close)
		m, err := provider.New(load(t, fmt.Sprintf("models: {answer: {endpoint: %q, name: a}}", srv.URL+"/v1")), openai.RefusalsIn(""), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		probes, err := m.Probes()
		if err != nil || len(probes) != 1 || probes[0].Notes(t.Context()) != want {
			t.Errorf("%d: %v, %d probes, %q", tokens, err, len(probes), probes[0].Notes(t.Context()))
		}
	}
}

// TestEmbeddersShareTheQueue: an embedder at the address of a model waits in its queue, another one does not.
func TestEmbeddersShareTheQueue(t *testing.T) {
	t.Parallel()
	m, err := provider.New(load(t, "models: {answer: {endpoint: 'http://127.0.0.1:1/v1', name: a}}"), openai.RefusalsIn(""), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for address, shared := range map[string]bool{"http://127.0.0.1:1/v1": true, "http://127.0.0.1:1/v1/": true, "http://127.0.0.1:2/v1": false} {
		one, err := openai.NewEmbedder(openai.Config{BaseURL: address, EmbeddingModel: "e"})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Embedder(address, one); (got != llm.Embedder(one)) != shared || got.Name() != one.Name() {
			t.Errorf("%s: shared %v, want %v", address, got != llm.Embedder(one), shared)
		}
	}
}
