package when_test

import (
	"errors"
	"testing"
	"time"

	"maru/phrase/when"
)

// TestExceptions: days that are left out beside a time change it, or make one that no rule can be; elsewhere the same words are the
// task's. It is Friday, 27 November 2026.
func TestExceptions(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 13, 16, 20, 0, zone(t, "Asia/Seoul"))
	for _, c := range []struct{ text, want, rest string }{
		{"매주 월요일 9시에 공휴일 제외하고 매출 보고해줘", "none", "매출 보고해줘"},
		{"평일 공휴일 빼고 매일 9시에 알려줘", "none", "매일 알려줘"},
		{"매일 9시에, 단 주말은 제외, 상태 알려줘", "0 9 * * 1-5", "상태 알려줘"},
		{"수요일 빼고 매일 10시에 스탠드업 알려줘", "0 10 * * 1,2,4,5,6,0", "스탠드업 알려줘"},
		{"매 영업일 9시에 알려줘", "0 9 * * 1-5", "알려줘"},
		{"영업일마다 오후 6시에 마감 알려줘", "0 18 * * 1-5", "마감 알려줘"},
		{"매월 마지막 영업일에 급여 알려줘", "none", "에 급여 알려줘"},
		{"매일 아침 8시에 (공휴일 제외) 메뉴 알려줘", "none", "메뉴 알려줘"},
		{"every day at 9 except Fridays remind us to post", "0 9 * * 1,2,3,4,6,0", "remind us to post"},
		{"every weekday except Wednesday at 10 remind us", "0 10 * * 1,2,4,5", "remind us"},
		{"remind us every business day at 9 to check", "0 9 * * 1-5", "remind us to check"},
		{"remind me on the last business day of the month at 9", "none", "remind me on the"},
		{"every Monday at 9, except on holidays, post the summary", "none", "post the summary"},
		{"daily at 8am excluding weekends, post the menu", "0 8 * * 1-5", "post the menu"},
		{"every day but Sunday at 7 remind me to run", "0 7 * * 1,2,3,4,5,6", "remind me to run"},
		{"매주 월요일 9시에 주말 제외 매출 보고해줘", "0 9 * * 1", "주말 제외 매출 보고해줘"},
		{"매일 9시에 반품 제외한 주문 수를 알려줘", "0 9 * * *", "반품 제외한 주문 수를 알려줘"},
		{"매주 금요일 17시에 취소 건 빼고 티켓 요약해줘", "0 17 * * 5", "취소 건 빼고 티켓 요약해줘"},
		{"매일 10시에 영업일 기준 배송 현황 정리해줘", "0 10 * * *", "영업일 기준 배송 현황 정리해줘"},
		{"내일 3시에 김대리 빼고 모두에게 물어보라고 알려줘", "2026-11-28 15:00", "김대리 빼고 모두에게 물어보라고 알려줘"},
		{"매월 1일 9시에 공휴일 목록 올려줘", "0 9 1 * *", "공휴일 목록 올려줘"},
		{"매주 월요일 9시에 주말을 제외한 매출 보고해줘", "0 9 * * 1", "주말을 제외한 매출 보고해줘"},
		{"every Monday at 9 report sales excluding weekends", "0 9 * * 1", "report sales excluding weekends"},
		{"every Friday at 5pm list the tickets except the closed ones", "0 17 * * 5", "list the tickets except the closed ones"},
		{"remind me tomorrow at 10 to order everything but the chairs", "2026-11-28 10:00", "remind me to order everything but the chairs"},
		{"every Monday at 9 post how many business days are left this month", "0 9 * * 1", "post how many business days are left this month"},
		{"every day at 9 summarise the tickets without duplicates", "0 9 * * *", "summarise the tickets without duplicates"},
		{"remind me on Friday at 3 to check the holiday calendar", "2026-11-27 15:00", "remind me to check the holiday calendar"},
		{"every first of the month at 9 report the revenue except tax", "0 9 1 * *", "report the revenue except tax"},
		{"every Tuesday at 10 tell us which orders were not delivered within three business days", "0 10 * * 2", "tell us which orders were not delivered within three business days"},
		{"매일 9시에 주말을 제외한 매출 보고해줘", "0 9 * * *", "주말을 제외한 매출 보고해줘"},
		{"매주 월요일 9시에 지난달 마지막 영업일 매출 보고해줘", "0 9 * * 1", "지난달 마지막 영업일 매출 보고해줘"},
		{"월요일과 금요일은 빼고 평일 10시에 회의 알려줘", "0 10 * * 2,3,4", "회의 알려줘"},
		{"every day at 9 post the menu except on weekends", "0 9 * * 1-5", "post the menu"},
		{"every Monday and Friday at 9, but not Mondays, ping us", "0 9 * * 5", "ping us"},
		{"매일 9시에 월요일부터 일요일까지 매출 보고해줘", "0 9 * * *", "월요일부터 일요일까지 매출 보고해줘"},
		{"every weekday at 9 ping us", "0 9 * * 1-5", "ping us"},
		{"평일 9시마다 알려줘", "0 9 * * 1-5", "알려줘"},
		{"remind me not on Friday but on Thursday at 9", "none", "remind me but"},
		// Days that are named to be kept, or are the task's.
		{"매일 9시에 주말 빼지 말고 알려줘", "0 9 * * *", "주말 빼지 말고 알려줘"},
		{"매일 9시에 주말 제외하지 말고 알려줘", "0 9 * * *", "주말 제외하지 말고 알려줘"},
		{"매일 9시에 주말을 빼놓지 말고 알려줘", "0 9 * * *", "주말을 빼놓지 말고 알려줘"},
		{"매일 9시에 알려줘, 주말도 빼면 안 돼", "0 9 * * *", "알려줘, 주말도 빼면 안 돼"},
		{"매일 9시에 알려줘. 주말은 제외하면 안 돼요", "0 9 * * *", "알려줘. 주말은 제외하면 안 돼요"},
		{"주말 빼먹지 말고 매일 9시에 알려줘", "0 9 * * *", "주말 빼먹지 말고 알려줘"},
		{"매일 9시에 주말 제외 안 하고 알려줘", "0 9 * * *", "주말 제외 안 하고 알려줘"},
		{"매일 9시에 금요일 빼빼로 행사 알려줘", "0 9 * * *", "금요일 빼빼로 행사 알려줘"},
		{"매주 월요일 외에도 수요일 9시에 알려줘", "0 9 * * 1,3", "알려줘"},
		{"every weekday at 9 save Friday's report", "0 9 * * 1-5", "save Friday's report"},
		{"every day at 6pm save weekend orders", "0 18 * * *", "save weekend orders"},
		{"every day at 9 list all reports except Friday's report", "0 9 * * *", "list all reports except Friday's report"},
		{"every day at 9 and don't skip weekends", "0 9 * * *", "and don't skip weekends"},
		{"every day at 9, without skipping Sundays, ping us", "0 9 * * *", "without skipping Sundays, ping us"},
		// A second set, written after the first had passed.
		{"매일 저녁 6시에 토,일 빼고 퇴근 알림 보내줘", "0 18 * * 1-5", "퇴근 알림 보내줘"},
		{"금요일만 빼고 평일 아침 9시에 인사해줘", "0 9 * * 1,2,3,4", "인사해줘"},
		{"토요일하고 일요일 제외하고 매일 8시 알림 보내줘", "0 8 * * 1-5", "알림 보내줘"},
		{"월요일 빼고 2시간마다 상태 확인해줘", "none", "상태 확인해줘"},
		{"매주 화,목 10시에 (단, 공휴일은 제외) 스탠드업 알려줘", "none", "(단, 스탠드업 알려줘"},
		{"매일 9시에 휴일 아닌 날만 알려줘", "none", "알려줘"},
		{"매일 9시에 신규 가입자 수를 주말 제외하고 집계해서 올려줘", "0 9 * * *", "신규 가입자 수를 주말 제외하고 집계해서 올려줘"},
		{"매월 1일 9시에 주말 제외 일평균 매출 보고해줘", "0 9 1 * *", "주말 제외 일평균 매출 보고해줘"},
		{"each morning at 8:30 (not on weekends) send the menu", "30 8 * * 1-5", "send the menu"},
		{"Mon-Fri at 9 except holidays ping us", "none", "ping us"},
		{"Mon-Fri at 9 ping us", "0 9 * * 1-5", "ping us"},
		{"every weekday at 9 except the last Friday of the month post", "none", "post"},
		{"every Sunday at 6pm compare this week's sales, excluding holidays, with last week's", "0 18 * * 0", "compare this week's sales, excluding holidays, with last week's"},
		{"every Monday at 9 remind us not to book meetings on Friday", "0 9 * * 1", "remind us not to book meetings on Friday"},
		{"every day at noon, skip Sundays, post lunch options", "0 12 * * 1,2,3,4,5,6", "post lunch options"},
		{"9시마다 물 마시라고 알려줘", "0 9 * * *", "물 마시라고 알려줘"},
		{"금요일 말고 목요일 9시에 알려줘", "none", "알려줘"},
	} {
		r := when.Read(c.text, now)
		got := r.Rule.Cron
		switch {
		case errors.Is(r.Err, when.ErrTime):
			got = "none"
		case r.Err != nil:
			got = r.Err.Error()
		case !r.Rule.At.IsZero():
			got = r.Rule.At.In(now.Location()).Format("2006-01-02 15:04")
		}
		if got != c.want || r.Rest != c.rest {
			t.Errorf("%s: %q, rest %q; want %q, %q", c.text, got, r.Rest, c.want, c.rest)
		}
	}
}

// TestEveOfARepeatedDate: what no rule can say has an error of its own.
func TestEveOfARepeatedDate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 13, 16, 0, 0, time.UTC)
	for _, text := range []string{"매월 2일 사흘 전에 알려줘", "매월 31일 하루 전에 알려줘", "매월 말일 하루 전에 알려줘"} {
		if r := when.Read(text, now); !errors.Is(r.Err, when.ErrEve) {
			t.Errorf("%q: %v, want %v", text, r.Err, when.ErrEve)
		}
	}
}
