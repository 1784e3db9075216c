package guide_test

import (
	"slices"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestPlainQuestionGoesStraightToTheAnswer(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(false), llmtest.Text("Pro는 월 15달러예요 [1]."))
	d := newDesk(t, m)
	res := d.must(d.request("Canva는 어떻게 돈을 받아?", "ko"))
	if d.path() != "llm_router answer" || len(res.Sources) != 1 || res.Sources[0].Title != "Canva" || !strings.Contains(res.Sources[0].Quote, "2025-06-01 기준 (https://prices.example/") {
		t.Errorf("went %s: %+v", d.path(), res)
	}
	if d.streamed() != res.Text {
		t.Errorf("people saw %q, the answer is %q", d.streamed(), res.Text)
	}
	m.AssertDone(t)
}

// TestAQuestionAboutOneServiceIsPlain without asking the model; where several services may be needed, it decides.
func TestAQuestionAboutOneServiceIsPlain(t *testing.T) {
	t.Parallel()
	for text, asked := range map[string]bool{
		"Canva는 얼마야?":                               false,
		"DeepL은 무엇에 쓰는 거야?":                         false,
		"Is OBS Studio free?":                       false,
		"Does Notion have an offline mode?":         false,
		"Canva랑 Figma 중에 뭐가 나아?":                    true,
		"Notion으로 사내 위키를 어떻게 만들어?":                  true,
		"How could we run a webinar with Zoom?":     true,
		"Can Zoom record? I want to make a course.": true,
		"Which tool makes subtitles?":               true,
	} {
		m := llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
			if req.Purpose == llm.ForRoute {
				return task(false)
			}
			return llmtest.Text("It is.")
		})
		d := newDesk(t, m)
		d.must(d.request(text, "en"))
		if got := slices.ContainsFunc(m.Requests(), func(r llm.Request) bool { return r.Purpose == llm.ForRoute }); got != asked || d.path() != "llm_router answer" {
			t.Errorf("%q: the model was asked for the way: %v, went %s", text, got, d.path())
		}
	}
}
