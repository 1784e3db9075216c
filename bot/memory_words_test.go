package bot_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/memory/longterm"
)

// TestPeopleAskForTheirMemoryInWords has them ask as they speak: alone with the bot they
// are shown what it knows, before others they are told where to look.
func TestPeopleAskForTheirMemoryInWords(t *testing.T) {
	t.Parallel()
	sequential(t)
	w, _ := mindful(t, nil)
	direct := w.platform.Thread("D1", "")
	direct.Direct = true
	w.say("I work in Busan.", direct)
	w.replies(direct, 1)
	w.learned()
	asked := 1
	for _, text := range []string{
		"내 기억 보여줘", "제 기억 좀 보여 주세요!", "나에 대해 뭘 알고 있어?", "저에 대해 뭘 알고 계세요?", "나에 대해 기억하는 거 알려줘", "기억하는 게 뭐야?", "내가 뭐라고 저장했지?", "지금까지 나에 대해 아는 거 전부 지워", "나에 대한 정보 삭제해줘", "내 데이터 삭제해 주실 수 있어요?", "제 정보 삭제해주시겠어요?", "제 데이터를 모두 삭제해 주시기 바랍니다",
		"내 기억 지워줘", "나에 대한 기억 다 지워 줘", "그거 잊어 줘", "나를 잊어줘", "내가 한 말 다 잊어 줘", "제가 지금까지 말한 거 전부 지워 주세요",
		"What do you remember about me?", "what do you know about me", "show me your memory of me", "what did you save about me?", "Forget what you know about me", "forget me", "forget that please", "forget everything about me", "please delete everything I've said so far", "erase all my data",
	} {
		w.say(text, direct)
		asked++
		got := w.replies(direct, asked)[asked-1].Card.Text
		if !strings.Contains(got, "work: Busan") || !strings.Contains(got, "/maru memory forget") {
			t.Errorf("%q is answered with %q", text, got)
		}
	}
	for _, text := range []string{"내 기억이 맞다면 연차는 15일이야?", "기억해 줘: 회의는 9시", "do you know about meetings", "What do you know about remote work?", "forget it", "제 정보 삭제 요청은 어디에 해요?", "내 데이터 삭제됐어", "내 정보 잊지 마", "내 기억 지우지 마", "제 기억은 삭제하지 말아 주세요", "don't forget my notes", "내가 부산에서 일한다는 거 잊지 마", "제 데이터 삭제하지 마세요", "나에 대해 저장한 거 지우지 말아줘", "그거 보여줘", "내가 한 말 잊어 줘", "forget what I said"} {
		w.say(text, direct)
		asked++
		if got := w.replies(direct, asked)[asked-1].Card.Text; strings.Contains(got, "/maru memory") {
			t.Errorf("%q is taken for a question about memory: %q", text, got)
		}
	}
	if _, got := w.ask("C1", "what do you remember about me?"); strings.Contains(got.Card.Text, "Busan") || !strings.Contains(got.Card.Text, "only to you") {
		t.Errorf("before others: %q", got.Card.Text)
	}
}

