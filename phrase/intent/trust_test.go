package intent_test

import (
	"os"
	"strings"
	"testing"

	"maru/phrase/intent"
)

// TestQuestionsOfTrust finds what newcomers ask about the talk with the assistant, in many forms.
func TestQuestionsOfTrust(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]intent.About{
		"내 말 녹음되나요?": intent.AboutStorage, "질문하면 기록에 남아?": intent.AboutStorage, "are these chats logged?": intent.AboutStorage,
		"does my boss see what I ask you?": intent.AboutReaders, "여기서 물어본 거 팀장님이 알게 돼?": intent.AboutReaders, "how private is this?": intent.AboutReaders,
		"is it safe to tell you things?": intent.AboutSafety, "민감한 내용 물어봐도 돼?": intent.AboutSafety, "do my messages go to OpenAI?": intent.AboutSafety,
		"내 질문이 AI 학습에 쓰이나요?": intent.AboutTraining, "are you listening to our conversations?": intent.AboutReach,
		"회사가 제 대화 기록하나요?": intent.AboutStorage, "관리자가 내 채팅 기록해?": intent.AboutStorage, "관리자가 내 메시지 저장하나요?": intent.AboutStorage, "회사에서 내 대화 저장해?": intent.AboutStorage,
		"이 대화 저장해?": intent.AboutStorage, "can we trust you?": intent.AboutSafety, "do you read our messages?": intent.AboutReach, "do you send our data to third parties?": intent.AboutSafety,
	} {
		if got, _ := intent.AsksAbout(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	raw, err := os.ReadFile("testdata/trust.txt")
	if err != nil {
		t.Fatal(err)
	}
	floors := []int{22, 28} // of 27 and 30
	for i, half := range strings.Split(string(raw), "\n\n") {
		found, all := 0, 0
		for line := range strings.Lines(half) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			all++
			if _, ok := intent.AsksAbout(line); ok {
				found++
			}
		}
		t.Logf("part %d: %d of %d", i+1, found, all)
		if found < floors[i] {
			t.Errorf("part %d: %d of %d found", i+1, found, all)
		}
	}
}

// TestTrustInOthers leaves questions about documents, people and what to do alone, though they have words of trust. The last part of the list
// was written together with the rule, so it measures nothing.
func TestTrustInOthers(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/notrust.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if got, ok := intent.AsksAbout(line); ok {
			t.Errorf("%q: %q", strings.TrimSpace(line), got)
		}
	}
}
