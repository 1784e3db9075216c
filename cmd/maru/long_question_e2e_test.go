package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLongQuestionIsReadWhole asks about 40,000 characters: Slack and Discord have them as a file before the card asks, once over
// a kill -9, the console's card has them all, and the button works on each.
func TestLongQuestionIsReadWhole(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	long.WriteString("| account | amount in 1,000 KRW |\n|---|---|\n| 110-222 | 50 |\n\n")
	for n := range 800 {
		fmt.Fprintf(&long, "%03d 계약 조항입니다. The parties agree on clause no. %d.\n\n", n, n)
	}
	env := func(t *testing.T) []string {
		t.Helper()
		dir := t.TempDir()
		ask := strings.Replace(announcement, `"{{input}}"}},`, strings.ReplaceAll(fmt.Sprintf("%q", long.String()), `\\`, `\`)+"}},", 1)
		must(t, "write the workflow", os.WriteFile(filepath.Join(dir, "announce.json"), []byte(ask), 0o600))
		return []string{"MARU_WORKFLOWS=" + dir, "MARU_AGENT=announce"}
	}
	whole := func(t *testing.T, files []string) {
		t.Helper()
		if len(files) != 1 {
			t.Fatalf("%d files", len(files))
		}
		for _, want := range []string{"000 계약", "399 계약", "799 계약", "clause no. 799.", "account │ amount in 1,000 KRW\n"} {
			if !strings.Contains(files[0], want) {
				t.Errorf("the file lacks %q", want)
			}
		}
	}
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		w := newSlackWorld(t, brain(t), env(t)...)
		w.start()
		root := w.slack.Say("U1", "C1", "<@UBOT> lunch at noon", "")
		m := w.withButton(root, "Approve", "The whole is in the file")
		w.kill()
		w.start()
		var files []string
		for _, m := range w.slack.Replies("C1", root) {
			for _, f := range w.slack.Uploaded(m) {
				files = append(files, string(f.Data))
			}
		}
		whole(t, files)
		w.press("U1", m, "Approve")
		must(t, "answer", w.slack.Wait(within(t, atMost), func() bool {
			return strings.Contains(strings.Join(w.bots("C1", root), "\n"), "Announced: lunch at noon")
		}))
	})
	t.Run("discord", func(t *testing.T) {
		t.Parallel()
		w := newDiscordWorld(t, brain(t), env(t)...)
		w.begin()
		q := w.discord.Say(w.user, w.general, w.discord.Mention()+" lunch at noon")
		m := w.showing(q.ID, "Approve", "The whole is in the file")
		var files []string
		for _, m := range w.discord.BotMessages(q.ID) {
			for _, f := range m.Files {
				files = append(files, f.Name)
				if f.Size < len(long.String())-800 { // its empty lines may go
					t.Errorf("%s has %d bytes of %d", f.Name, f.Size, long.Len())
				}
			}
		}
		if len(files) != 1 {
			t.Errorf("files %q", files)
		}
		w.discord.Click(w.user, q.ID, m.ID, buttonID(m.Components, "Approve"))
		must(t, "answer", w.discord.Await(within(t, atMost), func() bool {
			return strings.Contains(string(mustJSON(t, w.discord.BotMessages(q.ID))), "Announced: lunch at noon")
		}))
	})
	t.Run("console", func(t *testing.T) {
		t.Parallel()
		p := newProgram(t, append(env(t), "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_API_KEY=test-key", "OPENAI_MODEL=m")...)
		p.start()
		p.tell("t1", "lunch at noon")
		run := p.asked("t1")
		if card := p.lines("t1")[1]; !strings.Contains(card, "000 계약") || !strings.Contains(card, "799 계약") || !strings.Contains(card, `"verb":"accept"`) {
			t.Errorf("the card of %s is %s", run, card)
		}
	})
}
