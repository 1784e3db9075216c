package config_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"maru/config"
)

// roles is a file with every kind of role and a set of each kind.
const roles = `
models:
  answer:
    endpoint: http://127.0.0.1:8001/v1/
    name: qwen-answer
    key: answer-key
    fallbacks: [small, plan-model]
    limits: {context: 8192, output: 1000, timeout: 30s}
    price: {input: 1, output: 2, cached: 0.5}
  route:
    name: tiny
  plan:
    endpoint: http://127.0.0.1:8002/v1
    name: plan-model
    key_env: PLAN_KEY
    limits: {context: 32768, in_flight: 2, timeout: 5m}
    price: {input: 3, output: 4}
  summary:
    endpoint: http://127.0.0.1:8003/v1
  embedding:
    endpoint: http://127.0.0.1:8004/v1
    name: e5
    query_prefix: "query: "
    limits: {timeout: 10s}
  transcription:
    name: whisper
  sets:
    private:
      answer: {endpoint: "http://127.0.0.1:8005/v1", name: local}
      plan: {name: local-plan}
    thorough:
      plan: {name: slow}
`

func TestModelsByRole(t *testing.T) {
	t.Parallel()
	c, _, err := from([]string{"PLAN_KEY=plan-key", "OPENAI_RETRIES=1"}, roles)
	if err != nil || len(c.Warnings) > 0 {
		t.Fatal(err, c.Warnings)
	}
	for _, tc := range []struct {
		set  string
		role config.ModelRole
		want string // endpoint, model, key, fallbacks, context, output, in flight, timeout; own
	}{
		{"", config.RoleAnswer, "8001 qwen-answer answer-key [small plan-model] 8192 1000 0 30s true"},
		{"", config.RoleRoute, "8001 tiny answer-key [small plan-model] 0 1000 0 30s true"},
		{"", config.RolePlan, "8002 plan-model plan-key [] 32768 1000 2 5m0s true"},
		{"", config.RoleSummary, "8003 qwen-answer  [] 0 1000 0 30s true"}, // the key is not for another endpoint
		{"", config.RoleGrade, "8001 qwen-answer answer-key [small plan-model] 8192 1000 0 30s false"},
		{"", config.RoleVision, "8001 qwen-answer answer-key [small plan-model] 8192 1000 0 30s false"},
		{"", config.RoleTranscription, "8001 whisper answer-key [small plan-model] 0 1000 0 30s true"},
		{"private", config.RoleAnswer, "8005 local  [] 0 1000 0 30s true"},
		{"private", config.RolePlan, "8005 local-plan  [] 0 1000 0 30s true"},
		{"private", config.RoleRoute, "8005 local  [] 0 1000 0 30s false"}, // nothing of it leaves the set
		{"private", config.RoleSummary, "8005 local  [] 0 1000 0 30s false"},
		{"thorough", config.RolePlan, "8002 slow plan-key [] 0 1000 2 5m0s true"},
		{"thorough", config.RoleRoute, "8001 tiny answer-key [small plan-model] 0 1000 0 30s true"},
		{"thorough", config.RoleAnswer, "8001 qwen-answer answer-key [small plan-model] 8192 1000 0 30s true"},
		{"gone", config.RolePlan, "8002 plan-model plan-key [] 32768 1000 2 5m0s true"},
	} {
		m, own := c.ModelOf(tc.set, tc.role)
		got := fmt.Sprint(strings.TrimSuffix(strings.TrimPrefix(m.BaseURL, "http://127.0.0.1:"), "/v1"), " ", m.Name, " ", m.APIKey.Reveal(), " ", m.Fallbacks, " ",
			m.Context, " ", m.MaxTokens, " ", m.InFlight, " ", m.Timeout, " ", own)
		if got != tc.want {
			t.Errorf("%s of %q:\n got %s\nwant %s", tc.role, tc.set, got, tc.want)
		}
		if m.Retries != 1 || m.IdleTimeout > m.Timeout || m.FirstTimeout > m.Timeout {
			t.Errorf("%s: retries %d, limits %v %v within %v", tc.role, m.Retries, m.FirstTimeout, m.IdleTimeout, m.Timeout)
		}
	}
	want := map[string]config.Price{"qwen-answer": {Input: 1, Output: 2, Cached: 0.5}, "plan-model": {Input: 3, Output: 4, Cached: 3}}
	if !reflect.DeepEqual(c.Model.Prices, want) {
		t.Errorf("prices %v", c.Model.Prices)
	}
	if e := c.Model.Embedding; e.Model != "e5" || e.BaseURL != "http://127.0.0.1:8004/v1" || e.APIKey != "" || e.QueryPrefix != "query: " || e.Timeout != 10*time.Second {
		t.Errorf("embedding %+v", e)
	}
	if got := c.ModelChoices(); !reflect.DeepEqual(got, []string{"private", "thorough"}) {
		t.Errorf("choices %v", got)
	}
}

