package planedit

import "testing"

// The plans that the phrases below are about.
var (
	planKo = []string{"지난주 매출 자료 찾기", "팀별로 표 만들기", "요약 쓰기", "메일로 팀장님께 보내기", "회의실 예약하기"}
	planEn = []string{"Find last week's sales figures", "Make a table by team", "Write a summary", "Email it to the team lead", "Book a meeting room"}
)

// phrased is a reply to a plan and the plan that it should lead to: the letters are
// the plan's steps in order, "" leaves the reply to the model.
type phrased struct{ words, want string }

func phrasesKo() []phrased {
	return []phrased{
		{"4번은 필요 없어요", "abce"},
		{"5번 안 해도 돼", "abcd"},
		{"회의실 예약은 하지 말고 나머지만 해줘", ""}, // the model: not by number
		{"3번이랑 2번 순서 바꿔주세요", "acbde"},
		{"3번을 먼저 해줘", "cabde"},
		{"5번부터 하고 나머지 진행해", "eabcd"},
		{"2번 하기 전에 3번 먼저", "acbde"},
		{"4번 메일 대신 슬랙으로 보내줘", ""}, // the model: not by number
		{"메일 대신 슬랙으로", ""},        // the model: not by number
		{"메일 말고 슬랙으로 보내 주세요", ""}, // the model: not by number
		{"1,2번만 해줘", "ab"},
		{"1번부터 3번까지만 진행해줘", "abc"},
		{"4번이랑 5번은 나중에 할게요", "abc"},
		{"마지막 단계는 빼고 진행해 주세요", "abcd"},
		{"1번은 지난달 매출 자료 찾기로 해줘", ""}, // the model: not by number
		{"2번: 지역별로 표 만들기", "a<지역별로 표 만들기>cde"},
		{"3번 다음에 번역하기 넣어줘", "abc<번역하기>de"},
		{"맨 앞에 권한 확인하기 추가해줘", "<권한 확인하기>abcde"},
		{"5번을 4번보다 먼저 해주세요", "abced"},
		{"3번하고 4번 사이에 검토 단계 추가", ""}, // the model: not by number
		{"2번 3번 합쳐줘", ""},
		{"네 좋아요 근데 5번은 빼고요", "abcd"},
		{"1, 3, 2, 4, 5 순서로 해줘", "acbde"},
		{"순서를 3-1-2-4-5로 바꿔줘", "cabde"},
	}
}

func phrasesEn() []phrased {
	return []phrased{
		{"drop the last one", "abcd"},
		{"don't send the email", ""},
		{"we don't need step 5", "abcd"},
		{"skip 2 and 3, the rest is fine", "ade"},
		{"do 3 first", "cabde"},
		{"put step 5 before 4", "abced"},
		{"use Slack instead of email", ""}, // the model: not by number
		{"only 1 and 2 please", "ab"},
		{"just do steps 1 through 3", "abc"},
		{"swap the second and third steps", "acbde"},
		{"step 1 should be: find last month's sales figures", "<find last month's sales figures>bcde"},
		{"change step 2 so it's by region", ""},
		{"between 3 and 4, add a review by Mina", ""}, // the model: not by number
		{"reverse 1 and 2", "bacde"},
		{"order: 3, 1, 2, 4, 5", "cabde"},
		{"everything except 5", "abcd"},
		{"move 5 up to the top", "eabcd"},
		{"4 → post it in #sales", "abc<post it in #sales>e"},
		{"no need for the meeting room", ""}, // the model: not by number
		{"remove the summary step", ""},      // the model: not by number
	}
}

// The second set was written when the forms of the first stood, and measured
// before anything was changed for it; see agent/README.md.
func freshKo() []phrased {
	return []phrased{
		{"5번은 이미 했으니까 빼주세요", "abcd"},
		{"회의실은 제가 예약할게요. 5번 빼주세요", ""}, // the model
		{"표 만드는 건 생략합시다", ""},          // the model
		{"3번을 맨 마지막으로 미뤄줘", "abdec"},
		{"4번하고 5번 자리 바꿔", "abced"},
		{"4번 전에 3번을 한 번 더 검토하는 단계 넣어줘", ""},
		{"2번은 팀별 말고 지역별로 해줘", ""}, // the model: not by number
		{"1번이랑 2번까지만", "ab"},
		{"2번 앞에 자료 검증을 추가해 주세요", "a<자료 검증>bcde"},
		{"5번 삭제 부탁드립니다", "abcd"},
		{"5번 없이 진행해주세요", "abcd"},
		{"2번을 1번보다 앞으로", "bacde"},
		{"메일은 보내지 마", ""},
		{"팀장님 대신 본부장님께 보내줘", ""},
		{"4번은 월요일에 보내줘", ""},
		{"1번만 해주고 나머지는 빼줘", "a"},
		{"4, 5번 스킵", "abc"},
		{"3번 내용을 '세 줄 요약 쓰기'로 수정", "ab<세 줄 요약 쓰기>de"},
		{"요약 단계 빼고 가자", ""}, // the model: not by number
		{"끝에 슬랙 공지하기 추가", "abcde<슬랙 공지하기>"},
	}
}

