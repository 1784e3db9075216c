package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestTimesInEachReadersZone: the next time of a schedule is a date of the platform, which shows it in each reader's time
// zone, with words for notifications and programs. A link of that scheme in a person's text is shown as it is written.
func TestTimesInEachReadersZone(t *testing.T) {
	t.Parallel()
	unraced(t)
	const (
		asks   = "매주 월요일 9시에 [어제](moment:1700000001) 보고를 올려줘"
		forged = "1700000001"
		typed  = "[어제](moment:" + forged + ") 보고"
		words  = "월요일) 오전 9:00"
	)
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		w := newSlackWorld(t, brain(t))
		w.start()
		card := w.withButton(w.slack.Say("U1", "C1", "<@UBOT> "+asks, ""), "예약", "매주 월요일")
		blocks := string(card.Blocks)
		if !regexp.MustCompile(`"timestamp":\s*\d{10},\s*"type":\s*"date"|"type":\s*"date",\s*"timestamp":\s*\d{10}`).MatchString(blocks) || !strings.Contains(blocks, words) || !strings.Contains(blocks, typed) || strings.Count(blocks, forged) != 1 {
			t.Errorf("the card is %s", blocks)
		}
		// a streamed message, as slow answers are, has no text beside its blocks
		if card.Text != "" && !strings.Contains(card.Text, words) || strings.Count(card.Text, "moment:") != strings.Count(card.Text, typed) || strings.Contains(card.Text, "!date") {
			t.Errorf("the notification is %q", card.Text)
		}
		w.press("U1", card, "예약")
		w.reads("U1", "예약했어요")
		w.whispered("U1", "C1", "schedule", words, typed)
	})
	t.Run("discord", func(t *testing.T) {
		t.Parallel()
		w := newDiscordWorld(t, brain(t))
		w.begin()
		q := w.discord.Say(w.user, w.general, w.discord.Mention()+" "+asks)
		w.await(q.ID, 1, "매주 월요일")
		said := w.discord.BotMessages(q.ID)[0].Content
		if !regexp.MustCompile(`<t:\d{10}:f>`).MatchString(said) || strings.Count(said, forged) != 1 || !strings.Contains(said, `[어제\](moment:`+forged+") 보고") {
			t.Errorf("the card is %q", said)
		}
	})
	t.Run("web", func(t *testing.T) {
		t.Parallel()
		p := newProgram(t, "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_MODEL=test")
		p.start()
		p.tell("t", asks)
		if line := p.hears("t", 2, words); strings.Count(line, "moment:") != strings.Count(line, "moment:"+forged) {
			t.Errorf("a program reads %s", line)
		}
		run := regexp.MustCompile(`"run":"([^"]+)"`).FindStringSubmatch(p.hears("t", 2, words))
		if _, end := p.get("/api/runs/" + run[1] + "/events"); !strings.Contains(end, "event: END") || !strings.Contains(end, words) || strings.Count(end, "moment:") != strings.Count(end, "moment:"+forged) {
			t.Errorf("a program that follows the run reads %s", end)
		}
		_, page := p.get("/t/t")
		if !regexp.MustCompile(`<time datetime="20\d\d-\d\d-\d\dT\d\d:\d\d:00Z">[^<]*`+regexp.QuoteMeta(words)).MatchString(page) || strings.Contains(page, "2023-11-14") {
			t.Errorf("the page shows %s", ending(page))
		}
	})
}
