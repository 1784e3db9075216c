package intent_test

import (
	"strings"
	"testing"

	"maru/phrase/intent"
)

// TestTakesBack: what names its object, or says more, takes nothing back.
func TestTakesBack(t *testing.T) {
	t.Parallel()
	for text := range strings.Lines(`+ cancel it
+ Cancel that, please
+ no wait, cancel it
+ never mind, cancel that
+ actually scrap that
+ Could you undo that?
+ undo
+ 취소
+ 취소해줘
+ 그거 취소해 주세요
+ 아니다 취소
+ 아, 방금 거 취소해줘!
+ 미안, 취소할게요
+ 그거 없던 일로 해줘
- cancel the retro reminder
- cancel my subscription
- 회의 취소해줘
- 예약 취소 규정 알려줘
- 취소하면 환불돼?
- how do I cancel it?
- never mind
- undo the last commit
- 그거 취소 가능해?
- drop it in the shared folder
- 없던 일이야
- 취소할 수 있어?
- 취소하면 돼?
- 취소해도 돼?
- stop`) {
		if want, text := text[0] == '+', strings.TrimSpace(text[2:]); intent.TakesBack(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