func freshEn() []phrased {
	return []phrased{
		{"lose step 5", "abcd"},
		{"can you take out number 2?", "acde"},
		{"step 5 isn't necessary", "abcd"},
		{"I'd rather do 5 before 4", "abced"},
		{"switch the order of 3 and 4", "abdce"},
		{"don't book the meeting room", ""},
		{"steps 1-3 only", "abc"},
		{"stop after step 3", "abc"},
		{"looks good but skip the last step", "abcd"},
		{"make step 2 a chart by region", ""},
		{"replace step 3 with \"Write a one page summary\"", "ab<Write a one page summary>de"},
		{"insert \"check the numbers\" after 2", "ab<check the numbers>cde"},
		{"also post it on Slack at the end", ""},
		{"4 should come last", "abced"},
		{"No step 5 please.", "abcd"},
		{"let's leave out 4 and 5 for now", "abc"},
		{"change email to Slack", ""},     // the model: not by number
		{"2. Make a table by region", ""}, // the model: not by number
		{"drop 5 and do 3 before 2", "acbd"},
		{"start with the summary", ""}, // the model: not by number
	}
}

// The third set came after the second in the same way.
func lastKo() []phrased {
	return []phrased{
		{"음 2번 표는 없어도 될 것 같아요", ""}, // the model
		{"3번까지만 하고 멈춰줘", ""},        // the model
		{"5번이랑 4번 순서가 바뀐 것 같아요", ""},
		{"예약 먼저 해주세요", ""}, // the model: not by number
		{"4번만 빼고 전부 진행", "abce"},
		{"5번 지우고 4번을 슬랙으로 공유하기로 바꿔줘", "abc<슬랙으로 공유하기>"},
		{"보내기 전에 저한테 확인받는 단계 추가해줘", ""}, // the model: not by number
		{"1번: 지난달 매출 자료 찾기\n4번: 메일로 본부장님께 보내기", "<지난달 매출 자료 찾기>bc<메일로 본부장님께 보내기>e"},
		{"회의실 예약 취소", ""}, // the model: not by number
		{"2번을 막대그래프로 바꿔줄 수 있어?", ""},
	}
}

func lastEn() []phrased {
	return []phrased{
		{"Could you remove the third step?", "abde"},
		{"not 4", "abce"},
		{"please don't run step 5", "abcd"},
		{"put the summary before the table", ""},
		{"skip booking the room", ""}, // the model: not by number
		{"Only the first two", ""},
		{"add \"notify the team\" to the end", "abcde<notify the team>"},
		{"swap 4 & 5 and drop 1", "bced"},
		{"remove steps 4-5", "abc"},
		{"do the steps in the order 2, 1, 3, 4, 5", ""}, // the model
	}
}

// lettered writes lines as a phrased has them.
func lettered(lines []Line, have []string) string {
	out := ""
	for _, l := range lines {
		if l.From > 0 && l.Text == have[l.From-1] {
			out += string(rune('a' + l.From - 1))
			continue
		}
		out += "<" + l.Text + ">"
	}
	return out
}

func read(words string, have []string) string {
	lines, ok := FromList(words, have)
	if !ok {
		lines, ok = FromWords(words, have)
	}
	if !ok {
		return ""
	}
	return lettered(lines, have)
}

func TestPeopleSayWhatToChange(t *testing.T) {
	t.Parallel()
	for _, set := range []struct {
		have []string
		list []phrased
	}{{planKo, phrasesKo()}, {planEn, phrasesEn()}, {planKo, freshKo()}, {planEn, freshEn()}, {planKo, lastKo()}, {planEn, lastEn()}} {
		for _, p := range set.list {
			if got := read(p.words, set.have); got != p.want {
				t.Errorf("%q: %q, want %q", p.words, got, p.want)
			}
		}
	}
}

// What is asked, denied or doubted changes nothing by a pattern.
func TestNothingIsChangedThatNobodyWished(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"왜 4번이 필요해?", "4번은 누구한테 가는 거야?", "2번 빼도 될까?", "3번을 먼저 해야 하나요?", "5번은 하지 말라고 한 적 없어", "2번만 진행하지 마",
		"1번은 꼭 먼저 해야 해요?", "요약은 잘 되는 거지?", "4번 빼면 어떻게 돼?", "3번 빼고 싶지 않아", "메일 말고는 방법이 없어?", "2번을 나중에 하면 안 돼?",
		"4번을 슬랙으로 바꿔줘", "2번 3번 합쳐줘", "5번은 빼지 말고 진행해줘", "9번까지만 해줘", "2번이랑 9번 빼줘", "1. 완전히 다른 이야기",
		"don't remove 2", "is 5 necessary?", "can we skip 2 if it's slow?", "do not skip 3", "what happens after step 3?", "never drop step 4",
		"it's not step 4 that worries me", "no", "not now", "do it", "do the summary", "just 5 minutes", "only 9", "don't swap 1 and 2", "change 4 to Slack",
		"I don't want to remove 3", "order: 1, 2, 3", "1 2 3 4 5", "why is the summary needed?", "remove it", "drop the steps",
	} {
		for _, have := range [][]string{planKo, planEn} {
			if got := read(words, have); got != "" {
				t.Errorf("%q was carried out: %q", words, got)
			}
		}
	}
}
