package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/service"
	"maru/datatest"
	"maru/memory/sqlitestore"
)

// mortalPlanner is a record with schedules that dies at commits, those of schedules included.
type mortalPlanner struct {
	*mortalRecord
	calendar.Store
}

func (p *mortalPlanner) PutSchedule(ctx context.Context, r calendar.Row, most calendar.Limits) (v int64, err error) {
	err = p.m.step(func() (e error) { v, e = p.Store.PutSchedule(ctx, r, most); return e })
	return v, err
}

func (p *mortalPlanner) DropSchedule(ctx context.Context, id string) (was bool, err error) {
	err = p.m.step(func() (e error) { was, e = p.Store.DropSchedule(ctx, id); return e })
	return was, err
}

// TestWordsChangeOnceInAKilledProcess: a process that dies at any commit of a change in words, before or after it, leaves the next one to
// change and to say what an undisturbed one would have.
func TestWordsChangeOnceInAKilledProcess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, says, want string
		before           []string
		left             string
	}{
		{"moved", "30분만 당겨줘", "오후 2:30", []string{"내일 오후 3시에 치과 가라고 알려줘"}, "치과 가기 14:30"},
		{"removed", "장 보기 알림 취소해줘", "삭제했어요: 장 보기", []string{"내일 오후 3시에 치과 가라고 알려줘", "내일 오후 4시에 장 보라고 알려줘"}, "치과 가기 15:00"},
		{"run", "치과 리마인더 지금 실행해줘", "지금 실행해요: 치과 가기", []string{"내일 오후 3시에 치과 가라고 알려줘"}, "치과 가기 15:00"},
		{"answered", "tomorrow at 4 pm", "I'll say: call Kim", []string{"remind me to call Kim"}, "call Kim 16:00"},
		{"answered_with_a_verb", "내일 오후 4시에 알려줘", "그때 할 말: call Kim", []string{"remind me to call Kim"}, "call Kim 16:00"},
		{"asked", "remind me to buy milk", "When should I say this: buy milk", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			places, stride, least := 0, 1, 8
			if datatest.Short(t) {
				stride, least = 3, 2
			}
			for _, after := range []bool{false, true} {
				for n := 1; ; n += stride {
					w, h := scheduled(t)
					in := w.platform.Thread("C1", "t1")
					for i, says := range c.before {
						h.say(t, w, "U1", says, in)
						waitUntil(t, "answer", func() bool { return len(posted(w)) > i && posted(w)[i].Card.Final })
						h.to(h.Now().Add(time.Minute))
					}
					w.settled()
					w.stop()
					life := newMortal(n, after)
					w.change = func(s *service.Config) {
						s.Record, s.Adapters = &mortalPlanner{&mortalRecord{s.Record, life}, w.store}, []bot.Adapter{&mortalPlatform{w.platform, life, 0}}
					}
					w.start()
					m := w.platform.Message("U1", c.says, in)
					m.At, m.User.TimeZone = h.Now(), "Asia/Seoul"
					took := w.bot.Message(w.ctx, m)
					waitUntil(t, "death or answer", func() bool { return life.died() || len(posted(w)) > len(c.before) && finals(w, m) })
					died := life.died()
					w.stop()
					w.change = nil
					h.to(h.Now().Add(10 * time.Minute)) // its leases are over
					w.start()
					if took != nil {
						w.deliver(m)
					}
					waitUntil(t, "answer", func() bool { return len(posted(w)) > len(c.before) && posted(w)[len(c.before)].Card.Final })
					w.settled()
					if count(w, c.want) != 1 {
						t.Errorf("step %d, after %v: %d posts say %q, the first of %q", n, after, count(w, c.want), c.want, posted(w)[len(c.before)].Card.Text)
					}
					if ran := count(w, "⏰"); (ran == 1) != (c.name == "run") || ran > 1 {
						t.Errorf("step %d, after %v: it ran %d times", n, after, ran)
					}
					var left []string
					for _, r := range kept(t, w, in) {
						left = append(left, r.Text+" "+r.Due.In(time.FixedZone("KST", 9*3600)).Format("15:04"))
					}
					if got := strings.Join(left, ", "); got != c.left {
						t.Errorf("step %d, after %v: left %q, want %q", n, after, got, c.left)
					}
					if len(w.agent.asked()) > 0 {
						t.Errorf("step %d, after %v: an agent was asked", n, after)
					}
					w.stop()
					if !died || t.Failed() {
						break
					}
					places++
				}
			}
			t.Logf("%d boundaries", places)
			if places < least {
				t.Errorf("it died in %d places only", places)
			}
		})
	}
}

// raced is a record in which somebody else edits a row at a moment of a change in words.
type raced struct {
	*sqlitestore.Store
	at string // "note" or "run"
}

// edit changes the text of a row.
func (r *raced) edit(ctx context.Context, id string) error {
	row, err := r.ScheduleByID(ctx, id)
	if err == nil {
		row.Text = "call Lee"
		_, err = r.Store.PutSchedule(ctx, row, calendar.Limits{})
	}
	return err
}

func (r *raced) PutSchedule(ctx context.Context, row calendar.Row, most calendar.Limits) (int64, error) {
	v, err := r.Store.PutSchedule(ctx, row, most)
	if err == nil && r.at == "note" && row.Wish != nil && row.Wish.Verb == "run" {
		err = r.edit(ctx, row.Wish.IDs[0])
	}
	return v, err
}

func (r *raced) FireSchedule(ctx context.Context, row calendar.Row, it bot.Item) (bool, error) {
	if r.at == "run" {
		if err := r.edit(ctx, row.ID); err != nil {
			return false, err
		}
	}
	return r.Store.FireSchedule(ctx, row, it)
}

// TestRunThatLostARace: a schedule that somebody else edited at the same moment has not run, and nobody says that it does.
func TestRunThatLostARace(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"note", "run"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w, h := scheduled(t)
			in := w.platform.Thread("C1", "t1")
			h.keep(t, w, in, "call Kim")
			w.stop()
			w.change = func(s *service.Config) { s.Record = &raced{w.store, at} }
			w.start()
			h.say(t, w, "U1", "run the Kim reminder", in)
			shown(t, w, "Somebody changed this schedule")
			if n := count(w, "Running it now"); n > 0 || len(w.agent.asked()) > 0 {
				t.Errorf("%d cards say that it runs", n)
			}
		})
	}
}
