package chat_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag"
)

// TestTheModelLearnsToDrawWhenAsked: the prompt explains the chart format only if the question asks for a chart, to save tokens.
func TestTheModelLearnsToDrawWhenAsked(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{"지난달 매출을 그래프로 보여줘": true, "plot the numbers above as a pie chart": true, "지난달 매출이 얼마야?": false, "show me the org chart": false} {
		m := llmtest.Script(route("agent"), llmtest.Text("…"))
		d := newDesk(t, m)
		d.ask(d.request(question))
		told := false
		for _, c := range m.Requests() {
			told = told || c.Purpose == llm.ForAnswer && strings.Contains(c.Messages[0].Content, "```chart")
		}
		if told != want {
			t.Errorf("%q: the prompt has the form of a chart: %v", question, told)
		}
	}
}

// TestTheTableOfAChartIsFound: a wish for a chart names little more than a column, so that the table is found by it; other
// passages that are as near are not shown.
func TestTheTableOfAChartIsFound(t *testing.T) {
	t.Parallel()
	docs := append(papers{{Chunk: rag.Chunk{ID: "s#0", Text: "지점: 서울 | 실적: 100\n지점: 부산 | 실적: 50"}, Document: rag.Document{ID: "s", Title: "sales.csv", Scope: "public"}, Score: .2}}, library...)
	for question, want := range map[string]bool{"지점별실적을 그래프로 보여줘": true, "지점별실적은?": false, "출장비를 그래프로 보여줘": false} {
		m := llmtest.Script(route("rag"), llmtest.Text("여기요 [1]."))
		d := deskWith(t, m, docs)
		d.ask(d.request(question))
		found := false
		for _, c := range m.Requests() {
			if c.Purpose == llm.ForAnswer {
				found = strings.Contains(c.Messages[0].Content, "실적: 100") && !strings.Contains(c.Messages[0].Content, "15일")
			}
		}
		if found != want {
			t.Errorf("%q: the table is shown: %v", question, found)
		}
	}
}
