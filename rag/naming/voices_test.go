package naming_test

import (
	"testing"

	"maru/rag/naming"
)

// TestVoices: one name is the same in Korean and in Latin letters, whichever way the person wrote it. Half of the
// pairs were written before the rules and read after them.
func TestVoices(t *testing.T) {
	t.Parallel()
	right := 0
	pairs := map[string]string{
		"서울": "Seoul", "부산": "Busan", "제주": "Jeju", "대전": "Daejeon", "강남": "Gangnam", "도쿄": "Tokyo", "런던": "London", "파리": "Paris", "베를린": "Berlin", "싱가포르": "Singapore",
		"민수": "Minsu", "지수": "Jisoo", "김민지": "Kim Minji", "박지훈": "Park Jihoon", "하노이": "Hanoi", "방콕": "Bangkok", "마닐라": "Manila", "시드니": "Sydney", "토론토": "Toronto", "쿠알라룸푸르": "Kuala Lumpur",
		"인천": "Incheon", "대구": "Daegu", "광주": "Gwangju", "수원": "Suwon", "판교": "Pangyo", "오사카": "Osaka", "홍콩": "Hong Kong", "뉴욕": "New York", "로마": "Rome", "마드리드": "Madrid",
		"지민": "Jimin", "영희": "Younghee", "현우": "Hyunwoo", "서연": "Seoyeon", "자카르타": "Jakarta", "두바이": "Dubai", "카이로": "Cairo", "멜버른": "Melbourne", "시카고": "Chicago", "타이베이": "Taipei",
	}
	var missed []string
	for korean, latin := range pairs {
		if len(naming.VoicesOf(korean+"에서 만나자").Like(latin, 2)) > 0 && len(naming.VoicesOf("meet me in "+latin+" please").Like(korean, 2)) > 0 {
			right++
		} else {
			missed = append(missed, korean)
		}
	}
	t.Logf("%d of %d; missed %q", right, len(pairs), missed)
	if right < 33 {
		t.Error("fewer names than before are known by their sound")
	}
	for korean, latin := range map[string]string{
		"서울에서 보자": "Busan", "밥 먹고 회의하자": "Bob", "김치 사 와": "Kim", "보고서 보내줘": "Boss", "회의 잡아줘": "Alice", "팀장님께 메일": "Tim", "매일 아침에": "Emily",
		"민지와 점심": "Minsu", "사이트 점검": "Scott", "제니 말고": "Jane", "연차 규정": "Young", "배포 일정": "Bill", "고객사 미팅": "Max", "문서 공유": "Moon", "리뷰 부탁해": "Robert",
		"디자인 시안": "Dean", "카드 결제": "Carter", "마감은 금요일": "Megan",
	} {
		if len(naming.VoicesOf(korean).Like(latin, 2)) > 0 {
			t.Errorf("%q sounds as %s", korean, latin)
		}
	}
}
