package extractive_test

import (
	"encoding/json"
	"testing"

	"maru/agent/llm"
)

const routeSchema = `{"type":"object","additionalProperties":false,"required":["route","reason"],
 "properties":{"route":{"type":"string","enum":["rag","agent"]},"reason":{"type":"string"}}}`

// expectRoute routes each conversation by itself; the last turn is the question.
func expectRoute(t *testing.T, want string, conversations [][]string) {
	t.Helper()
	for _, turns := range conversations {
		q := turns[len(turns)-1]
		t.Run(q, func(t *testing.T) {
			t.Parallel()
			resp := generate(t, llm.Request{
				Purpose: llm.ForRoute, Messages: said(turns...),
				Schema: &llm.Schema{Name: "route", JSON: json.RawMessage(routeSchema), Strict: true},
			})
			var got struct {
				Route  string `json:"route"`
				Reason string `json:"reason"`
			}
			if err := llm.MustShape("route", routeSchema).Decode(resp.Message.Content, &got); err != nil {
				t.Fatal(err)
			}
			if got.Route != want {
				t.Errorf("%q: route %s (%s), want %s", q, got.Route, got.Reason, want)
			}
		})
	}
}

// TestQuestionsAreNoWishes has questions about money, writing and votes looked up in the documents.
func TestQuestionsAreNoWishes(t *testing.T) {
	t.Parallel()
	expectRoute(t, "rag", [][]string{
		{"출장비 100달러는 원화로 정산하나요?"}, {"Are expenses over 500 dollars paid in won?"}, {"Is the 100,000 won limit also valid in USD?"},
		{"How do I write the report in English?"}, {"계약서는 영어로 어떻게 작성하나요?"}, {"경력증명서 영어로 어떻게 발급받나요?"}, {"초안을 작성해 주는 팀이 있나요?"}, {"사원증은 영어로 뭐 적어요?"},
		{"How do I create a survey in Notion?"}, {"Who can open a vote at the general meeting?"}, {"누구한테 물어봐 주면 되나요?"}, {"투표는 어디에 올려 주나요?"},
		{"출근 찍는 걸 까먹었어 어떡해"}, {"비밀번호 까먹었어요"}, {"summarize the discussion paper"}, {"Where do I run a poll?"}, {"Who can help me write a proposal?"}, {"Where could you translate a certificate?"}, {"Where would you translate the contract?"}, {"May members post a vote?"}, {"How can I search the archive online?"}, {"인터넷에서 재직증명서를 검색하면 되나요?"}, {"점심 추천"}, {"what can we order?"},
		{"What is the procedure for claiming 500 dollars in won?"}, {"I need to create a survey for my customers, is there a template?"},
	})
	expectRoute(t, "agent", [][]string{
		{"how much is 300 euros in won"}, {"please convert 20 dollars to yen"}, {"50만원을 달러로"}, {"이 계약서 초안 좀 써 줄래?"}, {"'수고하세요'는 영어로 뭐라고 해?"}, {"감사합니다는 일본어로 어떻게 말해요?"},
		{"could you please create a poll for the offsite"}, {"회식 장소 투표 하나 만들어 주세요"}, {"다른 분들한테 언제 되는지 물어봐 줄래?"}, {"please search the web for a hotel"}, {"what is $300 in euros?"}, {"hey maru can you translate this for me"}, {"I have a letter from Lyon. Could you help me translate it?"}, {"help me write a thank-you note"}, {"I need the value of 2000 JPY in dollars"}, {"The offsite is near. Can you help me create a poll?"}, {"인터넷에서 근처 식당 찾아 줘"},
	})
}

