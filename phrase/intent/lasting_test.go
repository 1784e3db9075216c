package intent_test

import (
	"strings"
	"testing"

	"maru/phrase/intent"
)

const lasting = `앞으로 스탠드업은 11시에 합니다
다음 주부터 배포는 목요일에 해요
회의실 예약은 총무팀으로 옮겼습니다
우리 릴리스는 격주로 하기로 했어요
이제부터 장애 공지는 #ops 채널에 올립니다
결정: 코드 리뷰는 두 명이 승인
3월부터 사무실이 12층으로 바뀝니다
견적서는 이번 달부터 새 양식으로 씁니다
리뷰 담당은 민수님으로 정했어요
온콜 교대는 월요일 아침으로 확정됐습니다
from now on the stand-up is at 11
starting next week we deploy on Thursdays
we decided to release every two weeks
We've agreed that two people review each change
as of Monday the office is on the 12th floor
Decision: incidents are announced in #ops
the retro has moved to Friday at 3
our new invoice address is billing@acme.example
we no longer support Node 16
the on-call handover is now on Monday mornings`

const passing = `앞으로 잘 부탁드립니다
내일부터 휴가예요?
스탠드업 11시로 바꿀까요?
다음 주부터는 11시에 하면 어때요
아마 목요일로 바뀔 것 같아요
점심은 김밥으로 정했어?
오늘 배포 끝났습니다
수고하셨습니다
이거 목요일로 바꿔줘
회의실로 이동할게요
maybe we should deploy on Thursdays from now on
did we decide to move the retro?
I think the office has moved to floor 12
let us start at 11 today
we deployed this morning
if we decided to wait, what then?
starting the build now
thanks, that works
we are late
see you on Monday`

// TestLasting: statements that hold from now on, and sentences like them that don't.
func TestLasting(t *testing.T) {
	t.Parallel()
	for want, lines := range map[bool]string{true: lasting, false: passing} {
		for s := range strings.SplitSeq(lines, "\n") {
			if got := intent.Lasting(s); got != want {
				t.Errorf("%q: %v", s, got)
			}
		}
	}
	for _, s := range []string{"", strings.Repeat("from now on ", 100), "앞으로\n"} {
		if intent.Lasting(s) {
			t.Errorf("%.20q is one", s)
		}
	}
}
