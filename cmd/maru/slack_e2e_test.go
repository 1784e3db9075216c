package main

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// slackWorld is a workspace with the program in it.
type slackWorld struct {
	*program
	slack *slackfake.Server
}

func newSlackWorld(t *testing.T, model *llmtest.Server, env ...string) *slackWorld {
	t.Helper()
	s := slackfake.Start(t, slackfake.Options{})
	env = append([]string{
		"SLACK_BOT_TOKEN=" + s.BotToken(), "SLACK_APP_TOKEN=" + s.AppToken(), "SLACK_API_URL=" + s.URL(),
		"OPENAI_BASE_URL=" + model.URL, "OPENAI_MODEL=test",
	}, env...)
	w := &slackWorld{program: newProgram(t, env...), slack: s}
	t.Cleanup(func() {
		refused := slices.DeleteFunc(s.Refused(), doneBefore)
		if len(refused) > 0 {
			t.Errorf("Slack refused: %v", refused)
		}
		if problems := s.Problems(); len(problems) > 0 {
			t.Errorf("Slack saw problems: %v", problems)
		}
	})
	return w
}

// doneBefore reports whether Slack refuses what a program that was killed had done
// already and could not note: a mark that is set or taken away, a stream that is ended,
// a placeholder that is removed; or a request that the kill cut off.
func doneBefore(refused string) bool {
	_, code, _ := strings.Cut(refused, ": ")
	return code == "no_reaction" || code == "already_reacted" || code == "message_not_in_streaming_state" || code == "message_not_found" || code == "request_timeout"
}

// bots returns what the bot has said in a thread.
func (w *slackWorld) bots(channel, thread string) []string {
	var out []string
	for _, m := range w.slack.Messages(channel, thread) {
		if m.User == w.slack.BotUser() || m.BotID != "" {
			out = append(out, cmp.Or(m.Text, m.Shown())) // a streamed card has no text, only blocks
		}
	}
	return out
}

// await waits until the bot's n-th message in a thread contains text; without a text, until that is no
// message on its way either.
func (w *slackWorld) await(channel, thread string, n int, text string) {
	w.t.Helper()
	err := w.slack.Wait(within(w.t, atMost), func() bool {
		said := w.bots(channel, thread)
		return len(said) >= n && strings.Contains(said[n-1], text)
	})
	if err != nil {
		w.t.Fatalf("the bot does not say %q as message %d; it said %q", text, n, w.bots(channel, thread))
	}
	if text == "" {
		w.lessonsTaken() // that it is on its way says nothing
	}
}

func TestSlackThreadFromMentionToMemory(t *testing.T) {
	t.Parallel()
	model := brain(t)
	w := newSlackWorld(t, model)
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 내 이름은 철수야", "")
	w.await("C1", root, 1, "You said: 내 이름은 철수야")
	w.slack.Say("U1", "C1", "내 이름이 뭐라고 했지?", root) // no new mention
	w.await("C1", root, 2, "내 이름은 철수야 / 내 이름이 뭐라고 했지?")
	if err := w.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	w.start()
	w.slack.Say("U1", "C1", "아직 알아?", root)
	w.await("C1", root, 3, "내 이름은 철수야 / 내 이름이 뭐라고 했지? / 아직 알아?")
	w.slack.Say("U2", "C1", "점심 먹을 사람?", "") // not for the bot
	w.slack.Say("U1", "C1", "<@UBOT> 연차는 며칠이야?", "")
	if n := len(model.Chats()); n > 8 {
		t.Errorf("%d model calls for three turns of talk and one of documents", n)
	}
}

func TestSlackAnswersFromDocumentsWithSources(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t), defaults...)
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 연차는 며칠이야?", "")
	w.await("C1", root, 1, "15일이에요")
	var blocks string
	for _, m := range w.slack.Messages("C1", root) {
		if m.BotID != "" || m.User == w.slack.BotUser() {
			blocks += string(m.Blocks)
		}
	}
	if !strings.Contains(blocks, "연차") {
		t.Errorf("no source is shown: %s", blocks)
	}
}

func TestSlackKillInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	streaming := make(chan struct{})
	var once sync.Once
	hold := make(chan struct{})
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		reply := think(r)
		if r.ResponseFormat == nil {
			first := false
			once.Do(func() { first = true })
			if first {
				close(streaming)
				reply.Wait = hold // the first answer never comes
			}
		}
		return reply
	})
	t.Cleanup(func() { close(hold) })
	w := newSlackWorld(t, model)
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> hello there", "")
	<-streaming
	// The placeholder stands when the program dies.
	if err := w.slack.Wait(within(t, atMost), func() bool { return len(w.bots("C1", root)) == 1 }); err != nil {
		t.Fatal("no sign of life before the kill")
	}
	w.kill()
	w.start()
	w.await("C1", root, 1, "You said: hello there")
	w.slack.RedeliverUnacked()
	w.slack.Say("U1", "C1", "second", root)
	w.await("C1", root, 2, "hello there / second")
	if said := w.bots("C1", root); len(said) != 2 {
		t.Errorf("the bot said %q, want one answer for each message", said)
	}
	if n := w.slack.OpenStreams(); n != 0 {
		t.Errorf("%d streams are still open", n)
	}
}

func TestSlackOverHTTP(t *testing.T) {
	t.Parallel()
	s := slackfake.Start(t, slackfake.Options{})
	model := brain(t)
	p := newProgram(t, "SLACK_BOT_TOKEN="+s.BotToken(), "SLACK_SIGNING_SECRET="+s.SigningSecret(),
		"SLACK_API_URL="+s.URL(), "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test")
	p.start()
	s.Deliver("http://" + p.addr)
	w := &slackWorld{program: p, slack: s}
	root := s.Say("U1", "C1", "<@UBOT> over http", "")
	w.await("C1", root, 1, "You said: over http")
	direct := s.Say("U1", "D1", "directly", "")
	w.await("D1", direct, 1, "You said: directly")
}

func TestSlackFileIsAddedAndAskedAbout(t *testing.T) {
	t.Parallel()
	model := brain(t)
	w := newSlackWorld(t, model, defaults...)
	w.start()
	f := w.slack.AddFile(slackfake.File{Name: "parking.md", MIME: "text/markdown", Data: []byte("# 주차\n\n연차와 관계없이 주차 요금은 한 달에 3만 원이다.")})
	root := w.slack.SayFiles("U1", "C1", "<@UBOT> 이 파일 추가해 줘", "", f)
	w.await("C1", root, 1, "parking.md")
	other := w.slack.Say("U2", "C2", "<@UBOT> 주차 요금은 한 달에 얼마야?", "")
	w.await("C2", other, 1, "이에요") // of the handbook: C2 may not read what was shared in C1
	for _, r := range model.Chats() {
		for _, m := range r.Messages {
			if strings.Contains(m.Text(), "3만 원") {
				t.Error("a file of one channel reached the model for another")
			}
		}
	}
	w.slack.Say("U1", "C1", "주차 요금은 한 달에 얼마야?", root)
	w.await("C1", root, 2, "이에요")
	chats := model.Chats()
	if last := chats[len(chats)-1].Messages[0].Text(); !strings.Contains(last, "3만 원") {
		t.Errorf("the answer in C1 was not made from the file: %s", last)
	}
}

func TestSlackCommandIsAnsweredInAThread(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t))
	w.start()
	w.slack.Slash("U1", "C1", "/maru", "ask how are you")
	var root string
	err := w.slack.Wait(within(t, atMost), func() bool {
		for _, m := range w.slack.Messages("C1", "") {
			if strings.Contains(m.Text, "how are you") {
				root = m.TS
			}
		}
		return root != ""
	})
	if err != nil {
		t.Fatal("the question is not posted")
	}
	w.await("C1", root, 2, "You said: how are you") // behind the question itself
}