func TestRouteToDocuments(t *testing.T) {
	t.Parallel()
	expectRoute(t, "rag", [][]string{
		{"연차는 며칠이야?"},
		{"How many days of annual leave do I have?"},
		{"what time do i have to be in by?"},
		{"재택근무는 일주일에 몇 번 할 수 있어?"},
		{"출장비 정산은 어떻게 해?"},
		{"육아휴직 신청하려면 뭐가 필요해?"},
		{"What is the remote work policy?"},
		{"expense policy"},
		{"연차 규정"},
		{"회의는 몇 시야?"},
		{"What time does the office open?"},
		{"What is the inclement weather policy?"},
		{"비가 오면 재택 가능해?"},
		{"제17조 내용 알려줘"},
		{"회의실 예약해 줘"}, // the documents say how
		{"병가 쓸 때 메일은 누구에게 보내?"},
		{"How do I send an email from abroad?"},
		{"What should I prepare for my first day?"},
		{"Did Jason write the handbook?"}, // questions about writing
		{"who has to draft the minutes?"},
		{"How do we debug a failed deployment?"},
		{"Where do I write my self-review, and by when?"},
		{"Do I need a lawyer to draft an NDA?"},
		{"what do you do about harassment"}, // with a subject of their own
		{"What can you tell me about pets?"},
		{"what are you allowed to expense"},
		{"How can you help with moving abroad?"},
		{"번역료는 얼마예요?"}, // a thing that is made has a fee and a deadline
		{"초안은 언제까지 내야 해?"},
		{"소설의 저작권은 누구한테 있어?"},
		{"영어로 번역한 계약서와 다르면 어느 쪽이 우선해?"},
		{"우리 회사 점심시간은 언제야"},
		{"Who approves travel requests?"},
		{"안녕? 연차는 며칠이야?"},
		{"lol nice. how long is parental leave?"},
		{"감사팀은 어디에 있어?"}, // the audit, not thanks
		{"감사보고서는 언제까지 제출해?"},
		{"감사 보고서 제출 기한"},
		{"감사합니다 연차 규정"},
		{"고마워 근데 연차는 며칠이야?"},
		{"thanks how long is parental leave?"},
		{"thank you I need a new laptop"},
		{"Thanks for earlier! One more thing: where do I park my bicycle?"},
		{"감사한 일이네요! 하나만 더요, 자전거는 어디에 세워요?"},
		{"법인카드 한도는 얼마야?", "한도는 100만 원이에요.", "아니 부장 말이야"},
		{"What is the meal allowance?", "30 euros.", "no i meant abroad"},
		{"How long is the notice period?", "A month.", "no i meant contractors", "Two weeks.", "sorry, I meant part-timers"},
		{"병가를 쓰려면 진단서가 필요해?"},
		{"Can I leave work earlier on Fridays?"},
		{"vpn 접속 방법"},
		{"비밀번호는 며칠마다 바꿔야 하나요?"},
		{"Tell me about the security training."},
		{"내 이름은 철수야", "반가워요", "연차는 며칠이야?"},
		{"노트북은 무슨 모델 써?"},
		{"담당자는 어떤 사람이야?"},
		{"Are you open on Sundays?"},
		{"which model do new laptops have?"},
		{"쓰레기는 어디에 버려?"},
		{"test environment"},
		{"tag:hr since:2026-01 연차는 며칠이야?"},
		{"my wife is having a baby, how long can I take off"}, // asked after what was told
		{"I'll be in Spain next week. can I work from there"},
		{"I clicked a phishing link"},
	})
}

func TestRouteToTheAgent(t *testing.T) {
	t.Parallel()
	expectRoute(t, "agent", [][]string{
		{"remind me of the deadline on Friday"},
		{"이 문장 영어로 번역해 줘"},
		{"'안녕'을 영어로 번역하면?"},
		{"농담 하나 해 줘"},
		{"메일 초안 좀 잡아 줘"},
		{"노래 불러 줘"},
		{"3시에 회의라고 알려 줘"},
		{"안녕"},
		{"안녕하세요!"},
		{"hello there"},
		{"thx, super helpful"},
		{"고마워 덕분에 해결했어"},
		{"감사합니다! 도움 많이 됐어요"},
		{"감사~"},
		{"thanks for the quick answer"},
		{"회의는 화요일이야", "네, 기억해 둘게요.", "아니 수요일 말한거야"},
		{"Good morning!"},
		{"고마워"},
		{"thanks a lot!"},
		{"넌 누구야?"},
		{"뭐 할 수 있어?"},
		{"What can you do?"},
		{"123*456은?"},
		{"What is 15% of 240?"},
		{"240의 15%는 얼마야?"},
		{"3 더하기 5는?"},
		{"지금 몇 시야?"},
		{"오늘 무슨 요일이야?"},
		{"what time is it in Tokyo?"},
		{"What's today's date?"},
		{"서울 날씨 어때?"},
		{"What's the weather like in London today?"},
		{"위키백과에서 세종대왕 찾아줘"},
		{"search the web for go 1.26 release notes"},
		{"파이썬으로 정렬 함수 짜줘"},
		{"write a poem about autumn"},
		{"Hi! Can you please draft a reply to this customer?"},
		{"ok now translate it into Korean"},
		{"I'd like you to write a haiku"},
		{"could you help me debug this function?"},
		{"내 이름은 철수야"},
		{"My name is Alice."},
		{"내 이름은 철수야", "반가워요", "내 이름이 뭐라고 했지?"},
		{"hi", "hello", "What did I say?"},
		{"배포 담당자는 민수야", "네", "배포 담당자가 누구야?"},
		{"remember that the build code is 7421"},
		{"😀"},
		{""},
		{"ㅋㅋㅋ"},
		{"좋아"},
		{"Can I carry over leave?", "Up to 5 days.", "I mean it's fine"}, // no correction
		{"너 사람이야?"},
		{"누가 너를 만들었어?"},
		{"are you a real person?"},
		{"Are you a human or a bot?"},
		{"who made you?"},
		{"what model are you?"},
		{"what can you do for us in this channel?"},
		{"What do you do exactly?"},
		{"how can you help me?"},
		{"lol"},
		{"태그:인사 너 누구야?"},
	})
}
