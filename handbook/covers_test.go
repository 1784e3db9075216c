package handbook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/chat"
	"maru/datatest"
)

// chatter are questions between people in a channel, in the documents' words: about themselves, about plans, to somebody.
// Nobody wants them answered from documents.
const chatter = `나 다음 주에 휴가 써도 될까?
내일 연차인 사람?
점심 뭐 먹을래?
민수님 노트북 받으셨어요?
회의실 지금 누가 쓰고 있어?
오늘 재택이야?
출장 잘 다녀왔어?
휴가 어디로 가?
경비 정산 다 했어?
이번 주 회식 몇 시지?
누가 내 법인카드 봤어?
병가 낸 사람 누구야?
비밀번호 바꿨어?
수습 끝났어?
급여 들어왔어?
is anyone on leave tomorrow?
did anyone see my laptop?
who is working remotely today?
how was your business trip?
are you taking your vacation in August?
who has the meeting room now?
did you get your salary yet?
shall we grab lunch?
has Kim finished her expense report?
who called in sick today?
is the office locked?
did you change your password?
can somebody cover my shift on Friday?
who wants to join the book club?
when are you back from leave?`

// chatterLater was written after the rules and changed none of them.
const chatterLater = `다들 연차 며칠 남았어?
저 오늘 반차 쓰는데 회의 옮겨도 될까요?
과장님 휴가 결재 언제 해주세요?
출장 같이 갈 사람 있어요?
택시비 청구하신 분?
모니터 하나 남는 거 있나요?
슬랙 지금 안 되는 사람 있어?
육아휴직 들어가시는 분 송별회 언제 해?
사내 카페 아직 열려 있어?
교육 신청한 사람 손?
내 재직증명서 어디 갔지?
복지포인트로 뭐 샀어요?
오늘 보안 교육 몇 시에 시작해?
원격 접속 되시나요?
퇴근하고 한잔 할까?
could you approve my leave request?
what did we decide about remote work on Monday?
is the VPN down for everyone?
where did you buy that monitor?
can I borrow a charger?
who is going to the offsite?
what time is the security training today?
how long will you be on parental leave?
has payroll gone out?
is HR in the office today?
any news on the expense tool?
which hotel are we staying at in Busan?
do we still meet at three?
is it just me or is the wifi slow?
who took the last meeting room?`

// smallTalk shares a word with some document, as talk of a large corpus did: greetings, reactions, musings, and long messages about
// something else.
const smallTalk = `Hey Dana! Long time no see, how's it going?
Thanks Tom! What's new with you?
Cool! What did it look like?
Wow, great job! What was it called?
Oof, sorry to hear that. What's up? Is there anything I can do to help?
Can I help you?
How may I help?
How long will it take me to get there?
Hi Mel! I took my kids to a park yesterday and we had a quiet weekend after the camping trip, which was great to unplug from work. Was it nice at the office?
Can't wait to hear about it. Have a great day! Take care.
Which hours suit everybody's dogs, and where do all of them run, jump, bark and play with old tennis balls near the river on Sundays?
내가 이상한 건가?
비밀번호 뭐였더라
누구랑 결혼해야 할까
퇴근하고 뭐 하지
저녁으로 뭐 먹을까
나 다른 거 할까
결혼은 현실이지?
저녁밥 뭐 먹냐?
내 배우자는 어디 있을까`

// TestCoversAChannelsQuestions counts for which questions to a whole channel the handbook speaks up unasked.
func TestCoversAChannelsQuestions(t *testing.T) {
	t.Parallel()
	covers := chat.Covers(nameless{library(t)}, 0)
	count := func(questions []string) (covered []string) {
		for _, q := range questions {
			yes, err := covers(t.Context(), q, []string{"public"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if yes {
				covered = append(covered, q)
			}
		}
		return covered
	}
	var about []string
	for line := range strings.SplitSeq(asked, "\n") {
		_, q, _ := strings.Cut(line, ": ")
		about = append(about, q)
	}
	if n := count(about); len(n) < 45 {
		t.Errorf("of %d questions that the handbook answers it covers %d", len(about), len(n))
	}
	var newcomers []string
	for _, name := range []string{"ko.tsv", "en.tsv"} {
		for _, r := range rows(t, name) {
			newcomers = append(newcomers, r[0])
		}
	}
	t.Logf("covered of newcomers' questions: %d of %d", len(count(newcomers)), len(newcomers))
	for _, c := range []struct {
		name, questions string
		most            int
	}{
		{"about other things", elsewhere, 0}, {"that want something else", elsewise, 0},
		{"between people", chatter, 0}, {"of small talk", smallTalk, 0}, {"between people, held out", chatterLater, 1},
	} {
		if n := count(strings.Split(c.questions, "\n")); len(n) > c.most {
			t.Errorf("questions %s are covered: %q", c.name, n)
		}
	}
}

// TestLeavesFriendsAlone counts for how many of 5,882 messages of friends who chat (LoCoMo) the handbook speaks up.
func TestLeavesFriendsAlone(t *testing.T) {
	t.Parallel()
	covers := chat.Covers(nameless{library(t)}, 0)
	said, covered := 0, 0
	for line := range strings.Lines(string(datatest.File(t, "locomo/corpus.jsonl"))) {
		var m struct{ Text string }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(m.Text, ": ")
		said++
		yes, err := covers(t.Context(), text, []string{"public"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if yes {
			covered++
		}
	}
	if t.Logf("%d of %d", covered, said); said < 1000 || covered > said/1000 {
		t.Errorf("covers %d of %d messages", covered, said)
	}
}
