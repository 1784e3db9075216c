package bot_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

// TestSeveralPeople checks when the bot stays out of a talk between people in a
// thread that it takes part in.
func TestSeveralPeople(t *testing.T) {
	t.Parallel()
	yes := func(context.Context, string, []agent.Turn, agent.Turn) (bool, error) { return true, nil }
	no := func(context.Context, string, []agent.Turn, agent.Turn) (bool, error) { return false, nil }
	broken := func(context.Context, string, []agent.Turn, agent.Turn) (bool, error) {
		return false, errors.New("no model")
	}
	cases := []struct {
		name  string
		judge func(context.Context, string, []agent.Turn, agent.Turn) (bool, error)
		who   string // of the last message; U1 asked the bot, U2 spoke to it too if not alone
		alone bool
		text  string
		want  bool
	}{
		{"alone_with_the_bot", no, "U1", true, "and the third year", true},
		{"another_person_is_judged", yes, "U3", true, "and the third year", true},
		{"judged_to_be_for_others", no, "U3", false, "and the third year?", false},
		{"called_by_name_ko", no, "U1", false, "마루야 3년차는?", true},
		{"called_by_name_en", no, "U1", false, "what about year three, Maru?", true},
		{"spoken_about", no, "U1", false, "I think maru is right there", false},
		{"a_nod", yes, "U1", false, "ㅋㅋㅋㅋ", false},
		{"a_nod_en", yes, "U1", false, "Got it!", false},
		{"an_emoji", yes, "U1", false, "👍🏽", false},
		{"another_is_addressed", yes, "U1", false, "@kim 3년차는?", false},
		{"no_judge_question_after_answer", nil, "U1", false, "3년차는?", true},
		{"no_judge_request_after_answer", nil, "U1", false, "표로 정리해줘", true},
		{"no_judge_statement", nil, "U1", false, "오늘 점심은 김밥", false},
		{"no_judge_question_after_own_words", nil, "U1", false, "오늘 점심은 김밥\n3년차는?", true},
		{"no_judge_question_after_words_of_others", nil, "U2", false, "오늘 점심은 김밥\n3년차는?", false},
		{"broken_judge_question", broken, "U1", false, "how about the third year", true},
		{"broken_judge_statement", broken, "U1", false, "let us have lunch first", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			w.stop()
			w.change = func(cfg *service.Config) { cfg.Addressed = c.judge }
			w.start()
			thread := w.platform.Thread("C1", "root")
			runs := 0
			say := func(who, text string, reach bot.Reach) {
				m := w.platform.Message(who, text, thread)
				m.Reach, m.User, m.At = reach, bot.User{ID: who, Name: who}, time.Now() // after the replies
				w.deliver(m)
			}
			ask := func(who string) {
				say(who, "hello", bot.ReachMention)
				runs++
				w.replies(thread, runs)
				w.settled() // what comes next comes after the answer in the transcript too
			}
			if !c.alone {
				ask("U2")
			}
			ask("U1")
			for text := range strings.SplitSeq(c.text, "\n") { // the last of them is what counts
				say(c.who, text, bot.ReachFollow)
				w.settled()
			}
			if c.want {
				runs++
				w.replies(thread, runs)
			}
			w.settled()
			if n := len(w.agent.asked()); n != runs {
				t.Errorf("%d runs, want %d", n, runs)
			}
		})
	}
}

// TestSilenceBetweenPeople checks that after people have talked to each other
// a question needs the bot's name when nobody can judge.
func TestSilenceBetweenPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "root")
	say := func(who, text string, reach bot.Reach) {
		m := w.platform.Message(who, text, thread)
		m.Reach, m.User, m.At = reach, bot.User{ID: who, Name: who}, time.Now() // after the replies
		w.deliver(m)
	}
	say("U1", "hello", bot.ReachMention)
	w.replies(thread, 1)
	w.settled()
	say("U2", "나는 반대야", bot.ReachFollow) // overheard: no question
	say("U1", "왜?", bot.ReachFollow)     // to U2, not to the bot
	w.settled()
	if n := len(w.agent.asked()); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
}

