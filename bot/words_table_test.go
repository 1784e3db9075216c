package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
)

// Questions of each kind, as their agents ask them.
func askedAs(kind string) (agent.Ask, string) {
	stop := agent.Action{Verb: agent.VerbStop, Spoken: true}
	switch kind {
	case "step":
		return agent.Ask{Question: "**2단계 중 1단계 · 메일을 보낸다** — 이대로 실행할까요?", Effect: agent.EffectSends, Steps: planAsk().Steps, Actions: []agent.Action{
			{Verb: agent.VerbAccept}, {Verb: agent.VerbEdit, Words: true, Inputs: []agent.Input{{ID: "to", Label: "to"}}}, {Verb: agent.VerbSkip}, stop,
		}}, "step"
	case "bare step": // without a tool
		return agent.Ask{Question: "Run it?", Actions: []agent.Action{{Verb: agent.VerbAccept}, {Verb: agent.VerbSkip}, stop}}, "step"
	case "unsure":
		return agent.Ask{Question: "It broke off. What now?", Actions: []agent.Action{{Verb: agent.VerbDone}, {Verb: agent.VerbRerun}, {Verb: agent.VerbSkip}, stop}}, "step"
	case "clarification":
		return agent.Ask{Question: "어느 달인가요?", Suggestions: []agent.Option{{Value: "s1", Label: "9월"}}, Actions: []agent.Action{
			{Verb: agent.VerbClarify, Label: "답하기", Words: true, Inputs: []agent.Input{{ID: "q1", Label: "어느 달인가요?"}}},
			{Verb: agent.VerbProceed, Label: "그냥 진행"}, {Verb: agent.VerbReuse}, stop,
		}}, "clarification"
	case "human_approval":
		return agent.Ask{Question: "이대로 공지할까요?", Detail: "점심은 12시"}, "approval"
	}
	a := planAsk()
	a.Actions = append(a.Actions, agent.Action{Verb: agent.VerbUndo, Label: "지난 답 빼기", Says: []string{"지난 답 빼고 다시"}})
	return a, "plan"
}

// wordsTable is what people say to each kind of question, and what it decides: a verb with the text
// that goes with it, or "?" for words after which they are told what may be said. "edit" and
// "clarify" without a text carry the whole reply.
var wordsTable = map[string]map[string]string{
	"plan": {
		"네 그렇게 해주세요": "accept", "좋아요 진행합시다": "accept", "looks good, go ahead": "accept", "Approve": "accept", "“승인”": "accept",
		"아니 하지 마세요": "reject", "보내지 마": "reject", "no, do not do it": "reject", "don't send it": "reject", "please don't": "reject", "절대 실행하지 마": "reject",
		"거절": "reject", "Reject": "reject", "취소할게요": "reject", "아니, 너무 비싸": "reject 너무 비싸", "No. It is not worth it!": "reject It is not worth it!",
		"지난 답 빼고 다시": "undo", "지난답 빼고 다시 해줘": "undo", "지난 답 빼기": "undo", "undo": "undo", "되돌려 주세요": "undo",
		"메일은 보내지 마": "edit", "2번은 하지 마": "edit", "don't do step 2": "edit", "no, use the cheaper one": "edit", "아니요, 서울이에요": "edit",
		"네 근데 2번은 나중에요": "edit", "yes but not the mail": "edit", "메일 대신 슬랙으로 알려줘": "edit", "글쎄요": "edit", "아니 그래": "edit", "멈추지 마": "edit",
		"아 잠깐 취소": "reject", "oh wait, cancel that": "reject", "ㄴㄴ": "reject", "아 네": "edit", "🤔": "?", "전부 취소해 줘": "reject",
		"수정": "?", "Edit": "?", "yes, mail the team": "edit", "yes, go": "accept", "works for me": "accept", "ok if the amount is under 10": "edit", "아니 진짜 잘 썼네": "edit", "no, that's fine": "reject that's fine", "that's fine, thanks": "edit",
	},
	"step": {
		"ㅇㅇ": "accept", "승인이요": "accept", "절대 보내면 안 돼요": "skip", "let's not": "skip", "건너뛸게요": "skip", "응 보내": "accept", "네, 메일 보내 주세요": "accept", "네, 지워줘": "edit", "네 메일만 보내줘": "edit", "yes please": "accept",
		"보내지 마": "skip", "메일 보내지 마": "skip", "그 메일은 보내지 말아 주세요": "skip", "don't send the mail": "skip", "do not send it, the numbers are wrong": "skip the numbers are wrong",
		"아니, 아직 확인이 안 끝났어요": "skip 아직 확인이 안 끝났어요", "건너뛰기": "skip", "skip it": "skip",
		"그만": "stop", "stop, please": "stop", "취소해 주세요": "stop",
		"김 부장에게 보내지 마": "edit", "받는 사람을 boss@example.com으로 바꿔줘": "edit", "send it to Lee instead": "edit", "💩": "?", "보내지 말고 저장만 해 줘": "edit",
	},
	"bare step": {"네": "accept", "아니요": "skip", "음 잘 모르겠어": "?", "그건 좀 그런데": "?", "hmm let me think": "?", "멈춰": "stop"},
	"unsure":    {"이미 됐어요": "done", "It was done": "done", "다시 실행": "rerun", "네": "?", "아니요": "?", "it went through": "done", "안 갔어, 다시 보내줘": "rerun", "안 갔어요": "?", "됐어요": "?", "괜찮아, 됐어": "?", "다시 시도할게요": "?", "it was not done": "?", "건너뛰어 줘": "skip", "stop": "stop"},
	"clarification": {
		"9월이요": "clarify", "September": "clarify", "9월": "clarify", "그냥 진행": "proceed", "go ahead": "proceed", "그만할래요": "stop", "아니 됐어 그만둬": "stop", "아 잠깐, 취소": "stop", "아니요, 10월이요": "clarify", "아직이요": "clarify", "not yet": "clarify", "보류": "clarify", "wait": "clarify", "one minute": "clarify", "답하기": "?",
	},
	"human_approval": {
		"승인": "approved", "네 좋습니다": "approved", "승인: 잘 썼어요": "approved 잘 썼어요",
		"거절": "refused", "거절 더 짧게 써줘": "refused 더 짧게 써줘", "거절: 더 짧게": "refused 더 짧게", "아니 더 짧게 써줘": "refused 더 짧게 써줘", "no, make it shorter": "refused make it shorter",
		"보내지 마세요. 날짜가 틀렸어요": "refused 날짜가 틀렸어요", "더 짧게 써줘": "?", "네, 그런데 제목은 바꿔줘": "?", "maybe": "?",
	},
}

