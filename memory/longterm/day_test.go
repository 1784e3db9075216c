package longterm_test

import (
	"testing"

	"maru/memory/longterm"
)

// TestTasksThatNameADay tells times that go with the calendar from those that stay.
func TestTasksThatNameADay(t *testing.T) {
	t.Parallel()
	for want, tasks := range map[bool][]string{
		true: {
			"지난달 매출 보고서 만들어줘", "이번 주 배포 일정 잡아줘", "내일 근무표 뽑아줘", "다음 분기 예산 짜줘", "금요일 회식 예약해줘", "이번 워크숍 준비해줘", "엊그제 회의록 정리해줘",
			"이달 매출 보고서 만들어줘", "이 달 매출 정리해줘", "지난 3개월 매출 보고서 만들어줘", "지난 7일 접속 통계 뽑아줘", "지난 며칠 문의 정리해줘", "3일 전 회의록 정리해줘", "3일 뒤 회의실 예약해줘", "두 달 전 보고서 찾아줘",
			"일주일 뒤 점심 예약해줘", "열흘 전 문의 정리해줘", "이번 주말 당직표 만들어줘", "주말 당직표 만들어줘", "월말 보고서 만들어줘", "연말 행사 준비해줘", "다음 두 주 일정 잡아줘", "다음 3분기 예산 짜줘", "지난 여름 매출 정리해줘",
			"오는 12일 회의실 예약해줘", "올 상반기 실적 정리해줘", "15일까지 보고서 만들어줘", "회의실 25일에 예약해줘", "내주 일정 잡아줘", "전분기 실적 정리해줘", "앞으로 2주 일정 짜줘", "48시간 이내 문의 정리해줘", "당일 매출 정리해줘",
			"make the report for last month", "What's on today?", "book lunch on Friday", "report on the last 7 days", "sales of the past three months", "summarize the previous two weeks", "minutes from two weeks ago",
			"book a room in two weeks", "remind the team in a month", "plan the next few days", "report for the last quarter", "what happened a couple of days ago", "plan the weekend", "report by the end of the month", "month-end report",
			"book it for the rest of the week", "report by EOD", "sales YTD", "book a room on the 15th", "report on the trailing 12 months", "sales of last May", "a rolling 30-day average", "plan three days from now",
		},
		false: {
			"매주 금요일 회의록 정리해줘", "9월 매출 보고서 만들어줘", "post the minutes every Friday", "make the sales report", "오전 회의록 정리해줘", "매출 보고서 보내주세요", "매월 말일 급여 정리해줘", "매주 주말 당직표 만들어줘",
			"2025년 3분기 실적 정리해줘", "9월 15일 회의록 정리해줘", "이주 지원 안내 써줘", "7일간 쓸 예산 짜줘", "3개월 인턴 계획 세워줘", "다음 내용 요약해줘", "매일 3시 알림 문구 써줘", "연차 규정 정리해줘",
			"make the report every month", "plan the two-day workshop", "summarize this report", "make the sales report for May 2025", "write the minutes of the board", "order 12 chairs", "the last slide needs a title", "clean up each weekend",
		},
	} {
		for _, task := range tasks {
			if got := longterm.NamesADay(task); got != want {
				t.Errorf("%q: %v", task, got)
			}
		}
	}
}
