package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
)

// roleServers are endpoints with a key each, one for a role. Their answers end with the role.
func roleServers(t *testing.T, roles ...string) map[string]*llmtest.Server {
	t.Helper()
	out := map[string]*llmtest.Server{}
	for _, role := range roles {
		out[role] = llmtest.NewServerWith(t, llmtest.Config{Key: "key-of-" + role, Handler: func(r llmtest.Request) llmtest.Reply {
			switch f := r.ResponseFormat; {
			case f != nil && f.JSONSchema != nil && f.JSONSchema.Name == "clarity":
				return llmtest.JSON(map[string]any{"score": 0.9, "questions": []any{}})
			case f != nil && f.JSONSchema != nil && f.JSONSchema.Name != "route":
				return planning(f.JSONSchema.Name, r.Messages[0].Text())
			case f == nil && len(r.Tools) == 1 && r.Messages[len(r.Messages)-1].Role != "tool":
				return llmtest.CallTool("calculator", `{"expression":"2+3"}`)
			}
			rep := think(r)
			if r.ResponseFormat == nil {
				rep.Text += " — " + role
			}
			return rep
		}})
	}
	return out
}

func rolesFile(t *testing.T, servers map[string]*llmtest.Server, more string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("models:\n")
	for role, s := range servers {
		if !strings.Contains(role, ".") {
			fmt.Fprintf(&b, "  %s: {endpoint: %q, name: %s-model, key: key-of-%s}\n", role, s.URL, role, role)
		}
	}
	b.WriteString(more)
	file := filepath.Join(t.TempDir(), "maru.yaml")
	write(t, file, b.String())
	return file
}

// modelsAsked lists the models that a server was asked for, each once.
func modelsAsked(t *testing.T, s *llmtest.Server) string {
	t.Helper()
	var out []string
	for _, e := range s.Journal() {
		if e.Refused != "" {
			t.Errorf("refused: %s", e.Refused)
		}
		var body struct{ Model string }
		if err := json.Unmarshal(e.Body, &body); err == nil && !strings.Contains(strings.Join(out, " "), body.Model) {
			out = append(out, body.Model)
		}
	}
	return strings.Join(out, " ")
}

// TestRolesHaveEndpointsOfTheirOwn: route, plan, summary and answer are asked at four endpoints
// with four keys, and usage counts each model.
func TestRolesHaveEndpointsOfTheirOwn(t *testing.T) {
	t.Parallel()
	servers := roleServers(t, "answer", "route", "plan", "summary")
	file := rolesFile(t, servers, "")
	write(t, file, strings.Replace(rolesFileText(t, file), "name: plan-model", "name: plan-model, price: {input: 100000, output: 0}", 1))
	p := newProgram(t, "MARU_CONFIG="+file, "MAX_MESSAGES=4", "KEEP_RECENT=2", "MARU_HANDBOOK=true", "ENABLE_HITL=false", "MARU_ADMINS=web/local/owner")
	p.start()
	p.tell("t", "오늘 저녁에 할 만한 놀이를 추천해 줘")
	p.hears("t", 2, "— answer")
	p.tell("t", "아이들과 할 만한 것으로 바꿔 줘")
	p.hears("t", 4, "— answer")
	if got := modelsAsked(t, servers["summary"]) + modelsAsked(t, servers["plan"]); got != "" {
		t.Fatalf("asked before there was anything to do: %q", got)
	}
	p.tell("t", "연차는 며칠이야?") // retrieval decides, and the window is full
	p.hears("t", 6, "15일")
	p.tell("t", "/maru why")
	p.hears("t", 8, "summary `summary-model`")
	p.tell("u", "/maru settings set thread agent orchestrator")
	p.hears("u", 2, "orchestrator")
	p.tell("u", "두 숫자를 계산해 줘")
	p.hears("u", 4, "— answer")
	for role, s := range servers {
		if got := modelsAsked(t, s); got != role+"-model" {
			t.Errorf("%s's endpoint was asked for %q", role, got)
		}
	}
	p.settles() // the run is counted with its end
	p.tell("v", "/maru usage")
	p.hears("v", 2, "cost ") // the plan has a price
	scraped := p.operator("/metrics")
	for role := range servers {
		if !strings.Contains(scraped, `maru_model_tokens_total{direction="input",model="`+role+`-model",purpose=`) {
			t.Errorf("no tokens of %s-model are counted", role)
		}
	}
	p.tell("w", "/maru doctor")
	for _, part := range []string{"answer-model", "route-model", "plan-model", "summary-model"} {
		p.hears("w", 2, part)
	}
}

