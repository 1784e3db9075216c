package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
)

// TestEveryRecipientIsOnTheCard: a call to two hundred people is approved with all of them before one's eyes.
func TestEveryRecipientIsOnTheCard(t *testing.T) {
	t.Parallel()
	unraced(t)
	var to []string
	for i := range 200 {
		to = append(to, fmt.Sprintf("person.%03d@team.example", i))
	}
	args, err := json.Marshal(map[string]string{"to": strings.Join(to, ", "), "text": "이사 안내"})
	must(t, "encode", err)
	o := newClerk(t)
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
		}
		if r.Messages[len(r.Messages)-1].Role == "tool" {
			return llmtest.Text("보냈어요.")
		}
		return llmtest.CallTool("office_send_mail", string(args))
	})
	w := newSlackWorld(t, model, o.config(t))
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 모두에게 이사 안내를 메일로 보내 줘", "")
	card := w.withButton(root, "승인", "")
	var all strings.Builder
	for _, m := range w.slack.Replies("C1", root) {
		all.Write(m.Blocks)
		for _, f := range w.slack.Uploaded(m) {
			all.Write(f.Data)
		}
	}
	for _, one := range to {
		if !strings.Contains(all.String(), one) {
			t.Fatalf("%s is not shown: %s", one, all.String())
		}
	}
	w.press("U1", card, "승인")
	w.await("C1", root, 2, "")
	if made := o.made(); len(made) != 1 || made[0] != "send_mail "+string(args) {
		t.Errorf("%d calls", len(made))
	}
}
