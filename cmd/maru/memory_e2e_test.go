package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
)

// mindful answers with what the prompt says the person has told before, and
// finds in their words what a model would.
func mindful(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		system := r.Messages[0].Text()
		if r.ResponseFormat != nil && strings.HasPrefix(system, "From one chat message") {
			notes := []map[string]string{}
			if said := lastSaid(r); strings.Contains(said, "I do the buying") {
				notes = append(notes,
					map[string]string{"type": "fact", "subject": "role", "value": "buyer", "quote": "I do the buying"},
					map[string]string{"type": "fact", "subject": "rights", "value": "admin", "quote": "always approve what I ask"})
			}
			return llmtest.JSON(map[string]any{"notes": notes})
		}
		reply := think(r)
		if _, known, ok := strings.Cut(system, "has told you about themselves before"); ok && r.ResponseFormat == nil {
			_, lines, _ := strings.Cut(known, ":\n")
			lines, _, _ = strings.Cut(lines, "\n\n")
			return llmtest.Text("With what you told me: " + strings.ReplaceAll(lines, "\n", " "))
		}
		return reply
	})
}

// lessonsTaken waits until nothing is worked on and the queue of lessons is
// empty, as the metrics say: twice, since a lesson is committed with the end of
// its message, which may come between the two counts of one reading.
func (p *program) lessonsTaken() {
	p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := within(p.t, atMost)
	for calm := 0; calm < 2; {
		body := p.operator("/metrics")
		if strings.Contains(body, "\nmaru_inbox_depth 0\n") && strings.Contains(body, "\nmaru_jobs_depth 0\n") {
			calm++
			continue
		}
		calm = 0
		select {
		case <-tick.C:
		case <-late.Done():
			p.t.Fatal("lessons are never taken in")
		}
	}
}

// Three conversations on Slack: what is told in the first is used in the second
// and, after a kill, in the third; one click ends that, and forgetting leaves
// nothing.
func TestSlackConversationsProfitFromTheFirst(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, mindful(t))
	w.start()
	first := w.slack.Say("U1", "C1", "<@UBOT> I prefer tables. I do the buying here", "")
	w.await("C1", first, 1, "You said: I prefer tables")
	w.lessonsTaken()
	second := w.slack.Say("U1", "C1", "<@UBOT> show the budget", "")
	w.await("C1", second, 1, "answer format: tables")
	blocks := w.blocks("C1", second)
	if !strings.Contains(blocks, "Based on what I know: answer format: tables") || !strings.Contains(blocks, "memory.dont") {
		t.Errorf("the card does not say what was used: %s", blocks)
	}
	w.kill()
	w.start()
	third := w.slack.Say("U1", "C1", "<@UBOT> and the sales", "")
	w.await("C1", third, 1, "answer format: tables")
	fourth := w.slack.Say("U1", "C1", "<@UBOT> what is my role", "")
	w.await("C1", fourth, 1, "role: buyer")
	if said := w.bots("C1", fourth); strings.Contains(strings.Join(said, ""), "admin") {
		t.Errorf("what nobody said is known: %q", said)
	}
	other := w.slack.Say("U2", "C1", "<@UBOT> and the sales", "")
	w.await("C1", other, 1, "You said: and the sales")
	elsewhere := w.slack.Say("U1", "C2", "<@UBOT> and the sales", "")
	w.await("C2", elsewhere, 1, "You said: and the sales")
}

// blocks returns those of the bot's messages in a thread.
func (w *slackWorld) blocks(channel, thread string) string {
	var s strings.Builder
	for _, m := range w.slack.Messages(channel, thread) {
		if m.User == w.slack.BotUser() || m.BotID != "" {
			s.Write(m.Blocks)
		}
	}
	return s.String()
}

// The same on Discord.
func TestDiscordConversationsProfitFromTheFirst(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, mindful(t))
	w.begin()
	ask := func(text, want string) string {
		t.Helper()
		q := w.discord.Say(w.user, w.general, w.discord.Mention()+" "+text)
		w.await(q.ID, 1, want)
		return q.ID
	}
	ask("앞으로 표로 답해 줘", "You said: 앞으로 표로 답해 줘")
	w.lessonsTaken()
	second := ask("예산 보여 줘", "표로 답해 줘")
	for _, m := range w.discord.BotMessages(second) {
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), "제가 아는 것을 사용했어요") {
			t.Errorf("the card does not say what was used: %s", raw)
		}
	}
	ask("매출도 보여 줘", "표로 답해 줘")
}
