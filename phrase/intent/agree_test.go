package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

// TestAgreesAndPostpones reads replies that mean something only while a question waits.
func TestAgreesAndPostpones(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		is      func(string) bool
		yes, no string
	}{
		"agrees": {intent.Agrees, `works for me
fine by me, go
That's fine, please continue
yes, all good
yes, that's fine, thanks
this looks fine, thanks
absolutely, go ahead
확인했습니다. 진행해 주세요
좋네요. 그렇게 진행하죠`, `ok
네 알겠습니다
좋네요
absolutely not
that's fine, but not today
that's fine, thanks
that's okay, thank you
all good
all good, thanks
works for me if Kim agrees
that works?
아니 괜찮아요 진행해
문제없어요 2번만 진행해 주세요
continue`},
		"conditional": {intent.Conditional, `drop the mail if Kim disagrees
don't mail the team unless Kim agrees
maybe drop 2
메일은 김 부장이 싫다고 하면 빼줘
금액이 클 경우에는 3번 빼줘
비싸면 2번 빼줘
바쁘면 빼줘
너무 길면 줄여줘
내일이면 2번 빼줘
2번 아니면 3번 빼줘
김 부장이 싫다고 하는 경우 빼줘
drop 2 after Kim agrees
should we drop the mail?`, `drop the mail
can you drop the mail?
메일은 빼줘
혹시 2번 빼줄 수 있어?
표면 처리 단계는 빼줘
로그인 화면은 빼줘
라면 주문은 빼줘
비대면 회의는 빼줘
서면, 정면 사진은 빼줘
2번은 빼주시면 감사하겠습니다
3번을 빼면 될 것 같아요
drop the step after 2`},
		"happened": {intent.Happened, `이미 보냈어
응 잘 갔어요
벌써 다 됐어요
잘 됐습니다
확인했어요, 처리됐어요
it went through
it worked, thanks
already done`, `안 갔어요
됐나?
됐어
됐어요
괜찮아, 됐어
그건 됐어요
did it go through?
it was not done
이미 됐으면 건너뛰어
it worked, but send it again
네`},
		"anew": {intent.Anew, `다시 보내줘
한 번 더 해줘
재시도
안 갔어, 다시 보내줘
it did not go through, run it again
retry`, `다시 보내면 안 돼
다시 하지 마
다시 시도할게요
다시 할래요
재시도할게
don't run it again
run it again if it failed
다시 보내기 전에 확인해 볼게
it failed
다시 생각해볼게`},
		"thinks": {func(s string) bool { return intent.Postpones(s, true) }, `잠깐만요
잠시만 기다려 주세요
생각 좀 해볼게요
let me think about it
give me a minute
I'll check
나중에 알려줄게요`, `아직이요
not yet
보류
wait
one minute
기다려 주세요`},
		"postpones": {func(s string) bool { return intent.Postpones(s, false) }, `not yet
wait
please hold off on this
let me think about it
잠깐만요
아직 하지 마
보류해 주세요
조금만 기다려 줘
생각 좀 해볼게요`, `아 잠깐, 취소
wait, cancel that
not now
no
wait for Kim, then send it
아직 2번은 하지 마
나중에 보내줘
hold on to the receipt
생각해 보니 좋네요`},
	} {
		for _, text := range lines(c.yes) {
			if !c.is(text) {
				t.Errorf("%q: not %s", text, name)
			}
		}
		for _, text := range lines(c.no) {
			if c.is(text) {
				t.Errorf("%q: %s", text, name)
			}
		}
	}
}
