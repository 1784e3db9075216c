package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

// TestAsksBack has questions for what the speaker said before, and questions that share their words and ask for something else.
func TestAsksBack(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"지난번에 내가 뭐 물어봤지?": true, "내가 어제 무슨 질문했더라?": true, "제가 뭐라고 말씀드렸죠?": true, "방금 내가 뭐라고 했어?": true, "what did I just ask?": true,
		"제가 어떤 분께 말씀드리면 되나요?": false, "제가 무슨 질문을 준비해야 하나요?": false, "제가 뭘 여쭤봐야 하나요?": false, "내가 뭐부터 해야 돼?": false, "고객이 뭘 물어봤는지 어디에 적어요?": false,
		"내가 고객에게 어떤 조건을 말했었나 계약서에서 확인해줘": false, "제가 면접에서 무슨 질문했어야 하나요?": false, "내가 팀장님께 뭐라고 말씀드렸어야 해?": false,
		"내가 아까 뭐 물어봤었죠?": true, "제가 어제 뭐라고 말했나요?": true, "제가 뭘 여쭤봤습니까?": true, "내가 무슨 질문했었지??": true,
		"summarize this thread so far": true, "Can you sum up our discussion please?": true, "summarise what we've discussed so far": true, "give me a recap of this conversation in three lines": true, "recap": true, "summarize so far": true,
		"이 스레드 지금까지 정리해줘": true, "이 대화 요약해줘": true, "지금까지 나온 얘기 정리 좀 해줘": true, "지금까지 대화 내용 세 줄로 요약해줘": true, "여기까지 정리해줘": true,
		"summarize the discussion paper": false, "summarise the chat policy": false, "summarize sales so far this year": false, "여기까지 정리하고 퇴근할게요": false, "고객과의 대화 요약해줘": false, "대화형 상품 안내 정리해줘": false, "이 논의 안건 문서 정리해줘": false,
	} {
		if got := intent.AsksBack(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
