package main

import (
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// recounts returns a model that tells of the first message that it reads; read gets every prompt, and the first answer waits for hold.
func recounts(t *testing.T, read chan<- string, hold chan struct{}) *llmtest.Server {
	t.Helper()
	first := make(chan struct{}, 1)
	first <- struct{}{}
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		out := llmtest.Text("The ship date moved [1].")
		read <- r.Messages[0].Text()
		select {
		case <-first:
			out.Wait = hold
		default:
		}
		return out
	})
}

// next returns the next prompt that a model reads.
func next(t *testing.T, read <-chan string) string {
	t.Helper()
	select {
	case got := <-read:
		return got
	case <-within(t, atMost).Done():
		return "nothing"
	}
}

// TestSlackChannelIsSummarised kills the program between reading a channel and the answer: it is read again as it stands then, by the
// chat agent whatever agent the place has, and no file holds people's words at any time.
func TestSlackChannelIsSummarised(t *testing.T) {
	t.Parallel()
	unraced(t)
	read, hold := make(chan string, 8), make(chan struct{})
	t.Cleanup(func() { close(hold) })
	w := newSearchWorld(t, slackfake.Options{}, "OPENAI_BASE_URL="+recounts(t, read, hold).URL, "OPENAI_MODEL=test", "MARU_AGENT=orchestrator", "MARU_MEMORY_ON=false")
	w.slack.AddChannel(slackfake.Channel{ID: "C6", Name: "release", Members: []string{"UBOT", "U2", "U3"}})
	stays := w.slack.Say("U3", "C6", "we ship on Monday, "+secretWords, "")
	goes := w.slack.Say("U2", "C6", "the airship shed is closed", "")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 어제부터 <#C6|release>에서 무슨 얘기 했어?", "")
	if got := next(t, read); !strings.Contains(got, "Monday, "+secretWords) || !strings.Contains(got, "airship shed") || !strings.Contains(got, "#release") {
		t.Fatalf("the model read %s; the bot says %q", got, w.bots("C1", root))
	}
	w.kill()
	w.slack.Rewrite("C6", stays, "we ship on Friday, "+secretWords)
	w.slack.Erase("C6", goes)
	w.start()
	if got := next(t, read); !strings.Contains(got, "Friday, "+secretWords) || strings.Contains(got, "airship shed") {
		t.Errorf("after the kill the model read %s", got)
	}
	w.await("C1", root, 1, "The ship date moved")
	answer := strings.Join(w.asShown("C1", root), "\n")
	if !strings.Contains(answer, w.address("C6", stays)) || !strings.Contains(answer, "메시지 1개") || strings.Contains(answer, "[1]") {
		t.Errorf("the answer is %s", answer)
	}
	private := w.slack.Say("U1", "C1", "<@UBOT> what happened in <#C5|board> since yesterday?", "")
	w.await("C1", private, 1, "may read #board")
	if files := w.holds(secretWords); len(files) > 0 {
		t.Errorf("the words are kept in %v", files)
	}
	must(t, "stop", w.stop())
	if kept := w.prompts(); strings.Contains(kept, secretWords) || !strings.Contains(kept, "#release") {
		t.Errorf("of the prompts is kept %.4000s", kept)
	}
}

// TestDiscordChannelIsSummarised: this channel by a mention in it, with addresses, the period and what was left out.
func TestDiscordChannelIsSummarised(t *testing.T) {
	t.Parallel()
	unraced(t)
	read, hold := make(chan string, 8), make(chan struct{})
	close(hold)
	w := newDiscordWorld(t, recounts(t, read, hold), "MARU_MEMORY_ON=false")
	bob := w.discord.AddUser("Bob")
	w.begin()
	said := w.discord.SayWith(bob, w.general, "we ship on Monday, "+secretWords, "", w.discord.PutFile("plan.md", "text/markdown", []byte("# Plan")))
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" catch me up on this channel since yesterday")
	w.await(q.ID, 1, "The ship date moved")
	if got := next(t, read); !strings.Contains(got, "Bob: we ship on Monday, "+secretWords) {
		t.Errorf("the model read %s", got)
	}
	for _, want := range []string{"/" + w.general + "/" + said.ID, "#general, ", "Messages: 1.", "Files aren't included: 1."} {
		if got := w.discord.BotMessages(q.ID)[0].Content; !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if files := w.holds(secretWords); len(files) > 0 {
		t.Errorf("the words are kept in %v", files)
	}
}

// TestSlackChannelSummaryIsScheduled: a wish to have another channel summarised every week is a schedule, whose runs know that channel.
func TestSlackChannelSummaryIsScheduled(t *testing.T) {
	t.Parallel()
	unraced(t)
	read, hold := make(chan string, 8), make(chan struct{})
	close(hold)
	w := newSearchWorld(t, slackfake.Options{}, "OPENAI_BASE_URL="+recounts(t, read, hold).URL, "OPENAI_MODEL=test", "MARU_MEMORY_ON=false")
	w.slack.AddChannel(slackfake.Channel{ID: "C6", Name: "release", Members: []string{"UBOT", "U2", "U3"}})
	w.slack.Say("U3", "C6", "we ship on Monday", "")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 매주 월요일 9시에 <#C6|release> 일주일 요약해줘", "")
	w.await("C1", root, 1, "예약할까요")
	w.slack.Say("U1", "C1", "네", root)
	w.await("C1", root, 2, "예약했어요")
	w.slack.Say("U1", "C1", "그 예약 지금 실행해줘", root)
	if got := next(t, read); !strings.Contains(got, "we ship on Monday") {
		t.Errorf("the model read %s; the bot says %q", got, w.bots("C1", root))
	}
}