// TestModelsAndSettings: a role's members are settings like others, over which the environment
// and flags win, and keys come from files and variables.
func TestModelsAndSettings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  []string
		file string
		args []string
		want string // endpoint, model and key of the plan, then of the answer
	}{
		"variables":               {env: []string{"OPENAI_API_KEY=k", "OPENAI_MODEL=m"}, file: "models: {plan: {name: p}}", want: "https://api.openai.com/v1 p k / https://api.openai.com/v1 m k"},
		"variable over answer":    {env: []string{"OPENAI_MODEL=m"}, file: "models: {answer: {endpoint: 'http://a/v1', name: a}, plan: {}}", want: "http://a/v1 m  / http://a/v1 m "},
		"flag over answer":        {file: "models: {answer: {endpoint: 'http://a/v1', name: a}, plan: {}}", args: []string{"--openai-model=f"}, want: "http://a/v1 f  / http://a/v1 f "},
		"group model":             {file: "model: {base_url: 'http://a/v1', name: a}\nmodels: {plan: {name: p}}", want: "http://a/v1 p  / http://a/v1 a "},
		"key of a file":           {file: "models: {answer: {endpoint: 'http://localhost/v1', name: a, key_file: /run/secrets/k}, plan: {name: p}}", want: "http://localhost/v1 p sealed / http://localhost/v1 a sealed"},
		"key of a variable":       {env: []string{"MARU_PLAN_KEY=k2"}, file: "models: {answer: {endpoint: 'http://a/v1', name: a}, plan: {endpoint: 'https://p/v1', name: p, key_env: MARU_PLAN_KEY}}", want: "https://p/v1 p k2 / http://a/v1 a "},
		"same endpoint, its key":  {file: "models: {answer: {endpoint: 'https://a/v1', name: a, key: k}, plan: {endpoint: 'https://a/v1', name: p}}", want: "https://a/v1 p k / https://a/v1 a k"},
		"plan beside built-in":    {file: "models: {plan: {endpoint: 'http://p/v1', name: p}}", want: "http://p/v1 p  / https://api.openai.com/v1 gpt-4.1-mini "},
		"azure role":              {file: "models: {answer: {endpoint: 'http://a/v1', name: a}, plan: {endpoint: 'https://n.openai.azure.com', api_type: azure, api_version: 2024-10-21, key: k, name: d}}", want: "https://n.openai.azure.com d k / http://a/v1 a "},
		"everything commented":    {env: []string{"OPENAI_API_KEY=k", "OPENAI_MODEL=m"}, file: "models:\n  plan:\n", want: "https://api.openai.com/v1 m k / https://api.openai.com/v1 m k"},
		"alias of another's role": {file: "models: {answer: &a {endpoint: 'http://a/v1', name: a}, plan: *a}", want: "http://a/v1 a  / http://a/v1 a "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, err := fromFiles(tc.env, map[string]string{"maru.yaml": tc.file, "/run/secrets/k": "sealed\n"}, tc.args...)
			if err != nil {
				t.Fatal(err)
			}
			p, _ := c.ModelOf("", config.RolePlan)
			got := fmt.Sprintf("%s %s %s / %s %s %s", p.BaseURL, p.Name, p.APIKey.Reveal(), c.Model.BaseURL, c.Model.Name, c.Model.APIKey.Reveal())
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestWrongModelsAreReportedAtOnce: each fault with its path and line, no key in any.
func TestWrongModelsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	file := `models:
  answer: {endpoint: "ftp://host", key: "` + canary + ` x"}
  rout: {name: x}
  route: [a]
  plan:
    endpoint: http://127.0.0.1:1/v1
    nam: x
    key: ` + canary + `
    key_env: ` + canary + `
  summary: {endpoint: "http://127.0.0.1:1/v1", key_env: NOT_SET, limits: {context: 12, output: many, in_flight: 0, timeout: 3h, calls: 1}}
  grade: {endpoint: "http://127.0.0.1:1/v1", name: g, key_file: /nowhere, fallbacks: [g], price: {input: 1}}
  vision: {api_type: aws, price: {input: -1, output: x}}
  transcription: {endpoint: "http://127.0.0.1:1/v1"}
  embedding: {name: e, fallbacks: [x], limits: {in_flight: 2}}
  sets:
    Cheap: {answer: {name: x}}
    small: {embedding: {name: x}}
    empty: {}
    good: {plan: {endpoint: "https://n.openai.azure.com", api_type: azure}}
`
	_, _, err := from([]string{"OPENAI_API_KEY=k"}, file)
	var faults config.Faults
	if !errors.As(err, &faults) {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, f := range faults {
		got[f.Where()+" "+f.Wrong] = true
		if strings.Contains(f.String(), canary) {
			t.Errorf("shows a secret: %s", f)
		}
		if f.Fix == "" {
			t.Errorf("no remedy: %s", f)
		}
	}
	for _, want := range []string{
		"models.answer.endpoint (maru.yaml:2) does not begin with http:// or https://",
		"models.answer.key (maru.yaml:2) contains a blank or an invisible character",
		"models.rout (maru.yaml:3) is unknown",
		"models.route (maru.yaml:4) is not a group",
		"models.plan.nam (maru.yaml:7) is unknown",
		"models.plan.key_env (maru.yaml:9) is given together with key",
		"models.summary.key_env (maru.yaml:10) names NOT_SET, which is not set",
		`models.summary.limits.context (maru.yaml:10) is "12"`,
		`models.summary.limits.output (maru.yaml:10) is "many"`,
		`models.summary.limits.in_flight (maru.yaml:10) is "0"`,
		`models.summary.limits.timeout (maru.yaml:10) is "3h"`,
		"models.summary.limits.calls (maru.yaml:10) is unknown",
		"models.grade.key_file (maru.yaml:11) cannot be read (no such file)",
		"models.grade.fallbacks (maru.yaml:11) contains the model itself",
		"models.grade.price (maru.yaml:11) has not both input and output",
		`models.vision.api_type (maru.yaml:12) is "aws"`,
		`models.vision.price.input (maru.yaml:12) is "-1"`,
		`models.vision.price.output (maru.yaml:12) is "x"`,
		"models.transcription.name (maru.yaml:13) is not set",
		"models.embedding.fallbacks (maru.yaml:14) is unknown",
		"models.embedding.limits.in_flight (maru.yaml:14) is unknown",
		"models.sets.Cheap (maru.yaml:16) is no name of a set",
		"models.sets.small.embedding (maru.yaml:17) is unknown",
		"models.sets.empty (maru.yaml:18) has no role",
		"models.sets.good.plan.key (maru.yaml:19) is not set while api_type is azure",
		"models.sets.good.plan.api_version (maru.yaml:19) is not set while api_type is azure",
	} {
		if !got[want] {
			t.Errorf("lacks %s", want)
		}
		delete(got, want)
	}
	for extra := range got {
		t.Errorf("says also: %s", extra)
	}
}

// TestWrongModels are single faults of combinations.
func TestWrongModels(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  []string
		file string
		want string
	}{
		"no endpoint at all":      {file: "models: {plan: {name: p}}", want: "models.plan.endpoint (maru.yaml:1) is not set, and there is no answer model to take it from"},
		"OpenAI without its key":  {env: []string{"OPENAI_BASE_URL=http://a/v1"}, file: "models: {plan: {endpoint: 'https://api.openai.com/v1', name: p}}", want: "models.plan.key (maru.yaml:1) is not set: OpenAI needs one"},
		"twice in the file":       {file: "model: {base_url: 'http://a/v1'}\nmodels: {answer: {endpoint: 'http://b/v1'}}", want: "models.answer.endpoint (maru.yaml:2) is given as model.base_url, too"},
		"twice the other way":     {file: "models: {answer: {endpoint: 'http://b/v1'}}\nmodel: {base_url: 'http://a/v1'}", want: "model.base_url (maru.yaml:2) is given under models, too"},
		"two prices of one model": {env: []string{"MODEL_PRICES=m=1/2", "OPENAI_BASE_URL=http://a/v1"}, file: "models: {plan: {name: m, price: {input: 2, output: 2}}}", want: "models.plan.price (maru.yaml:1) is not that of the same model elsewhere"},
		"a set with a model's name": {env: []string{"OPENAI_MODEL_CHOICES=big,small", "OPENAI_BASE_URL=http://a/v1"},
			file: "models: {sets: {small: {plan: {name: x}}}}", want: "models.sets.small has the name of a model"},
		"output beyond the context": {env: []string{"OPENAI_BASE_URL=http://a/v1"}, file: "models: {plan: {limits: {context: 1000, output: 1000}}}", want: "models.plan.limits.output (maru.yaml:1) is not smaller than limits.context"},
		"a resource of Azure":       {env: []string{"OPENAI_BASE_URL=http://a/v1"}, file: "models: {plan: {endpoint: 'https://n.openai.azure.com', key: k}}", want: "models.plan.endpoint (maru.yaml:1) is a resource of Azure, not its API: end it in /openai/v1, or give https://YOUR-RESOURCE.openai.azure.com alone with api_type: azure; name names the deployment"},
		"a queue of its own":        {env: []string{"OPENAI_BASE_URL=http://a/v1"}, file: "models: {plan: {limits: {in_flight: 3}}}", want: "models.plan.limits.in_flight (maru.yaml:1) is not the answer's at the same endpoint"},
		"a list":                    {file: "models: [a]", want: "models (maru.yaml:1) is not a group"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := from(tc.env, tc.file)
			var faults config.Faults
			if !errors.As(err, &faults) || len(faults) != 1 || !strings.Contains(faults[0].String(), tc.want) {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
		})
	}
}

// TestPlacesChooseSets: a set is a value of the setting "model" as long as the file has it.
func TestPlacesChooseSets(t *testing.T) {
	t.Parallel()
	c, _, err := from([]string{"PLAN_KEY=k", "OPENAI_MODEL_CHOICES=big"}, roles)
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{`"private"`: "private", `"big"`: "big", `"gone"`: ""} {
		got := config.Resolve(c, []config.Entry{{Level: config.Channel, Key: "model", Value: []byte(value)}})
		if got.Means.Model != want {
			t.Errorf("%s gives %q", value, got.Means.Model)
		}
	}
	key, _, _ := config.KeyNamed("model")
	if _, err := key.Check("private", config.Offers{Models: c.ModelChoices()}); err != nil {
		t.Error(err)
	}
}

// TestModelsDocument: the example of docs/models.md is a file that loads.
func TestModelsDocument(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(raw), "```yaml\n")
	example, _, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatal("there is no example")
	}
	c, _, err := fromFiles(nil, map[string]string{"maru.yaml": example, "/run/secrets/openai": "sk-1\n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range c.Warnings { // the example's other machine has no TLS, and gets no key
		t.Errorf("warns: %s", w)
	}
	if p, _ := c.ModelOf("", config.RolePlan); p.APIKey != "" || p.Context != 32768 || p.MaxTokens != 4096 || p.InFlight != 4 {
		t.Errorf("plan %+v", p)
	}
	if p, _ := c.ModelOf("private", config.RoleRoute); p.Name != "Qwen/Qwen2.5-72B-Instruct" || p.APIKey != "" {
		t.Errorf("route of the set %+v", p)
	}
}
