package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

// TestQuestion tells questions from statements and wishes, with and without a mark.
func TestQuestion(t *testing.T) {
	t.Parallel()
	for _, text := range lines(`연차는 며칠이야?
연차는 며칠이야
연차 며칠인지
점심시간이 언제예요
회의실 예약은 어떻게 해
누가 이걸 만들었어
이거 왜 이래
재택 가능한가요
휴가를 나눠 쓸 수 있나요
내일 쉬나요
주차비도 나오나요ㅠㅠ
그럼 수습은요
저는요
반차도 됩니까
써도 될까요
써도 괜찮을까
그거 얼마야
내 이름이 뭐였지
내 이름 기억나
출근 찍는 걸 까먹었어 어떡해
카드 두고 왔는데 어쩌지
밥 먹었니
회의 끝났냐
제출했나
몇 명이 와
재택근무신청어떻게해요
회의실어디야
어디서 신청해요
안녕? 연차는 며칠이야
what time is lunch
whats the wifi password
When is the deadline
when's the party
who do I ask about expenses
how do i book a room
hey maru, is parking free
so can we pay by card
does it work offline
do I need a visa
am I late
isn't it closed today
my laptop broke, who can help me
I moved last week. do i have to tell HR
is lunch included?
really?
진짜？`) {
		if !intent.Question(text) {
			t.Errorf("%q is no question", text)
		}
	}
	for _, text := range lines(`내 이름은 철수야
나는 커피를 좋아해
회의는 월요일입니다
바쁘니까 나중에
지금은 바쁘니까
아까 밥 먹었어 아까
언제나 감사해요
누구나 쓸 수 있습니다
뭐든 좋아요
얼마 전에 이사했어
어디든 갈 수 있어요
왜 그런지 모르겠어
몇 명 더 옵니다
2번 빼줘
보고서를 요약해 줘
어머니가 오셨다
커피 하나
3시로 하자
앞으로 짧게 답해 줘
연차 규정
I work in Busan
do it
do it now
will do
can do
have a nice day
what a mess
how nice
When you are done, post it here
see https://example.com/a?b=c for more
my team is data
Is
drop step 2
parking fees
please summarize this`) {
		if intent.Question(text) {
			t.Errorf("%q is a question", text)
		}
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	for _, text := range lines(`요약해 줘
요약해줘요!
표로 만들어 주세요
알려줄래
확인 부탁드려요
다시 해 봐
찾아 주실 수 있나요
이거 알려
please summarize this
Tell me more
show the plan
could you check it
hey maru, translate this
I'd like to see it
I want you to stop
can you drop step 2`) {
		if !intent.Request(text) {
			t.Errorf("%q is no request", text)
		}
	}
	for _, text := range lines(`연차는 며칠이야
나는 학생이야
고마워
I work in Busan
lunch was great
telling stories is fun
네`) {
		if intent.Request(text) {
			t.Errorf("%q is a request", text)
		}
	}
}
