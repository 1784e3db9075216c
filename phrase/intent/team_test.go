package intent_test

import (
	"strings"
	"testing"

	"maru/phrase/intent"
)

func TestAsksOffer(t *testing.T) {
	t.Parallel()
	for text := range strings.SplitSeq(`Do we have a 401k?
Who is the CEO?
What languages does the CEO speak?
How do I apply for jury duty leave?
Where do I apply?
How do I claim travel expenses?
How can I book a meeting room?
How do I request a laptop from HR?
Does our company match donations?
How many days do we get?
Who is our data protection officer?
구내식당 있어?
헬스장 있나요?
우리 회사에 수영장 있어?
사무실에 주차 자리 있어?
명함은 어디에서 신청해?
택시비 어떻게 청구해?
월급 언제 나와?
교육비 지원돼?`, "\n") {
		if !intent.AsksOffer(text) {
			t.Errorf("%q is no question for what a workplace has", text)
		}
	}
	for text := range strings.SplitSeq(`How do I return two values in Go?
How do I order rows in SQL?
How do I register a domain?
How do we order rows by date?
How do I submit a form with fetch?
How do I file a patent?
How do I return a pointer?
How do I book a hotel room in Paris?
How do I return a laptop to Amazon?
Where can I apply for a passport?
Who is the CEO of Apple?
Who is the boss in Dark Souls?
What is the difference between the CEO and the CFO?
Do we know if there is a largest prime?
파이썬에 switch 문 있어?
화성에 물 있어?
유튜브 프리미엄 어떻게 신청해?
여권은 어디서 신청해?
새 아이폰 언제 나와?
Rust에 상속 있나요?
쿠팡에서 노트북 어떻게 반납해?
서울에 온천 있어?`, "\n") {
		if intent.AsksOffer(text) {
			t.Errorf("%q is taken for a question for what a workplace has", text)
		}
	}
}
