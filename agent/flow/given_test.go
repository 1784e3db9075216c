package flow_test

import (
	"testing"
	"time"

	"maru/agent/flow"
)

// TestGivenValues: a value counts as given in whatever form a person, a document or a result has it.
func TestGivenValues(t *testing.T) {
	t.Parallel()
	seoul, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 30, 20, 0, 0, 0, seoul) // a Monday
	for _, c := range []struct {
		said, read  string
		given, made []string
	}{
		{"회의 잡아줘", "", []string{"회의", ""}, []string{"Alice", "Bob", "Charlie", "2026-12-01T10:00:00+09:00", "60", "주간 회의", "alice@example.com"}},
		{"내일 오후 3시에 민지랑 예산 회의 30분 잡아줘", "", []string{"민지", "예산 회의", "2026-12-01", "2026-12-01T15:00:00+09:00", "2026-12-01T06:00:00Z", "15:00", "30", "예산회의"}, []string{"2026-12-02", "16:30", "45", "철수"}},
		{"12월 3일 14:30에 팀장님께 50만원 결제 요청을 보내줘", "", []string{"2026-12-03T14:30:00", "500000", "50만원", "팀장님", "결제 요청"}, []string{"2026-12-04", "5000000", "김부장"}},
		{"email kim@example.com that the demo moved to Friday", "", []string{"kim@example.com", "demo", "2026-12-04"}, []string{"kim@example.org", "lee@example.com", "standup"}},
		{"send Kim the summary", "Kim Minji, kim.minji@corp.example, ext. 4021", []string{"kim.minji@corp.example", "Kim Minji", "4021"}, []string{"kim@corp.example", "4022"}},
		{"file a bug: login fails on Safari 17", "", []string{"Login fails on Safari 17", "safari", "login failing"}, []string{"P1 critical", "Firefox"}},
		{"Kim에게 이사한다고 편지를 부쳐줘", "", []string{"이사해요", "이사 편지"}, []string{"퇴사해요", "김민수"}},
		{"예약해줘, 네 명이고 한 시간 반", "", []string{"4", "90", "4명"}, []string{"5", "120"}},
		{"김민지랑 회의 잡아줘", "", []string{"김민지", "김민지, 회의"}, []string{"김민지, 박철수, Alice", "김민지;Alice", "김민지 · Alice", "김민지/Alice", "김민지\nAlice", "회의, 김민지, Alice"}},
		{"010-1234-5678로 문자 보내줘", "", []string{"01012345678", "010-1234-5678", "+82 10-1234-5678"}, []string{"01012345679", "010-1234-9999"}},
		{"만원 보내줘", "", []string{"10000", "10,000", "₩10,000", "10000원", "KRW", "원"}, []string{"20000", "₩1,000", "USD"}},
		{"삼만원 결제해줘", "", []string{"30000", "₩30,000", "30,000원"}, []string{"3000", "40000"}},
		{"이천 원이랑 $30", "", []string{"2000", "KRW", "USD", "달러", "30"}, []string{"EUR", "1000"}},
		{"커피 한 잔이랑 라떼 두 잔, 피자 세 판 주문해줘", "", []string{"1", "2", "3"}, []string{"4", "10"}},
		{"둘이서 갈 식당 예약해줘, 창가 하나만", "", []string{"2", "1"}, []string{"3"}},
		{"금요일까지 끝낼 일로 올려줘", "", []string{"2026-12-04", "2026-12-04T23:59:00"}, []string{"2026-12-03", "2026-12-11"}},
		{"이달 말까지 연장해줘", "", []string{"2026-11-30"}, []string{"2026-12-15"}},
		{"크리스마스에 저녁 예약", "", []string{"2026-12-25"}, []string{"2026-12-24"}},
		{"매달 25일에 월급 알림", "", []string{"2026-12-25", "monthly", "매월"}, []string{"2026-12-26", "daily"}},
		{"remind the team every Friday at 5pm", "", []string{"2026-12-04T17:00:00+09:00", "weekly", "17:00"}, []string{"2026-12-04T18:00:00+09:00", "2026-12-03T17:00:00+09:00", "monthly"}},
		{"내일 오전 10시에 데모", "", []string{"12월 1일 오전 10시", "2026-12-01 10:00", "오전 10:00", "Asia/Seoul"}, []string{"12월 2일 오전 10시", "12월 1일 오후 10시", "오전 11시"}},
		{"오후 3시에 회의", "", []string{"오후 3:00", "15:00", "3pm"}, []string{"오후 4:00", "03:00", "3am"}},
		{"내일 1시에 1시간 반 회의 잡아줘", "", []string{"14:30", "2026-12-01T14:30:00+09:00", "13:00", "90"}, []string{"14:00", "15:30"}},
		{"우선순위 높게 해서 올려줘", "", []string{"high", "High", "높음"}, []string{"low", "critical"}},
		{"3층 12명, 4층 8명 자리 배치해줘", "", []string{"12", "8"}, []string{"2026-12-08", "2026-12-03", "2026-12-04", "12월 8일", "12:08", "08:00"}},
		{"find a train on Mar 14th", "", []string{"03/14/2026", "2026-03-14", "03/14/2027"}, []string{"03/15/2026", "04/14/2026"}},
		{"매일 아침 9시에 날씨 알려줘", "", []string{"09:00", "daily", "0 9 * * *"}, []string{"0 8 * * *", "weekly"}},
		{"다음 주말에 이틀짜리 기차표 두 장", "", []string{"2", "2026-12-12", "2026-12-13"}, []string{"2026-12-17"}},
		{"2026-12-05부터 사흘 휴가 신청해줘", "", []string{"2026-12-05", "휴가 신청", "휴가"}, []string{"2026-12-09", "병가"}},
		{"서울 날씨 알려주고 민수한테 보내줘", "", []string{"Seoul", "seoul", "Minsu", "Seoul, South Korea", "Seoul, Korea", "Seoul, KR", "서울, 대한민국"}, []string{"Busan", "Minji", "Seoul, Japan", "Busan, South Korea", "South Korea"}},
		{"book a flight to Kuala Lumpur", "", []string{"Kuala Lumpur, Malaysia", "쿠알라룸푸르", "쿠알라룸푸르, 말레이시아"}, []string{"Kuala Lumpur, Singapore", "싱가포르", "Penang, Malaysia"}},
		{"도쿄랑 싱가포르, 부산 호텔 찾아서 박지훈에게", "", []string{"Tokyo", "Singapore", "Busan", "Park Jihoon", "Tokyo, Japan", "TOKYO; SINGAPORE"}, []string{"Kyoto", "Osaka", "Park Jimin", "Kim"}},
		{"민수랑 회의 잡아줘", "", []string{"민수"}, []string{"민수, Jordan", "민수, Chad", "Minsu, Georgia", "민수; Israel", "Minsu, Ben", "민수, 조지아"}},
		{"런던으로 가는 비행기, 토론토에서 갈아타게", "", []string{"London", "London, UK", "런던, 영국", "Toronto, Canada", "토론토, 캐나다"}, []string{"London, Canada", "런던, 캐나다", "Toronto, Australia", "London, Jordan"}},
		{"보고서 다시 보내줘, 메일로 새로 처리해", "", []string{"보고서"}, []string{"Daisy", "Bonnie", "Mel", "Sarah", "Julie"}},
		{"다른 나라 시안 파일과 서류를 말해줘", "", []string{"서류"}, []string{"Heather", "Nora", "Sean", "Paul", "Shirley", "Mary"}},
		{"tell someone to join us soon", "", nil, []string{"서연", "수민", "준수"}},
		{"밥 먹고 회의하게 12시에 잡아줘", "", []string{"회의"}, []string{"Bob", "Bob; Kim"}},
		{"내일 회의 잡아줘", "", []string{"회의"}, []string{"Neil", "Neil, Alice"}},
	} {
		g := flow.Context{Said: []string{c.said}, Read: []string{c.read}}.Given(now)
		for _, v := range c.given {
			if !g.Has(v) {
				t.Errorf("%q: %q counts as made up", c.said, v)
			}
		}
		for _, v := range c.made {
			if g.Has(v) {
				t.Errorf("%q: %q counts as given", c.said, v)
			}
		}
	}
}