// TestChannelsChooseSets: a thread that chose a set is served by it alone, and one whose set the
// operator took away by the models of the others.
func TestChannelsChooseSets(t *testing.T) {
	t.Parallel()
	servers := roleServers(t, "answer", "route", "private.answer")
	private := servers["private.answer"]
	file := rolesFile(t, servers, fmt.Sprintf("  sets:\n    private:\n      answer: {endpoint: %q, name: private-model, key: key-of-private.answer}\n", private.URL))
	p := newProgram(t, "MARU_CONFIG="+file, "MARU_ADMINS=web/local/owner")
	p.start()
	p.tell("t", "/maru settings set thread model elsewhere")
	p.hears("t", 2, "private") // what there is to choose
	p.tell("t", "/maru settings set thread model private")
	p.hears("t", 4, "private")
	for _, s := range servers {
		s.Reset()
	}
	p.tell("t", "오늘 저녁에 할 만한 놀이를 추천해 줘")
	p.hears("t", 6, "— private.answer")
	p.tell("t", "I am in charge of the budget, and my team works in Busan") // is learned from after the answer
	p.hears("t", 8, "— private.answer")
	p.lessonsTaken()
	if !slices.ContainsFunc(private.Chats(), func(r llmtest.Request) bool {
		return r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil && r.ResponseFormat.JSONSchema.Name == "reflection"
	}) {
		t.Error("nothing was asked after the answer")
	}
	if got := modelsAsked(t, private); got != "private-model" {
		t.Errorf("the set asked for %q", got)
	}
	for _, role := range []string{"answer", "route"} {
		if got := modelsAsked(t, servers[role]); got != "" {
			t.Errorf("the %s outside of the set was asked for %q", role, got)
		}
	}
	p.tell("u", "오늘 저녁에 할 만한 놀이를 추천해 줘")
	p.hears("u", 2, "— answer")
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	write(t, file, strings.Split(rolesFileText(t, file), "  sets:")[0])
	p.start()
	p.tell("t", "다른 놀이도 추천해 줘")
	p.hears("t", 6, "— answer") // the lines of commands were seen by one person alone
}

func rolesFileText(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestDoctorTestsEveryRole: each role and set by itself, with the setting that is to blame.
func TestDoctorTestsEveryRole(t *testing.T) {
	t.Parallel()
	servers := roleServers(t, "answer", "route", "plan")
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	file := filepath.Join(t.TempDir(), "maru.yaml")
	write(t, file, fmt.Sprintf(`models:
  answer: {endpoint: %q, name: a, key: key-of-answer, fallbacks: [b]}
  route: {endpoint: %q, name: r, key: wrong}
  plan: {endpoint: %q, name: p, key: key-of-plan}
  summary: {name: a}
  transcription: {name: whisper}
  sets:
    far: {answer: {endpoint: %q, name: f}}
`, servers["answer"].URL, servers["route"].URL, servers["plan"].URL, away.URL+"/v1"))
	code, stdout, _ := runHere(t, "", []string{"MARU_CONFIG=" + file, "DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "OPENAI_RETRIES=0"}, "doctor")
	for _, want := range []string{
		"✓ model        a answers in ", "✓ fallback     b answers in ", "✗ route        r: llm: auth", "→ check models.route.key",
		"✓ plan         p answers in ", "✓ transcription whisper answers in ", "✗ far.answer   f: llm: network", "→ check models.sets.far.answer.endpoint and that this machine reaches it",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if strings.Contains(stdout, "summary") { // it asks what answers ask
		t.Error("tests a model twice")
	}
	if code == 0 || strings.Contains(stdout, "key-of-") {
		t.Errorf("exit %d", code)
	}
	if t.Failed() {
		t.Log(stdout)
	}
}

// TestVectorsNeedNoLanguageModel: an endpoint of vectors in the file, with no key and no chat model:
// the built-in model answers, and documents are searched with vectors.
func TestVectorsNeedNoLanguageModel(t *testing.T) {
	t.Parallel()
	srv := newEmbeddingServer(t)
	file := filepath.Join(t.TempDir(), "maru.yaml")
	write(t, file, fmt.Sprintf("models:\n  embedding: {endpoint: %q, name: own-e5, limits: {timeout: 20s}}\n", srv.URL+"/v1"))
	env := []string{"MARU_CONFIG=" + file, "MARU_HANDBOOK=true", "DATA_DIR=" + t.TempDir()}
	code, stdout, _ := runHere(t, "", env, "doctor")
	for _, want := range []string{"· model        built-in", "✓ embeddings   own-e5 answers in "} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, lacks %q: %s", code, want, stdout)
		}
	}
	if code, stdout, stderr := runHere(t, "", env, "ask", "연차는 며칠이야?"); code != 0 || !strings.Contains(stdout, "15일") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if !slices.ContainsFunc(srv.sent, func(s string) bool { return strings.Contains(s, "연차는 며칠이야?") }) {
		t.Errorf("the question was not embedded: %d texts", len(srv.sent))
	}
}
