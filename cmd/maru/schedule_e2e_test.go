package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
	"maru/bot/calendar"
	"maru/memory/sqlitestore"
)

// overdue makes every schedule of a stopped program due a moment ago, and returns how many there are.
func (p *program) overdue() int {
	p.t.Helper()
	ctx := context.Background()
	store, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: filepath.Join(p.dir, "data", "maru.db")})
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { must(p.t, "close the record", store.Close()) }()
	rows, err := store.DueSchedules(ctx, time.Now().AddDate(1, 0, 0), 0)
	must(p.t, "list schedules", err)
	for _, r := range rows {
		r.Due = time.Now().Add(-time.Second)
		_, err := store.PutSchedule(ctx, r, calendar.Limits{})
		must(p.t, "make a schedule due", err)
	}
	return len(rows)
}

// TestSlackScheduleOverKills confirms a schedule by its card and kills the program with SIGKILL before it is due, in its
// run and after it: the channel has one result.
func TestSlackScheduleOverKills(t *testing.T) {
	t.Parallel()
	asked, hold := make(chan struct{}, 8), make(chan struct{})
	first := make(chan struct{}, 1)
	first <- struct{}{}
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		reply := think(r)
		if r.ResponseFormat == nil {
			select {
			case <-first:
				reply.Wait = hold // the first answer never comes
				asked <- struct{}{}
			default:
			}
		}
		return reply
	})
	t.Cleanup(func() { close(hold) })
	w := newSlackWorld(t, model)
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 매주 월요일 9시에 지난주 티켓을 요약해서 올려줘", "")
	card := w.withButton(root, "예약", "매주 월요일 오전 9:00")
	w.press("U1", card, "예약")
	w.kill()
	if n := w.overdue(); n != 1 {
		t.Fatalf("%d schedules after a kill", n)
	}
	w.start()
	<-asked
	w.kill() // in the run
	w.start()
	const result = "You said: 지난주 티켓을 요약해서 올려줘"
	results := func() (out []slackfake.Message) {
		for _, m := range w.slack.Messages("C1", "") {
			if strings.Contains(m.Text+string(m.Blocks), result) {
				out = append(out, m)
			}
		}
		return out
	}
	if err := w.slack.Wait(within(t, atMost), func() bool {
		return len(results()) == 1 && strings.Contains(string(results()[0].Blocks), "매주 월요일")
	}); err != nil {
		t.Fatalf("no result in the channel: %q", w.bots("C1", ""))
	}
	w.kill()
	w.start()
	w.slack.Say("U1", "C1", "<@UBOT> hello there", "")
	if err := w.slack.Wait(within(t, atMost), func() bool { return len(results()) == 1 }); err != nil || len(results()) != 1 {
		t.Errorf("%d results", len(results()))
	}
}

// TestDiscordReminder keeps a reminder at once and says it in the thread, after a kill.
func TestDiscordReminder(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, brain(t))
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" hello there")
	w.await(q.ID, 1, "You said: hello there")
	w.discord.Say(w.user, q.ID, w.discord.Mention()+" remind us on Friday at 5pm to send the report")
	w.await(q.ID, 2, "Scheduled")
	w.settles()
	w.kill()
	if n := w.overdue(); n != 1 {
		t.Fatalf("%d schedules after a kill", n)
	}
	w.begin()
	w.await(q.ID, 3, "⏰ send the report")
}

// TestWebReminder keeps a reminder in the console, and says it in its tab.
func TestWebReminder(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_MODEL=test")
	p.start()
	p.tell("t", "매주 월요일 회의는 몇 시야?")
	p.hears("t", 2, "You said")
	p.tell("t", "내일 오후 3시에 치과 가라고 알려줘")
	p.hears("t", 4, "예약했어요")
	p.settles()
	p.kill()
	if n := p.overdue(); n != 1 {
		t.Fatalf("%d schedules after a kill", n)
	}
	p.start()
	p.hears("t", 5, "⏰ 치과 가기")
}
