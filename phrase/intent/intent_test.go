package intent_test

import (
	"strings"
	"testing"

	"maru/phrase/intent"
)

// lines returns the texts of a table, one a line.
func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

// TestDecide reads replies of yes, no and skip, and leaves everything else alone.
func TestDecide(t *testing.T) {
	t.Parallel()
	for verdict, texts := range map[intent.Verdict]string{
		intent.Yes: `네
네!
네네
넵~
응응
ㅇㅇ
ㅇㅋ
ㄱㄱ
승인
승인해 주세요
승인합니다.
승인할게요
승인이요
승인 부탁
네 맞아요
네ㅋㅋ
yup
네 진행해 주세요
좋아요, 진행해줘!
그대로 진행해 주세요
그대로 해줘
그렇게 해요
진행 부탁드려요
이대로 진행합시다
좋습니다 승인합니다
OK
Okay, go ahead.
yes please
Yeah
yep
I approve
approved, thanks!
looks good
Sounds good
LGTM
please proceed
go
do it
confirm
👍
👍👍
looks good to me
그럼 진행해 주세요
모두 승인
approve all
✅`,
		intent.No: `ㄴㄴ
안 하는 게 낫겠어
안 보내는 게 좋을 것 같아요
하지 않는 걸로 할게요
그건 아닌 것 같아요
better not
아냐
반대합니다
I disagree
절대 안 됨
됐어요 안 할래요
actually no
on second thought, no
I'd rather you didn't
역시 안 할래
아니요
아뇨
아니
싫어요
안 돼
안돼요
거절합니다
반려
됐어 안 할래
실행하지 마
하지 말아 주세요
이건 하지 마세요
보내지 마
보내지 말아요
아니 하지 마세요
아니요, 진행하지 말아 주세요
절대 보내지 마세요
보내지 않았으면 좋겠어요
안 돼 보내지 마
싫어요, 이제 필요 없어요
실행하면 안 돼요
안 보내도 돼
하지마ㅠㅠ
거절이요
아니에요
절대 안 됩니다
not today
let's not
absolutely not
no thank you
I don't want this
아니 취소해 주세요
no
Nope.
reject
denied
don't
don’t send it
please do not run this
no, do not do it
no, please don't do it
never mind
forget it
👎
🚫`,
		intent.Stop: `취소해줘
아 잠깐 취소
전부 취소
다 그만둬
취소하고 싶어요
oh wait, cancel that
please cancel the whole thing
취소할게요
취소합니다
그만할래요
그만두자
그만둘게요
그만두세요
관두자
됐어 그만
일단 멈춰 주세요
stop it now
중단해 주세요
멈춰줘
cancel
please stop
stop, don't do it`,
		intent.Undo: `되돌려 줘
이전 답변 되돌려줘
지난번 답은 빼 주세요
don't use my last answer
undo
undo it please`,
		intent.Skip: `건너뛰어 줘
이번 건 패스하죠
다음 단계로 넘어가 주세요
skip this for now
건너뛰자
패스
스킵해 주세요
생략해줘
넘어가자
skip
Skip it
skip this, please
pass`,
		intent.None: `not all
안 보내는 게 좋을까요
보내지 않는 게 좋을까
네 알겠습니다
thanks, that works
I don't disagree
wait
잠깐만
아 네
oh yes
on second thought
네 그런데 2번은 빼줘
네 아니요
not ok
no, swap 1 and 2
진행하지 마세요 아직
승인 못 해요
네, 보내지는 마세요
approve? not sure
absolutely sure
좋은 생각은 아니네요
멈추지 마
걱정하지 마
취소하지 마세요
나쁘지 않네요
2번은 하지 마
메일은 보내지 마
보내지 말고 저장만 해 줘
김 부장에게 보내지 마
don't stop
don't worry
don't wait for me
don't send it to Kim
don't send the mail
no one is here
승인은 누가 해?
취소 수수료는 얼마야?
yes and also add a step
okay so what happens next
건너뛰면 어떻게 돼?
2번
감사합니다
please
패스워드
노트북
그래서
고고학
passport
ok computer is an album
`,
	} {
		for _, text := range lines(texts) {
			if v, n := intent.Decide(text); v != verdict || n != 0 {
				t.Errorf("%q: verdict %d of question %d, want %d", text, v, n, verdict)
			}
		}
	}
	for text, want := range map[string]int{"승인 2번": 2, "approve #3": 3, "네 1": 1, "skip 2": 2, "reject": 0} {
		if v, n := intent.Decide(text); v == intent.None || n != want {
			t.Errorf("%q: verdict %d of question %d, want %d", text, v, n, want)
		}
	}
	if v, _ := intent.Decide(strings.Repeat("네 ", 5000)); v != intent.None {
		t.Error("a long text decides")
	}
}

