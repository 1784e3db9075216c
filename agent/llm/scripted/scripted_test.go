package scripted_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/scripted"
)

func ask(t *testing.T, req llm.Request) llm.Response {
	t.Helper()
	var streamed strings.Builder
	got, err := scripted.New().Generate(t.Context(), req, func(s string) { streamed.WriteString(s) })
	if err != nil {
		t.Fatal(err)
	}
	if streamed.String() != got.Message.Content {
		t.Errorf("streamed %q, returned %q", streamed.String(), got.Message.Content)
	}
	return got
}

// TestExpression reads the number of people from what was answered, and the price from what was
// looked up.
func TestExpression(t *testing.T) {
	t.Parallel()
	const (
		before = "The whole task: dinner\n\nWhat the person answered when asked about the task:\n- How many people will come?: "
		after  = "\n\nThe step: Calculate\n"
		rule   = "The plan so far:\n1. Look up (done)\nThe budget for team dinners is 60,000 won per person a month.\n2. Calculate (not done yet)"
		regel  = "The plan so far:\n1. 찾기 (done)\n팀 회식비는 한 사람당 매달 5만 원입니다.\n"
	)
	cases := []struct{ name, system, said, want string }{
		{"number", before + "12" + after + rule, "Calculate", "60,000 * 12"},
		{"number_in_words_around_it", before + "we are 7, maybe" + after + rule, "Calculate", "60,000 * 7"},
		{"no_number", before + "a dozen or so" + after + rule, "Calculate", "60,000 * 8"},
		{"in_words", before + "twelve of us" + after + rule, "Calculate", "60,000 * 12"},
		{"in_korean_words", before + "스무 명이요" + after + regel, "전체 예산 계산하기", "5만 * 20"},
		{"in_korean_tens", before + "스물세 명" + after + regel, "전체 예산 계산하기", "5만 * 23"},
		{"about_a_number", before + "열두어 명" + after + regel, "전체 예산 계산하기", "5만 * 8"},
		{"once", before + "한 번 물어볼게요" + after + regel, "전체 예산 계산하기", "5만 * 8"},
		{"no_one", before + "no one knows" + after + rule, "Calculate", "60,000 * 8"},
		{"two_numbers_in_words", before + "three or four" + after + rule, "Calculate", "60,000 * 8"},
		{"other_words", before + "not sure yet, ask 팀장" + after + rule, "Calculate", "60,000 * 8"},
		{"no_answer", "The whole task: dinner\n" + after + rule, "Calculate", "60,000 * 8"},
		{"too_many", before + "123456789" + after + rule, "Calculate", "60,000 * 8"},
		{"none", before + "0" + after + rule, "Calculate", "60,000 * 8"},
		{"nothing_looked_up", before + "3" + after, "Calculate", "50,000 * 3"},
		{"korean", before + "열 명이 아니라 9명" + after + regel, "전체 예산 계산하기", "5만 * 9"},
		{"changed_in_words", before + "3" + after + "\nThe call is now: {}\n" + rule, "make it 10 people", "60,000 * 10"},
		{"not_understood", before + "3" + after + "\nThe call is now: {}\n" + rule, "cheaper please", ""},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ask(t, llm.Request{
				Purpose: llm.ForExtract, Tools: []llm.Tool{{Name: scripted.Calculator}},
				Messages: []llm.Message{{Role: llm.System, Content: tt.system}, {Role: llm.User, Content: tt.said}},
			})
			if tt.want == "" {
				if len(got.Message.ToolCalls) != 0 {
					t.Errorf("calls %+v", got.Message.ToolCalls)
				}
				return
			}
			var args struct{ Expression string }
			if len(got.Message.ToolCalls) != 1 || json.Unmarshal(got.Message.ToolCalls[0].Arguments, &args) != nil || args.Expression != tt.want {
				t.Errorf("calls %+v, want %q", got.Message.ToolCalls, tt.want)
			}
		})
	}
}

// TestUnknownSchema: a schema that is not in the script is refused as any model refuses what it cannot.
func TestUnknownSchema(t *testing.T) {
	t.Parallel()
	_, err := scripted.New().Generate(t.Context(), llm.Request{Schema: &llm.Schema{Name: "contract"}}, nil)
	if llm.ClassOf(err) != llm.BadRequest {
		t.Errorf("error %v", err)
	}
}
