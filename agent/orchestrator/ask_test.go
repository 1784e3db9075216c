package orchestrator

import (
	"testing"

	"maru/agent"
)

// TestShortAnswers: words that say no more than yes, no or skip are the action that a question offers.
func TestShortAnswers(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"네": agent.VerbAccept, "진행해줘!": agent.VerbAccept, "OK": agent.VerbAccept, "그대로 진행해 주세요": agent.VerbAccept, "go ahead": agent.VerbAccept,
		"아니요": agent.VerbReject, "취소해줘": agent.VerbReject, "Cancel.": agent.VerbReject, "건너뛰어 줘": agent.VerbSkip, "skip": agent.VerbSkip,
		"네 그런데 2번은 빼줘": "", "not ok": "", "no, swap 1 and 2": "", "진행하지 마세요 아직": "", "skip 2": "",
	} {
		if got := (decided{Reply: agent.Reply{Text: words}}).shortAnswer(agent.VerbAccept, agent.VerbReject, agent.VerbSkip); got.Action != want {
			t.Errorf("%q is %q, want %q", words, got.Action, want)
		}
	}
}
