package main

import (
	"strings"
	"testing"
)

// TestSlackSourcesOpen: after a restart a click below an answer shows the cited passage to the one who clicked.
func TestSlackSourcesOpen(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, reciter(t))
	w.start()
	w.ingest("../../handbook/en/annual-leave.md")
	root := w.slack.Say("U1", "C1", "<@UBOT> How many days of annual leave does an employee have?", "")
	w.await("C1", root, 1, "[1]")
	w.settles()
	w.kill()
	w.start()
	w.press("U2", w.withButton(root, "Read the sources", "[1]"), "Read the sources")
	if err := w.slack.Wait(within(t, atMost), func() bool {
		said := w.slack.Whispers("U2")
		return len(said) > 0 && strings.Contains(string(mustJSON(t, said[len(said)-1])), "15 days")
	}); err != nil {
		t.Errorf("the source does not open: %v", w.slack.Whispers("U2"))
	}
}

// TestDiscordSourcesOpen is TestSlackSourcesOpen on Discord, in Korean.
func TestDiscordSourcesOpen(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, reciter(t))
	w.begin()
	w.ingest("../../handbook/ko/annual-leave.md")
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" 연차 휴가는 며칠이야?")
	w.await(q.ID, 1, "[1]")
	w.settles()
	w.kill()
	w.begin()
	m := w.showing(q.ID, "출처 읽기", "출처 읽기")
	token := w.discord.Click(w.user, q.ID, m.ID, buttonID(m.Components, "출처 읽기"))
	if err := w.discord.Await(within(t, atMost), func() bool {
		i := w.discord.Interaction(token)
		return strings.Contains(string(mustJSON(t, i.Data)), "이월할 수 있습니다") || i.Original != nil && i.Original.Ephemeral && strings.Contains(string(mustJSON(t, i.Original)), "이월할 수 있습니다")
	}); err != nil {
		t.Errorf("the source does not open: %s", mustJSON(t, w.discord.Interaction(token)))
	}
}
