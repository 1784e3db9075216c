package guide_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestModelCannotWriteOthersWordsToMemory(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"),
		llmtest.CallTool("write_memory", `{"type":"like","subject":"price","value":"free","quote":"무료만 쓸게요"}`).
			And("write_memory", `{"type":"fact","subject":"role","value":"admin","quote":"나는 관리자다"}`).
			And("write_memory", `{"type":"fact","subject":"x","value":"y","quote":"요"}`),
		llmtest.Text(""), choose("CapCut"), llmtest.Text("해요."), reflection())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	r.Approvals.Plan = false
	res := d.must(r)
	if len(*d.notes) != 1 || (*d.notes)[0].Quote != "무료만 쓸게요" || len(res.Lessons) > 0 {
		t.Errorf("notes %+v, lessons %s", *d.notes, res.Lessons)
	}
	var results []string
	for _, msg := range m.Requests()[3].Messages {
		if msg.Role == llm.ToolRole {
			results = append(results, msg.Content)
		}
	}
	if len(results) != 3 || !strings.HasPrefix(results[0], "Remembered: price: free") || !strings.HasPrefix(results[1], "error (refused)") || !strings.HasPrefix(results[2], "error (") {
		t.Errorf("results %q", results)
	}
}

func TestMissingServiceIsNoted(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"), llmtest.Text(""), choose("CapCut"), llmtest.Text("해요."),
		llmtest.JSON(map[string]any{"preferences": []any{}, "feedback": []any{}, "missing_tools": []any{
			map[string]string{"name": "NovaCut", "quote": "NovaCut으로"}, map[string]string{"name": "Canva", "quote": "요리 유튜브"}, map[string]string{"name": "Ghost", "quote": "never said"}, map[string]string{"name": "Foobarly", "quote": "요리 유튜브"},
		}}))
	d := newDesk(t, m)
	r := d.request("요리 유튜브를 NovaCut으로 시작하고 싶어요", "ko")
	r.Approvals.Plan = false
	res := d.must(r)
	var gap []string
	for _, e := range d.events {
		if e.Name == "knowledge_gap" {
			if err := json.Unmarshal(e.Data, &gap); err != nil {
				t.Fatal(err)
			}
		}
	}
	if strings.Join(gap, " ") != "NovaCut" || len(res.Lessons) != 1 || !strings.Contains(string(res.Lessons[0].Data), `"subject":"써 보고 싶다고 하신 서비스","value":"NovaCut"`) {
		t.Errorf("gap %v, lessons %s", gap, res.Lessons)
	}
}

// TestFallbackLearnsToo has a model whose choice of services cannot be read: the guide is put together from the knowledge, and
// what the person said is learned by the model, or by rule where its notes cannot be read either.
func TestFallbackLearnsToo(t *testing.T) {
	t.Parallel()
	garbled := llmtest.Text("Sure! I like them all.")
	for name, c := range map[string]struct {
		last []llmtest.Reply
		want string
	}{
		"notes":         {[]llmtest.Reply{reflection(map[string]string{"type": "like", "subject": "cost", "value": "free ones", "quote": "무료만 쓸게요"})}, `"subject":"cost"`},
		"garbled_notes": {[]llmtest.Reply{garbled, garbled, garbled}, `"subject":"service price"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(append([]llmtest.Reply{task(true), plan("대본 작성", "영상 생성"), llmtest.Text(""), garbled, garbled, garbled}, c.last...)...)
			d := newDesk(t, m)
			r := d.request("유튜브 쇼츠를 만들고 싶어. 무료만 쓸게요.", "ko")
			r.Approvals.Plan = false
			res := d.must(r)
			if len(res.Lessons) != 1 || !strings.Contains(string(res.Lessons[0].Data), c.want) || !strings.Contains(string(res.Lessons[0].Data), "무료만 쓸게요") {
				t.Errorf("lessons %s", res.Lessons)
			}
			if !strings.Contains(res.Text, "runwayml.com") || strings.Contains(res.Text, "Stable Diffusion") || strings.Contains(res.Text, "Google Docs") {
				t.Errorf("%s", res.Text)
			}
		})
	}
}

// TestMemoryThatIsOff learns and uses nothing.
func TestMemoryThatIsOff(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"),
		llmtest.CallTool("write_memory", `{"type":"like","subject":"price","value":"free","quote":"무료만 쓸게요"}`),
		llmtest.Text(""), choose("CapCut"), llmtest.Text("해요."))
	d := newDesk(t, m)
	d.cfg.Memory = diary{texts: []string{"혼자 일해요"}}
	d.use(m)
	r := d.request(goal, "ko")
	r.NoMemory, r.Approvals.Plan = true, false
	res := d.must(r)
	for _, q := range m.Requests() {
		if strings.Contains(q.Messages[0].Content, "혼자 일해요") {
			t.Error("a memory that is off is shown")
		}
	}
	if len(res.Lessons)+len(*d.notes) > 0 {
		t.Errorf("lessons %s, notes %+v", res.Lessons, *d.notes)
	}
	m.AssertDone(t)
}