// TestOneThingIsForgottenInWords finds the one memory that a person asks to have forgotten, and asks before it is deleted. What nothing
// is remembered of is answered like any message.
func TestOneThingIsForgottenInWords(t *testing.T) {
	t.Parallel()
	for wish, c := range map[string]struct{ teach, words string }{
		"Forget that I work in Busan, please.":   {"I work in Busan.", "work: Busan"},
		"Could you forget that I work in Busan?": {"I work in Busan.", "work: Busan"},
		"내가 Busan이라는 거 잊어줄래？":                    {"I work in Busan.", "work: Busan"},
		"Forget that I prefer short answers.":    {"I prefer short answers.", "short"},
		"부산에서 일한다는 거 잊어줘":                        {"저는 부산에서 일해요.", "직장: 부산"},
	} {
		t.Run(wish, func(t *testing.T) {
			t.Parallel()
			w, memory := mindful(t, nil)
			direct := w.platform.Thread("D1", "")
			direct.Direct = true
			w.say(c.teach, direct)
			w.replies(direct, 1)
			w.learned()
			if _, got := w.ask("C1", wish); strings.Contains(got.Card.Text, c.words) || len(got.Card.Buttons) > 0 {
				t.Errorf("before others: %q", got.Card.Text)
			}
			_, remembered := w.ask("C1", wish)
			if _, unknown := w.ask("C1", strings.NewReplacer("Busan", "Sejong", "short", "odd").Replace(wish)); unknown.Card.Text != remembered.Card.Text {
				t.Errorf("before others it differs whether it is remembered: %q", unknown.Card.Text)
			}
			n := 1
			for _, other := range []string{
				"forget that I asked", "forget that my flight is late", "내가 물어봤다는 건 잊어줘", "forget it", "don't forget that I work in Busan", "Don't remember i work in Busan?", "Don't remember I work in Busan？",
				"don't remember I prefer short answers?!", "forget my answers", "forget my work", "forget my answer please", "don't remember my manager?", "내가 Busan이라는 사실 잊어버려?",
			} {
				w.say(other, direct)
				n++
				if got := w.replies(direct, n)[n-1].Card; strings.Contains(got.Text, "Shall I forget") {
					t.Errorf("%q is answered with %q", other, got.Text)
				}
			}
			w.say(wish, direct)
			n++
			card := w.replies(direct, n)[n-1].Card
			if !strings.Contains(card.Text, c.words) || len(card.Buttons) != 1 {
				t.Fatalf("%+v", card)
			}
			known := func() int {
				list, err := memory.Load().Known(w.ctx, "fake/T1/U1")
				if err != nil {
					t.Fatal(err)
				}
				return len(list)
			}
			before := known()
			act := func(user string) {
				t.Helper()
				if _, err := w.bot.Action(w.ctx, bot.Action{ID: card.Buttons[0].ID, Verb: card.Buttons[0].Verb, Thread: direct, User: bot.User{ID: user, Name: user}, At: time.Now()}); err != nil {
					t.Fatal(err)
				}
			}
			if act("U2"); known() != before {
				t.Error("somebody else deleted it")
			}
			if act("U1"); before < 1 || known() != before-1 {
				t.Errorf("%d memories before, %d after", before, known())
			}
		})
	}
}

// TestMemoryIsListedAsPeopleReadIt lists what was learnt of decisions and tools: by what
// people call them, and without a certainty of nothing.
func TestMemoryIsListedAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	w, memory := mindful(t, nil)
	w.ask("C1", "I work in Busan.")
	w.learned()
	known, err := memory.Load().Known(w.ctx, "fake/T1/U1")
	if err != nil || len(known) != 1 {
		t.Fatalf("known: %v, %v", known, err)
	}
	var lessons []longterm.Lesson
	for kind, data := range map[longterm.Kind]any{
		longterm.KindBehavior: longterm.BehaviorLesson{Task: "prepare the workshop", Approval: "plan", Decision: longterm.Accepted},
		longterm.KindTool:     longterm.ToolLesson{Task: "sum the costs", Tool: "biz_find_sales"},
		longterm.KindPlan:     longterm.PlanLesson{Query: "sum the costs", Final: []longterm.Step{{Text: "find them"}, {Text: "add them up"}}, Success: true},
	} {
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		lessons = append(lessons, longterm.Lesson{Kind: string(kind), Data: raw})
	}
	o := longterm.Owner{Person: "fake/T1/U1", Scopes: []string{known[0].Scope}, Home: known[0].Scope}
	if _, err := memory.Load().Take(w.ctx, o, "s1", time.Now(), lessons); err != nil {
		t.Fatal(err)
	}
	list := w.command(me, "C1", "")
	for _, want := range []string{
		"1. **work: Busan**", "**prepare the workshop**", "Plan approval: accepted 1, changed 0", "**sum the costs**", "Plan: find them → add them up (went well 1 of 1 times)",
		"Tool “biz find sales”: worked 0 of 1 times",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q:\n%s", want, list)
		}
	}
	if strings.Count(list, "sum the costs") != 1 {
		t.Errorf("one task is told more than once:\n%s", list)
	}
	if known, err = memory.Load().Known(w.ctx, "fake/T1/U1"); err != nil {
		t.Fatal(err)
	}
	for _, r := range known {
		if strings.Contains(list, r.ID[:9]) {
			t.Errorf("the id %s is shown:\n%s", r.ID, list)
		}
	}
	if strings.Contains(list, " 0 %") || strings.Contains(list, " 0%") {
		t.Errorf("a certainty of nothing is told:\n%s", list)
	}
	if got := w.command(me, "C1", "forget 1"); !strings.Contains(got, "Forgotten: 1 memory") || strings.Contains(w.command(me, "C1", ""), "Busan") {
		t.Errorf("number 1 is another one: %s", got)
	}
}
