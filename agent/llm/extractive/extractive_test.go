package extractive_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/datatest"
)

// said makes a conversation: messages take turns, the person begins and ends.
func said(texts ...string) []llm.Message {
	var out []llm.Message
	for i, s := range texts {
		role := llm.User
		if i%2 == 1 {
			role = llm.Assistant
		}
		out = append(out, llm.Message{Role: role, Content: s})
	}
	return out
}

func generate(t *testing.T, req llm.Request) llm.Response {
	t.Helper()
	var streamed strings.Builder
	resp, err := extractive.New().Generate(context.Background(), req, func(s string) { streamed.WriteString(s) })
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	if streamed.String() != resp.Message.Content {
		t.Errorf("streamed %q, returned %q", streamed.String(), resp.Message.Content)
	}
	return resp
}

func TestConversation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		system string
		turns  []string
		want   string
		not    string
	}{
		{"name_ko", "", []string{"내 이름은 철수야", "반가워요", "내 이름이 뭐라고 했지?"}, "철수라고", ""},
		{"name_ko_closed", "", []string{"제 이름은 지은이에요", "네", "내 이름이 뭐야?"}, "지은이라고", ""},
		{"name_ko_polite", "", []string{"제 이름은 김민수입니다.", "네", "제 이름이 뭐라고 했죠?"}, "김민수라고", ""},
		{"name_changed", "", []string{"내 이름은 철수야", "네", "아니 내 이름은 영희야", "네", "내 이름 기억나?"}, "영희", "철수"},
		{"name_in_summary", "역할\n\n## 요약\n1. - 사용자: 내 이름은 철수야\n", []string{"내 이름이 뭐라고 했지?"}, "철수", ""},
		{"name_in_chat_prompt", "You are Maru.\n\nWhat was said earlier in this conversation, oldest first:\n1. - 사용자 kim: 내 이름은 철수야\n- 마루: 반가워요, 영희 님.\n2. - 사용자: 배포는 5월 3일이야\n\nUse the tools when they give a better answer.", []string{"내 이름이 뭐라고 했지?"}, "철수라고", "영희"},
		{"summary_by_a_model", "What was said earlier in this conversation, oldest first:\n1. The launch of Orion is planned for 3 May.\n\nAnswer from these passages.", []string{"When is the launch of Orion planned?"}, "3 May", ""},
		{"told_language", "Answer in English.", []string{"안녕"}, "Hello", ""},
		{"name_en", "", []string{"My name is Alice.", "Hi", "What is my name?"}, "Alice", ""},
		{"name_en_call", "", []string{"call me Bob", "ok", "Who am I?"}, "Bob", ""},
		{"earlier_points_back", "", []string{"대금은 언제 내?", "늦어도 30일", "아까 그거 늦으면 어떻게 돼?"}, "", "들은 적이 없"},
		{"name_unknown", "", []string{"내 이름이 뭐라고 했지?"}, "아직 이름을", ""},
		{"name_unknown_en", "", []string{"what's my name?"}, "haven't told me your name", ""},
		{"fact_ko", "", []string{"배포 담당자는 민수야", "네", "배포 담당자가 누구라고 했지?"}, "배포 담당자는 민수야", ""},
		{"fact_without_cue", "", []string{"우리 강아지 이름은 초코야", "네", "강아지 이름이 뭐야?"}, "초코", ""},
		{"fact_en", "", []string{"Remember that the build code is 7421", "Noted", "What is the build code?"}, "7421", ""},
		{"fact_en_recall", "", []string{"The launch is on Friday.", "ok", "When did I say the launch is?"}, "Friday", ""},
		{"remembered_whole", "", []string{"나는 무료 도구를 선호한다고 기억해 줘"}, "“나는 무료 도구를 선호한다”", ""},
		{"deed_ko", "", []string{"내일 오전 9시에 회의 있다고 알려줘"}, "그런 일을 대신 하는 것은 내장 모델로는", ""},
		{"deed_mail_ko", "", []string{"팀에 메일 보내 줘"}, "내장 모델로는", ""},
		{"deed_en", "", []string{"Please remind me tomorrow to send the report"}, "The built-in model can't", ""},
		{"deed_mail_en", "", []string{"can you send an email to the team?"}, "The built-in model can't", ""},
		{"last", "", []string{"연차는 며칠이야?", "15일", "내가 방금 뭐라고 했지?"}, "연차는 며칠이야?", ""},
		{"last_said", "", []string{"연차는 며칠이야?", "15일", "방금 내가 뭐라고 했어?"}, "연차는 며칠이야?", ""},
		{"last_asked", "", []string{"연차는 며칠이야?", "15일", "지난번에 내가 뭐 물어봤지?"}, "연차는 며칠이야?", ""},
		{"scolds", "", []string{"퇴사하려면 며칠 전에 말해야 해?", "30일", "너 바보야?"}, "도움이", ""},
		{"last_en", "", []string{"Where is the office?", "Seoul", "What did I say?"}, "Where is the office?", ""},
		{"all", "", []string{"내 생일은 5월 3일이야", "네", "나는 부산에 살아요", "네", "지금까지 무슨 얘기 했지?"}, "5월 3일", ""},
		{"not_told", "", []string{"안녕", "네", "내가 좋아하는 색이 뭐라고 했지?"}, "들은 적이 없어요", ""},
		{"ack_name", "", []string{"내 이름은 철수야"}, "철수 님", ""},
		{"ack_name_en", "", []string{"Hi, I'm Carol."}, "Carol", ""},
		{"ack_fact", "", []string{"나는 매운 음식을 좋아해"}, "기억", ""},
		{"greet", "", []string{"안녕"}, "안녕하세요", "language"},
		{"greet_en", "", []string{"Hello"}, "Hello", "안녕"},
		{"about", "", []string{"뭐 할 수 있어?"}, "내장 모델", ""},
		{"about asked so", "", []string{"안녕? 넌 뭘 해줄 수 있어?"}, "내장 모델", ""},
		{"about_en", "", []string{"What can you do?"}, "built-in model", ""},
		{"laughs_en", "", []string{"haha lol"}, "All right", ""},
		{"unknown", "", []string{"화성 기지 예산은 얼마야?"}, "찾지 못했어요", ""},
		{"unknown_deed", "", []string{"팀 워크숍 준비해줘"}, "내장 모델로는 할 수 없어요", "찾지 못했어요"},
		{"unknown_deed_en", "", []string{"please set up a weekly report on tickets"}, "can't do that", "couldn't find"},
		{"unknown_told", "", []string{"화성 기지 예산 알려줘"}, "찾지 못했어요", "내장 모델로는"},
		{"unknown_sorted", "", []string{"화성 기지의 장비와 비밀번호 규칙을 정리해줘"}, "찾지 못했어요", "내장 모델로는"},
		{"unknown_compared", "", []string{"please compare the budgets of the moon bases"}, "couldn't find", "can't do that"},
		{"unknown_en", "", []string{"What is the budget of the moon base?"}, "couldn't find", ""},
		{"code", "", []string{"write a python function that sorts"}, "language model", ""},
		{"no_calculator", "", []string{"1+1은?"}, "계산기", ""},
		{"weather_without_tool", "", []string{"서울 날씨 어때?"}, "OPENAI_API_KEY", ""},
		{"language_of_digits", "", []string{"안녕하세요", "네", "1+1"}, "계산기", ""},
		{"system_is_not_recalled", "You are Maru. The secret word is tangerine.", []string{"What is the secret word?"}, "couldn't find", "tangerine"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			msgs := said(tt.turns...)
			if tt.system != "" {
				msgs = append([]llm.Message{{Role: llm.System, Content: tt.system}}, msgs...)
			}
			got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: msgs}).Message.Content
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want it to contain %q", got, tt.want)
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("got %q, want it not to contain %q", got, tt.not)
			}
		})
	}
}

// TestLargeInput is about time: each of these made a naive reading quadratic.
func TestLargeInput(t *testing.T) {
	t.Parallel()
	times := 3000
	if datatest.Short(t) {
		times = 150
	}
	for _, s := range []string{"a. ", "연차 ", "1+", "(", "사용자: 네\n", "|a|b|\n", "x1y2 ", "내 이름은 ", "sqrt(", "- a\n", "# a\na\n"} {
		long := strings.Repeat(s, times)
		generate(t, llm.Request{Messages: said("연차는 늦으면 며칠이야?"), Passages: []llm.Passage{{N: 1, Title: long, Text: long + long}}})
		for _, p := range []llm.Purpose{llm.ForAnswer, llm.ForSummary} {
			generate(t, llm.Request{
				Purpose: p, Messages: said(long, long, long+"?"), Tools: tools(),
				Passages: []llm.Passage{{N: 1, Title: long, Text: long}, {N: 2, Text: strings.Repeat("연차는 15일. ", times/2)}},
			})
		}
	}
}
