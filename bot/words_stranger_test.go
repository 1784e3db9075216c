package bot_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
)

// stranger is a reply that was written before any code read it, and what it should decide of each question
// that waits: "yes", "no", or "-" for one that goes on waiting.
type stranger struct {
	about string // "step", "plan", or the number of plans that wait
	says  string
	want  string
}

// phrasings are 49 replies. The second half was not looked at while the words were read.
var phrasings = map[string][]stranger{
	"tuned": {
		{"step", "네, 보내주세요", "yes"}, {"step", "응 보내", "yes"}, {"step", "yes, send it", "yes"}, {"step", "sure, send the mail", "yes"},
		{"step", "네 삭제해줘", "-"}, {"plan", "yes, run it", "yes"}, {"plan", "좋아요, 그대로 실행해 주세요", "yes"}, {"plan", "ok, start", "yes"},
		{"2", "둘 다 승인", "yes yes"}, {"2", "both are fine", "yes yes"}, {"2", "approve all", "yes yes"}, {"2", "1번은 승인 2번은 거절", "yes no"},
		{"2", "모두 거절", "no no"}, {"2", "reject both", "no no"}, {"2", "1 yes, 2 no", "yes no"}, {"2", "첫 번째는 승인하고 두 번째는 거절해 줘", "yes no"},
		{"2", "둘 다 별로예요", "- -"}, {"2", "둘 중 하나만 승인", "- -"}, {"3", "1, 3번 승인하고 2번은 거절", "yes no yes"}, {"3", "둘 다 승인", "- - -"},
	},
	"held out": {
		{"step", "그래요, 전송해 주세요", "yes"}, {"step", "ok go ahead and send it", "yes"}, {"step", "yep, fire it off", "yes"}, {"step", "네 메일 보내셔도 됩니다", "yes"},
		{"step", "yes, send it to Lee", "-"}, {"step", "네, 근데 내일 보내줘", "-"}, {"step", "yes, delete it", "-"},
		{"plan", "네 시작해 주세요", "yes"}, {"plan", "yes please do it now", "yes"}, {"plan", "응 돌려줘", "yes"},
		{"2", "전부 진행해 주세요", "yes yes"}, {"2", "yes to both", "yes yes"}, {"2", "다 좋아요", "yes yes"}, {"2", "approve 1 and reject 2", "yes no"},
		{"2", "1번 승인, 2번은 반려할게요", "yes no"}, {"2", "no to both of them", "no no"}, {"2", "승인 1, 거절 2", "yes no"}, {"2", "all good", "yes yes"},
		{"2", "2번만 승인해 주세요", "- yes"}, {"2", "1번은 하고 2번은 하지 마", "yes no"}, {"2", "first one yes, second one no", "yes no"}, {"2", "both of them need changes", "- -"},
		{"2", "approve the second one", "- yes"}, {"2", "둘 다 취소", "no no"}, {"3", "셋 다 승인합니다", "yes yes yes"}, {"3", "approve 1 and 3, reject 2", "yes no yes"},
		{"3", "1번만 승인하고 나머지는 거절", "yes no no"}, {"3", "approve the first, reject the rest", "yes no no"}, {"3", "네", "- - -"},
	},
}

// TestStrangersPhrasings says each of them. No reply may decide what it does not say; of those that decide, nine
// of ten are understood.
func TestStrangersPhrasings(t *testing.T) {
	sequential(t)
	t.Parallel()
	for half, list := range phrasings {
		t.Run(half, func(t *testing.T) {
			t.Parallel()
			understood := make([]bool, len(list))
			t.Run("each", func(t *testing.T) {
				for i, s := range list {
					t.Run(fmt.Sprint(s.about, " ", s.says), func(t *testing.T) {
						t.Parallel()
						got := s.heard(t)
						understood[i] = got == s.want
						if got != s.want && strings.Trim(got, "- ") != "" {
							t.Errorf("decided %q, want %q", got, s.want)
						} else if got != s.want {
							t.Logf("asked back, want %q", s.want)
						}
					})
				}
			})
			n := 0
			for _, ok := range understood {
				if ok {
					n++
				}
			}
			t.Logf("%s: %d of %d", half, n, len(list))
			if n*10 < 9*len(list) {
				t.Errorf("%d of %d understood, want nine of ten", n, len(list))
			}
		})
	}
}

// heard says a reply and returns what was decided of each question.
func (s stranger) heard(t *testing.T) string {
	t.Helper()
	ask, _ := askedAs("plan")
	asks := []agent.Ask{ask}
	switch s.about {
	case "step":
		asks[0], _ = askedAs("step")
	case "2":
		asks = []agent.Ask{planAsk(), planAsk()}
	case "3":
		asks = []agent.Ask{planAsk(), planAsk(), planAsk()}
	}
	w := newWorld(t, interrupting(asks...))
	m := w.say("do it", w.platform.Thread("C1", ""))
	var ids []string
	for _, b := range waitingCard(w, m).Buttons {
		if !slices.Contains(ids, b.ID) {
			ids = append(ids, b.ID)
		}
	}
	if len(ids) != len(asks) {
		t.Fatalf("%d questions, want %d", len(ids), len(asks))
	}
	w.settled()
	w.follow("U1", s.says, m.Thread)
	w.settled()
	var out []string
	for _, id := range ids {
		row, err := w.store.ApprovalByID(w.ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Verb string `json:"verb"`
		}
		if len(row.Decision) > 0 {
			if err := json.Unmarshal(row.Decision, &d); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case row.State != bot.ApprovalDecided, d.Verb == agent.VerbEdit: // words for the agent decide nothing
			out = append(out, "-")
		case d.Verb == agent.VerbAccept:
			out = append(out, "yes")
		default:
			out = append(out, "no")
		}
	}
	return strings.Join(out, " ")
}