func TestEngagement(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		engage string
		reach  bot.Reach
		known  bool // the bot takes part in the thread
		user   bot.User
		text   string
		want   bool
	}{
		{"mention", "", bot.ReachMention, false, bot.User{ID: "U1"}, "hi", true},
		{"direct", "mention", bot.ReachDirect, false, bot.User{ID: "U1"}, "hi", true},
		{"follow_up_in_own_thread", "", bot.ReachFollow, true, bot.User{ID: "U1"}, "and then?", true},
		{"thread_of_others", "", bot.ReachFollow, false, bot.User{ID: "U1"}, "and then?", false},
		{"speaks_to_another", "", bot.ReachFollow, true, bot.User{ID: "U1"}, "@kim what do you think?", false},
		{"mention_only", "mention", bot.ReachFollow, true, bot.User{ID: "U1"}, "and then?", false},
		{"ambient", "", bot.ReachAmbient, false, bot.User{ID: "U1"}, "lunch?", false},
		{"ambient_wanted", "always", bot.ReachAmbient, false, bot.User{ID: "U1"}, "lunch?", true},
		{"ambient_covered", "documents", bot.ReachAmbient, false, bot.User{ID: "U1"}, "is lunch covered?", true},
		{"ambient_not_covered", "documents", bot.ReachAmbient, false, bot.User{ID: "U1"}, "lunch?", false},
		{"ambient_covered_for_another", "documents", bot.ReachAmbient, false, bot.User{ID: "U1"}, "@kim is lunch covered?", false},
		{"ambient_search_fails", "documents", bot.ReachAmbient, false, bot.User{ID: "U1"}, "is it covered or broken?", false},
		{"covered_elsewhere", "", bot.ReachAmbient, false, bot.User{ID: "U1"}, "is lunch covered?", false},
		{"follow_up_where_documents_answer", "documents", bot.ReachFollow, true, bot.User{ID: "U1"}, "and then?", true},
		{"thread_of_others_where_documents_answer", "documents", bot.ReachFollow, false, bot.User{ID: "U1"}, "is lunch covered?", false},
		{"never", "never", bot.ReachMention, false, bot.User{ID: "U1"}, "hi", false},
		{"app_that_was_let_through", "", bot.ReachMention, false, bot.User{ID: "B1", Bot: true}, "hi", true},
		{"app_without_a_mention", "always", bot.ReachAmbient, false, bot.User{ID: "B1", Bot: true}, "lunch?", false},
		{"app_in_own_thread", "", bot.ReachFollow, true, bot.User{ID: "B1", Bot: true}, "and then?", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			w.stop()
			w.change = func(cfg *service.Config) {
				cfg.Covers = func(_ context.Context, question string, scopes, _ []string) (bool, error) {
					if strings.Contains(question, "broken") {
						return true, errors.New("no index")
					}
					return strings.Contains(question, "covered") && slices.Contains(scopes, bot.ScopePublic), nil
				}
			}
			w.start()
			thread := w.platform.Thread("C1", "root")
			want := 0
			if c.engage != "" {
				if err := w.store.SetSetting(w.ctx, bot.Setting{Place: "fake/T1/C1", Key: "engage", Value: []byte(`"` + c.engage + `"`), By: "U1"}); err != nil {
					t.Fatal(err)
				}
			}
			if c.known {
				w.say("join us", thread)
				w.replies(thread, 1)
				want++
			}
			m := w.platform.Message("U1", c.text, thread)
			m.Reach, m.User = c.reach, c.user
			w.deliver(m)
			if c.want {
				want++
				w.replies(thread, want)
			}
			w.settled()
			if n := len(w.agent.asked()); n != want {
				t.Errorf("%d runs, want %d", n, want)
			}
		})
	}
}

func TestJoiningAThreadReadsWhatWasSaidOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.platform.SetHistory(bot.Message{User: bot.User{Name: "kim"}, Text: "we ship on Friday"})
	thread := w.platform.Thread("C1", "root")
	w.say("summarise this", thread)
	w.replies(thread, 1)
	w.say("and again", thread)
	w.replies(thread, 2)
	asked := w.agent.asked()
	if len(asked[0].Context) != 1 || asked[0].Context[0].Text != "we ship on Friday" || asked[0].Context[0].Author != "kim" {
		t.Errorf("first run knows %+v", asked[0].Context)
	}
	if len(asked[1].Context) != 0 {
		t.Errorf("the second run is told again: %+v", asked[1].Context)
	}
}
