package intent_test

import (
	"fmt"
	"testing"

	"maru/phrase/intent"
)

// TestSeveral: each question gets what is said of it, and a reply that says more decides none.
func TestSeveral(t *testing.T) {
	t.Parallel()
	const yes, no = intent.Yes, intent.No
	for text, want := range map[string]map[int]intent.Verdict{
		"approve 1, not 2": {1: yes, 2: no}, "1: yes; 2: no": {1: yes, 2: no}, "네 1, 아니요 2": {1: yes, 2: no}, "1번은 건너뛰고 2번은 진행": {1: intent.Skip, 2: yes},
		"yes to 1 but no to the rest": {1: yes, 2: no}, "#2 ok": {2: yes}, "neither, please": {1: no, 2: no}, "neither of them": {1: no, 2: no}, "네 둘 다요": {1: yes, 2: yes},
	} {
		if got := intent.Several(text, 2); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, text := range lines(`approve both?
둘 다 승인은 안 돼
승인 못 해요 둘 다
다 안 좋아요
둘 다 좋긴 한데 2번은 빼줘
1번은 승인 2번은 글쎄
1과 2를 바꿔줘
approve all except 2
yes, all but the second
not both
neither is ok
neither yes nor no
not all of them
both no good
no 1 is fine
no 2 approve
both yes and no
1 and 2
both
셋 다 승인
approve 3
approve 1, reject 1
approve the rest
approve all and reject 2
two days is fine
all the best
모두 감사합니다
1 day is ok
둘 중 하나만 승인`) {
		if got := intent.Several(text, 2); len(got) > 0 {
			t.Errorf("%q decides %v", text, got)
		}
	}
	if got := intent.Several("모두 승인", 1); got != nil {
		t.Errorf("one question is several: %v", got)
	}
}

// TestAffirmed: a yes may repeat the deed, and nothing that narrows, denies or puts it off.
func TestAffirmed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"yes, send it": "send []", "ok, then post the report": "send [report]", "네, 보고서를 올려줘": "send [보고서]", "응 지워줘": "delete []",
		"좋아요 저장해 주세요": "write []", "yes go": "run []", "네 바로 진행해 주세요": "run []", "yes, send it to Lee": "send [to lee]",
	} {
		if act, objects, ok := intent.Affirmed(text); !ok || fmt.Sprintf("%s %v", act, objects) != want {
			t.Errorf("%q: %s %v %v, want %s", text, act, objects, ok, want)
		}
	}
	for _, text := range lines(`send it
보내줘
no, send it
yes, do not send it
yes, don't send it
yes, but just send the mail
yes, just send the mail
네 안 보내도 돼요
네 못 보내요
네, 보내지 마요
네 보내지 말고 저장해줘
네 메일만 보내줘
네 다시 보내줘
yes, send it again
네, 보내기 전에 확인해줘
yes, stop sending
yes, who sent it?
네 보냈어요?`) {
		if act, objects, ok := intent.Affirmed(text); ok {
			t.Errorf("%q: %s %v", text, act, objects)
		}
	}
}