// TestRefusals reads a no with what follows it: a reason, or a wish.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{
		"아니, 너무 비싸": "너무 비싸", "아니 잘못됐는데": "잘못됐는데", "아니 별로 좋지 않네": "별로 좋지 않네", "아니, 잘 안 맞는데": "잘 안 맞는데", "아니 잘 모르겠는데": "잘 모르겠는데", "아니 금액이 맞지않는데": "금액이 맞지않는데",
		"아니, 좋은데, 너무 비싸": "좋은데, 너무 비싸", "아니 괜찮은데요": "괜찮은데요", "아니요 괜찮네요": "괜찮네요", "no, that's fine": "that's fine", "no, that's okay, thanks": "that's okay, thanks", "no thanks, it's fine": "it's fine",
		"아니요 비용이 너무 많이 들어요.": "비용이 너무 많이 들어요.", "싫어요, 이제 쓸모가 없어요": "이제 쓸모가 없어요", "no because legal has not signed off": "legal has not signed off", "아뇨 괜찮아요": "괜찮아요", "안 돼, 위험해": "위험해",
		"취소해 주세요, 예산이 없어요": "예산이 없어요", "거절: 담당자가 휴가예요": "담당자가 휴가예요", "거절 담당자가 휴가예요": "담당자가 휴가예요", "아니 생각이 바뀌었어": "생각이 바뀌었어",
		"보내지 마세요. 아직 확인을 못 받았어요":  "아직 확인을 못 받았어요",
		"no, this costs too much": "this costs too much", "No. It is not worth it!": "It is not worth it!", "nope, I changed my mind": "I changed my mind",
		"reject: the budget is spent": "the budget is spent", "cancel it because the client left": "the client left", "don't, it's too risky": "it's too risky",
		"no, we don't need this": "we don't need this", "don't send it, the numbers are wrong": "the numbers are wrong",
	} {
		if r := intent.Read(text); r.Verdict != intent.No && r.Verdict != intent.Stop || r.Rest != reason || r.Wish {
			t.Errorf("%q: %+v, want the reason %q", text, r, reason)
		}
	}
	for _, text := range lines(`no, use the cheaper one
no, that is too expensive, use the cheaper one
no, it is Tuesday
no, the second is too long
no, too expensive: take the train
no, is it too expensive?
no, that's great, but too expensive
cancel, use the other one
no, this should not be that expensive
아니, 더 싼 걸로 해줘
아니 너무 비싸니까 싼 거 써
아니, 너무 비싸서 다른 데로 부탁해요
아니요, 서울이에요
취소, 대신 내일 해줘
아니 둘째는 너무 길어, 마지막만 해
거절 더 짧게 써줘`) {
		if r := intent.Read(text); r.Verdict != intent.No && r.Verdict != intent.Stop || !r.Wish {
			t.Errorf("%q: %+v, want a wish", text, r)
		}
	}
	for _, text := range lines(`메일은 보내지 마
그 메일은 보내지 말아 주세요
don't send the mail
please do not run that query`) {
		if r := intent.Read(text); r.Verdict != intent.No || !r.Object {
			t.Errorf("%q: %+v, want a no to one thing", text, r)
		}
	}
	for _, text := range lines(`아니면 너무 비싸?
취소 수수료가 비싸
don't send it to Kim
no one is available
네, 그런데 너무 비싸
ok but too long
2번은 하지 마`) {
		if r := intent.Read(text); (r.Verdict == intent.No || r.Verdict == intent.Stop) && !r.Wish {
			t.Errorf("%q refuses: %+v", text, r)
		}
	}
	for _, text := range lines(`no problem
No problem, go ahead
no objections from my side
no doubt, send it
no rush, tomorrow is fine
노 프라블럼
안 보내면 안 돼요
그건 보내지 않으면 안 됩니다
안 하면 안 될 것 같아요
아니 진짜 잘 썼네
아니 괜찮아, 진행해
아니야 그냥 보내
아니 안내문 잘 썼네, 고마워
no, that's great
no, that's great, thanks
no, send it`) {
		if r := intent.Read(text); r != (intent.Reply{}) {
			t.Errorf("%q decides: %+v", text, r)
		}
	}
	for _, text := range lines(`no, problems with the date
보내면 안 돼요
no. doubts remain`) {
		if r := intent.Read(text); r.Verdict != intent.No {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"지난 답 빼고 다시", "“지난 답 빼고 다시”"}, {"지난 답 빼고 다시", "지난답 빼고 다시 해줘"}, {"Go ahead", "go ahead, please"}} {
		if !intent.Same(pair[0], pair[1]) {
			t.Errorf("%q and %q differ", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"", "!"}, {"승인", "승인하지 마"}, {"Approve", "approve nothing"}} {
		if intent.Same(pair[0], pair[1]) {
			t.Errorf("%q and %q are the same", pair[0], pair[1])
		}
	}
}

// TestYesInFront takes a yes off the front of a text, and courtesy off its end.
func TestYesInFront(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"네, 2번은 빼줘": "2번은 빼줘", "승인하되 3번은 나중에": "3번은 나중에", "ok but drop 2": "but drop 2", "looks good, swap 1 and 2": "swap 1 and 2",
		"네이버 검색으로 바꿔줘": "네이버 검색으로 바꿔줘", "2번 빼줘": "2번 빼줘", "okra is a plant": "okra is a plant",
	} {
		if got := intent.AfterYes(text); got != want {
			t.Errorf("%q: %q is left, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"drop 2 please": "drop 2", "2번 빼줘 부탁해요!": "2번 빼줘", "swap them. thanks!": "swap them", "2번 빼줘~": "2번 빼줘", "please": "please",
	} {
		if got := intent.BeforeThanks(text); got != want {
			t.Errorf("%q: %q is left, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{"승인할게요 2번": true, "Rejected because of cost": true, "I approve": true, "yes": false, "네": false, "denim": false} {
		if intent.Ruling(text) != want {
			t.Errorf("%q: ruling %v", text, !want)
		}
	}
}

// FuzzAll: whatever is sent, nothing panics, and a verdict is never a question.
func FuzzAll(f *testing.F) {
	for _, s := range []string{"네", "승인 2번", "\xff네", "기억해 줘", "그만?", "？", "ㅋ", "stop it"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, n := intent.Decide(s); v == intent.None && n != 0 {
			t.Errorf("%q: number %d of no verdict", s, n)
		}
		intent.Stops(s)
		intent.Courtesy(s)
		intent.Question(s)
		intent.Request(s)
		intent.Remember(s)
		intent.AfterYes(s)
		intent.BeforeThanks(s)
		intent.ManagesSchedules(s)
		intent.RemindsUntimed(s)
	})
}