// TestWhatWordsDecide says each of these replies in the thread, to one person who decides and to one of
// two who must agree. No words decide what another column of the table says of them.
func TestWhatWordsDecide(t *testing.T) {
	sequential(t)
	t.Parallel()
	n := 0
	for kind, replies := range wordsTable {
		for _, said := range slices.Sorted(maps.Keys(replies)) {
			n++
			t.Run(kind+"/"+said, func(t *testing.T) {
				t.Parallel()
				for _, two := range []bool{false, true} {
					saysOnce(t, kind, said, replies[said], two)
				}
			})
		}
	}
	if n < 60 {
		t.Errorf("%d replies", n)
	}
}

func saysOnce(t *testing.T, kind, said, want string, two bool) {
	t.Helper()
	ask, asked := askedAs(kind)
	payload, err := json.Marshal(ask)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		for _, d := range req.Decisions {
			got = append(got, string(d.Value))
			return agent.Result{Text: "decided"}, nil
		}
		return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: asked, Payload: payload}}}, nil
	})
	w.set("two_people", two)
	m := w.say("해줘 please do it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	w.settled()
	w.follow("U1", said, m.Thread)
	needsAnother := two && kind != "clarification" && (want == "accept" || want == "done" || want == "rerun" || strings.HasPrefix(want, "approved"))
	if want == "?" || needsAnother {
		below := w.replies(m.Thread, 1)
		told := below[len(below)-1].Card.Text
		if w.state(card.Buttons[0].ID) != bot.ApprovalPending || len(got) > 0 {
			t.Errorf("%q decided %q", said, got)
		}
		if asksBack := strings.Contains(told, "중 하나로") || strings.Contains(told, "Reply with one of"); asksBack != (want == "?") {
			t.Errorf("%q is told %q", said, told)
		}
		return
	}
	w.replies(m.Thread, 1)
	w.settled()
	if len(got) != 1 || !decides(t, got[0], said, want) {
		t.Errorf("%q (two people: %v): the run is told %q, want %s", said, two, got, want)
	}
}

// decides compares what a run was told with an entry of the table.
func decides(t *testing.T, value, said, want string) bool {
	t.Helper()
	var v struct {
		Action, Text, Comment string
		Approved              *bool
	}
	if err := json.Unmarshal([]byte(value), &v); err != nil {
		t.Fatal(err)
	}
	verb, text, _ := strings.Cut(want, " ")
	if v.Approved != nil {
		return *v.Approved == (verb == "approved") && v.Comment == text
	}
	if verb == "edit" || verb == "clarify" {
		text = said
	}
	return v.Action == verb && v.Text == text
}

// TestActionsOfEveryKind: a program that follows a run is shown every decision with a label, and can make
// it, whatever the kind of the question.
func TestActionsOfEveryKind(t *testing.T) {
	t.Parallel()
	sequential(t)
	for kind, want := range map[string]string{
		"plan": "accept edit* reject* undo*", "step": "accept edit* skip* stop*", "unsure": "done rerun skip* stop*",
		"clarification": "clarify* proceed reuse(suggestion) stop*", "human_approval": "accept* reject*",
	} {
		ask, asked := askedAs(kind)
		payload, err := json.Marshal(ask)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, func(_ context.Context, _ agent.Request, _ agent.Sink) (agent.Result, error) {
			return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: asked, Payload: payload}}}, nil
		})
		m := w.say("do it", w.platform.Thread("C1", ""))
		run := waitingCard(w, m).Run
		w.settled()
		done := errors.New("seen")
		var got []string
		err = w.bot.Follow(w.ctx, m.Thread, bot.User{ID: "U1"}, run, func(f bot.Feed) error {
			if len(f.Asks) == 0 {
				return nil
			}
			for _, a := range f.Asks[0].Actions {
				name := a.Verb
				if a.Words {
					name += "*"
				}
				if a.Verb == agent.VerbReuse && len(a.Inputs) == 1 && len(a.Inputs[0].Options) == 1 {
					name += "(" + a.Inputs[0].ID + ")"
				}
				if a.Label == "" || a.Label == a.Verb {
					t.Errorf("%s: %s has the label %q", kind, a.Verb, a.Label)
				}
				got = append(got, name)
			}
			return done
		})
		if !errors.Is(err, done) || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v, want %s", kind, got, err, want)
		}
	}
}
