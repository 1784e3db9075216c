package main

import (
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// reciter answers from passages, and echoes what has none.
func reciter(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": "rag", "reason": "test"})
		}
		if strings.Contains(r.Messages[0].Text(), "passages of the team's documents") {
			return llmtest.Text("The stand-up is at 10 [1].")
		}
		return think(r)
	})
}

// TestSlackNotesOverKills keeps a note for a channel, is killed, and cites the note with its author; another channel
// doesn't see it, and after a click it is gone.
func TestSlackNotesOverKills(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, reciter(t))
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> remember for this channel: the stand-up is at 10", "")
	w.await("C1", root, 1, "everybody in this channel")
	w.settles()
	w.kill()
	w.start()
	asked := w.slack.Say("U2", "C1", "<@UBOT> when is the stand-up?", "")
	w.await("C1", asked, 1, "at 10")
	if shown := w.blocks("C1", asked); !strings.Contains(shown, "noted by") {
		t.Errorf("the source has no author: %s", shown)
	}
	elsewhere := w.slack.Say("U2", "C2", "<@UBOT> when is the stand-up?", "")
	w.await("C2", elsewhere, 1, "You said")
	if shown := w.blocks("C2", elsewhere); strings.Contains(shown, "noted by") {
		t.Errorf("a note left its channel: %s", shown)
	}
	w.slack.Say("U2", "C1", "<@UBOT> forget what you remember about the stand-up here", root)
	card := w.withButton(root, "Forget it", "Forget this for everybody")
	w.settles()
	w.kill()
	w.start()
	w.press("U2", card, "Forget it")
	if err := w.slack.Wait(within(t, atMost), func() bool { return len(w.slack.Whispers("U2")) > 0 }); err != nil {
		t.Fatal("the click is not answered")
	}
	w.whispered("U2", "C1", "memory channel", "don't remember anything for this channel")
}

// TestDiscordNotes keeps a note in a channel and replaces it after a kill.
func TestDiscordNotes(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, reciter(t))
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" 이 채널에 기억해줘: 스탠드업은 10시")
	w.await(q.ID, 1, "이 채널의 모두를 위해 기억할게요")
	w.settles()
	w.kill()
	w.begin()
	w.discord.Say(w.user, q.ID, w.discord.Mention()+" 이 채널에 기억해줘: 스탠드업은 11시")
	w.await(q.ID, 2, "예전 메모 “스탠드업은 10시”")
}

// TestWebNotes: in the console the built-in model answers from a note.
func TestWebNotes(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.start()
	p.tell("t", "이 채널에 기억해줘: 스탠드업은 매일 오전 10시에 해요")
	p.hears("t", 2, "기억할게요")
	p.settles()
	p.kill()
	p.start()
	p.tell("t", "스탠드업은 몇 시에 해?")
	p.hears("t", 4, "10시")
}

// TestSlackGaps shows an admin what the documents didn't say, after a kill, and nobody else.
func TestSlackGaps(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, reciter(t), "MARU_ADMINS=U1")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> remember for this channel: the stand-up is at 10", "")
	w.await("C1", root, 1, "everybody in this channel")
	asked := w.slack.Say("U2", "C1", "<@UBOT> where is the company retreat?", "")
	w.await("C1", asked, 1, "don't say")
	w.settles()
	w.kill()
	w.start()
	w.slack.Say("U2", "C1", "<@UBOT> when is the stand-up?", asked)
	w.await("C1", asked, 2, "at 10") // and what was broken off before is in the record
	w.whispered("U1", "C1", "gaps", "where is the company retreat?", "문서에 없음: 1번", "1번 답하기")
	w.whispered("U3", "C1", "gaps", "admin")
}

// TestSlackGapIsAnswered fills in the form behind the report's button, after a kill: the answer is a note that the channel is
// answered from, and the gap is gone.
func TestSlackGapIsAnswered(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, reciter(t), "MARU_ADMINS=U1")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> remember for this channel: the canteen opens at 8", "")
	w.await("C1", root, 1, "everybody in this channel")
	asked := w.slack.Say("U2", "C1", "<@UBOT> when is the stand-up?", "")
	w.await("C1", asked, 1, "don't say")
	w.settles()
	w.whispered("U1", "C1", "gaps", "when is the stand-up?", "1번 답하기")
	w.kill()
	w.start()
	_, err := w.slack.ClickWhisper("U1", "1번 답하기")
	must(t, "click", err)
	var form slackfake.View
	awaits(t, "no form", func() bool {
		v, ok := w.slack.LastView()
		if ok && v.Open {
			form = v
		}
		return form.ID != ""
	})
	_, err = w.slack.Submit("U1", form.ID, map[string]string{"answer": "The stand-up is at 10."})
	must(t, "submit", err)
	w.acknowledged()
	w.whispered("U1", "C1", "memory channel", "stand-up is at 10")
	again := w.slack.Say("U2", "C1", "<@UBOT> when is the stand-up?", "")
	w.await("C1", again, 1, "at 10")
	if shown := w.blocks("C1", again); !strings.Contains(shown, "chulsoo 님이") {
		t.Errorf("the source has no author: %s", shown)
	}
	w.whispered("U1", "C1", "gaps", "없")
}

// TestSlackNoteIsOffered keeps a decision of a thread after a member's click, and nothing before it.
func TestSlackNoteIsOffered(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, reciter(t), "MARU_ADMINS=U1")
	w.start()
	w.whispered("U1", "C1", "settings set channel note_offers on", "note_offers")
	root := w.slack.Say("U2", "C1", "<@UBOT> from now on the stand-up is at 10", "")
	card := w.withButton(root, "Remember for this channel", "the stand-up is at 10")
	w.whispered("U3", "C1", "memory channel", "don't remember anything")
	w.settles()
	w.kill()
	w.start()
	w.press("U2", card, "Remember for this channel")
	w.settles()
	asked := w.slack.Say("U3", "C1", "<@UBOT> when is the stand-up?", "")
	w.await("C1", asked, 1, "at 10")
	if shown := w.blocks("C1", asked); !strings.Contains(shown, "noted by") {
		t.Errorf("the source has no author: %s", shown)
	}
}
