package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestDeletedMessageLeavesEverything(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	d.ask(d.request("비밀번호는 1234야"))
	if err := d.agent.Amend(t.Context(), "t/1/c/x", "msg1", "", true); err != nil {
		t.Fatal(err)
	}
	d.ask(d.request("안녕"))
	for _, msg := range lastPrompt(m).Messages {
		if strings.Contains(msg.Content, "1234") {
			t.Errorf("the prompt still says %q", msg.Content)
		}
	}
	records, err := d.log.History(t.Context(), "t/1/c/x#chat", "", 1, 1<<30, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if strings.Contains(string(r.Body), "1234") {
			t.Errorf("record %d (%s) still holds it", r.Seq, r.Kind)
		}
	}
}

func TestEditedMessageIsKnownByItsNewText(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	d.ask(d.request("회의는 3시야"))
	if err := d.agent.Amend(t.Context(), "t/1/c/x", "msg1", "회의는 4시야", false); err != nil {
		t.Fatal(err)
	}
	d.ask(d.request("언제?"))
	if got := lastPrompt(m).Messages[1].Content; got != "회의는 4시야" {
		t.Errorf("the model is shown %q", got)
	}
}

// A question that is edited while it is answered is another turn on the same
// message: what its first wording led to is in no prompt and not in the log.
func TestReworded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(route("agent"), llmtest.CallTool("double", `{"n":1234}`), llmtest.Fail(&llm.Error{Class: llm.Refused})))
	req := d.request("1234의 두 배")
	if _, _, err := d.try(req); err == nil {
		t.Fatal("want an error")
	}
	m := talker(nil)
	d.restart(m)
	if err := d.agent.Amend(t.Context(), req.Thread, req.Message, "", true); err != nil {
		t.Fatal(err)
	}
	req.Run, req.Text = req.Run+".b", "안녕"
	d.ask(req)
	d.ask(d.request("그리고?"))
	prompt := lastPrompt(m).Messages
	for _, msg := range prompt {
		if strings.Contains(msg.Content, "1234") || strings.Contains(msg.Content, "2468") || len(msg.ToolCalls) > 0 {
			t.Errorf("the prompt still says %q", msg.Content)
		}
	}
	if n := strings.Count(fmt.Sprint(prompt), "안녕"); n != 1 {
		t.Errorf("the new words stand there %d times", n)
	}
}

func TestForgottenThreadIsNew(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	d.ask(d.request("내 이름은 철수야"))
	if err := d.agent.Forget(t.Context(), "t/1/c/x"); err != nil {
		t.Fatal(err)
	}
	d.ask(d.request("안녕"))
	if n := len(lastPrompt(m).Messages); n != 2 {
		t.Errorf("%d messages in the prompt, want system and question", n)
	}
}

func TestDeletedMessageTakesItsSummaryAlong(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	for range 6 {
		d.ask(d.request("말"))
	}
	if system := lastPrompt(m).Messages[0].Content; !strings.Contains(system, "요약 1") {
		t.Fatal("nothing was summarised yet")
	}
	if err := d.agent.Amend(t.Context(), "t/1/c/x", "msg1", "", true); err != nil {
		t.Fatal(err)
	}
	d.ask(d.request("안녕"))
	if system := lastPrompt(m).Messages[0].Content; strings.Contains(system, "요약 1") {
		t.Error("the summary of a deleted message stays")
	}
}