// TestTextsOfTheModel: a text that the model was asked to write is its own; numbers and addresses in it are not.
func TestTextsOfTheModel(t *testing.T) {
	t.Parallel()
	g := flow.Context{Said: []string{"write Kim a friendly apology for the outage of 2 hours, and refund 30,000원"}}.Given(time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC))
	const text = "Dear Kim, we are truly sorry for what happened this week and for the trouble it caused your whole team. "
	for more, want := range map[string]bool{
		"":                                       true,
		"We will refund 30000 won.":              true,
		"We will refund 45,000 won.":             false,
		"Please write to help@corp.example.":     false,
		"1. We restart. 2. We look at it again.": true,
	} {
		if got := g.Has(text + more); got != want {
			t.Errorf("%q: given %v", more, got)
		}
	}
}

// TestShortWordsOfTheModel: a title or a message says what people said in other words; who, when and how much it does not choose.
func TestShortWordsOfTheModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said        string
		given, made []string
	}{
		{"배포 끝났다고 #dev에 알려줘", []string{"배포가 끝났습니다.", "The deployment has finished.", "배포 완료 안내"}, []string{"Alice와 함께 배포가 끝났습니다.", "배포가 3시에 끝났습니다.", "문의: ops@corp.example"}},
		{"로그인 버그 티켓 만들어줘", []string{"Login bug", "Login Bug Ticket", "로그인 오류"}, []string{"Login bug on 2026-12-05", "Login bug 4021"}},
		{"내일 오전 10시 데모를 팀에 알려줘", []string{"12월 1일 오전 10시 데모가 있습니다", "Demo tomorrow at 10 am", "데모 안내 (내일 10:00)"}, []string{"12월 2일 오전 10시 데모가 있습니다", "데모는 11시입니다"}},
		{"tell #dev that the deployment is done", []string{"The deployment has finished.", "Deployment Complete"}, []string{"The deployment by Bob has finished.", "Done, thanks to Alice and her team"}},
		{"민수한테 회의 취소됐다고 전해줘", []string{"Hi Minsu, the meeting has been canceled.", "민수님, 회의는 취소되었습니다."}, []string{"회의는 Bob에게 넘어갔습니다."}},
		{"remind Kim of the demo on Dec 4", []string{"Kim, please remember the demo on Friday, December 4."}, []string{"Kim, please remember the demo on Thursday."}},
		{"write that 3.5 is out", []string{"Version 3.5 is released"}, []string{"Version 3.6 is released"}},
	} {
		g := flow.Context{Said: []string{c.said}}.Given(time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC))
		for _, v := range c.given {
			if !g.HasFacts(v) {
				t.Errorf("%q: %q counts as made up", c.said, v)
			}
		}
		for _, v := range c.made {
			if g.HasFacts(v) {
				t.Errorf("%q: %q counts as given", c.said, v)
			}
		}
	}
}
