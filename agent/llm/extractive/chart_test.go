package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
)

// TestChartsWithoutAModel: the built-in model draws what is in a table, with the table's number, and says so if there
// is none.
func TestChartsWithoutAModel(t *testing.T) {
	t.Parallel()
	sales := []llm.Passage{
		{N: 1, Title: "휴가 규정 > 연차", Text: "정규직 직원은 1년에 15일의 연차를 받는다."},
		{N: 2, Title: "sales.csv", Text: "월: 1월 | 지점: 서울 | 매출: 1,200\n월: 2월 | 지점: 서울 | 매출: 900"},
		{N: 3, Title: "sales.csv", Text: "월: 3월 | 지점: 서울 | 매출: 1,500\n월: 4월 | 지점: 서울 | 매출: 1,100"},
	}
	for name, c := range map[string]struct {
		before   []llm.Message
		question string
		passages []llm.Passage
		want     []string
		none     bool
	}{
		"rows_of_two_passages": {question: "월별 매출을 막대그래프로 보여줘", passages: sales, want: []string{"[2][3]", `"type":"bar"`, `"labels":["1월","2월","3월","4월"]`, `"values":[1200,900,1500,1100]`}},
		"two_documents_of_a_title": {question: "월별 매출을 막대그래프로 보여줘", passages: []llm.Passage{
			{N: 1, Document: "a", Title: "sales.csv", Text: sales[1].Text}, {N: 2, Document: "b", Title: "sales.csv", Text: sales[2].Text},
		}, want: []string{"[1]\n", `"labels":["1월","2월"]`}},
		"a_row_a_passage": {question: "월별 매출을 막대그래프로 보여줘", passages: []llm.Passage{
			{N: 4, Title: "sales.csv", Text: "월: 1월 | 매출: 1,200"}, {N: 5, Title: "sales.csv", Text: "월: 2월 | 매출: 900"},
		}, want: []string{"[4][5]", `"labels":["1월","2월"]`}},
		"a_table":        {question: "Show the laptop budget as a bar chart", passages: handbookEn, want: []string{"[2]", `"unit":"$"`, `"values":[2500,2200]`, "chart of a table in the documents"}},
		"a_pasted_table": {question: "이 표를 원그래프로 그려줘\n\n| 팀 | 인원 |\n|---|---|\n| 개발 | 8 |\n| 인사 | 2 |", want: []string{`"type":"pie"`, `"values":[8,2]`, "이 대화에 있는 숫자"}},
		"of_what_was_said": {
			before:   []llm.Message{{Role: llm.User, Content: "팀별 인원 알려줘"}, {Role: llm.Assistant, Content: "| 팀 | 인원 |\n|---|---|\n| 개발 | 8 |\n| 인사 | 2 |"}},
			question: "이거 막대 그래프로 보여줘", passages: sales, want: []string{`"labels":["개발","인사"]`},
		},
		"no_numbers": {question: "연차를 그래프로 보여줘", passages: sales[:1], want: []string{"표를 찾지 못했어요"}, none: true},
		"nothing":    {question: "make a chart of our sales", want: []string{"no table of numbers"}, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := llm.Request{Passages: c.passages, Messages: append(c.before, llm.Message{Role: llm.User, Content: c.question})}
			resp, err := extractive.New().Generate(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := resp.Message.Content
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("no %s in %s", w, got)
				}
			}
			if strings.Contains(got, "```chart") == c.none {
				t.Errorf("a chart, or none: %s", got)
			}
		})
	}
}

// TestQuotesKeepCompatibilityForms: a question is matched as people type it, and the quotation has the document's letters.
func TestQuotesKeepCompatibilityForms(t *testing.T) {
	t.Parallel()
	for question, text := range map[string]string{
		"What does the office insurance cover?": "The oﬃce insurance covers ﬂoods and 120 ㎡ of ﬂoor.",
		"(주)한빛의 계약 면적은 몇 m2야?":                  "㈜한빛의 계약 면적은 ①층 120㎡이다.",
	} {
		req := llm.Request{Passages: []llm.Passage{{N: 1, Title: "Policy", Text: text}}, Messages: []llm.Message{{Role: llm.User, Content: question}}}
		resp, err := extractive.New().Generate(t.Context(), req, nil)
		if err != nil || !strings.Contains(resp.Message.Content, "> "+text+" [1]") {
			t.Errorf("%s: %s, %v", question, resp.Message.Content, err)
		}
	}
}
