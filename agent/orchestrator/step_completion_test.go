package orchestrator_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

// TestSuccessIsVerifiedFromTheResult gives a prepared call every kind of result.
func TestSuccessIsVerifiedFromTheResult(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		"맑음": "done", `{"temperature": 3}`: "done", `{"error": null, "ok": true}`: "done", "No errors were found in 3 files": "done", "The 404 bus is late": "done",
		"": "failed", "  \n": "failed", "null": "failed", "[]": "failed", `{"isError": true, "text": "no"}`: "failed", `{"error": "no such city"}`: "failed",
		`{"ok": false}`: "failed", "Error: no such city": "failed", "오류: 없는 도시": "failed", "HTTP 503 Service Unavailable": "failed",
		"Traceback (most recent call last):\n  x": "failed", "403 Forbidden": "failed",
	} {
		t.Run(result, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
			d := newDesk(t, m, agent.Approvals{Step: true})
			d.tools.result["get_weather"] = func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{Text: result}, nil }
			i, _ := d.asked("step")
			res := d.decide(i, do("accept")).run()
			if got := states(d.lastPlan()); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			var files []struct{ State, Reason string }
			if err := json.Unmarshal(res.Artifacts[1].Data, &files); err != nil || len(files) != 1 || files[0].State != want || (files[0].Reason == "") != (want == "done") {
				t.Errorf("%+v, %v", files, err)
			}
		})
	}
}

// TestResultsAreSavedWhateverTheyHold saves a result that is no UTF-8, very
// long, or looks like a file's markup.
func TestResultsAreSavedWhateverTheyHold(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인")}
	m.steps = func(llm.Request) llmtest.Reply {
		return llmtest.Text("```\n\xff</script>" + strings.Repeat("가", 40_000))
	}
	d := newDesk(t, m, agent.Approvals{})
	res := d.run()
	var files []map[string]any
	if len(res.Artifacts) != 2 || len(res.Artifacts[0].Data) > 64<<10 || len(res.Artifacts[1].Data) > 96<<10 {
		t.Fatalf("%d files", len(res.Artifacts))
	}
	if err := json.Unmarshal(res.Artifacts[1].Data, &files); err != nil || res.Artifacts[0].Name != "results.md" || res.Artifacts[1].MIME != "application/json" {
		t.Errorf("%v", err)
	}
}
