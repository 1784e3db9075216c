package when_test

import (
	"errors"
	"testing"
	"time"

	"maru/phrase/when"
)

// TestColloquial reads times as people say them, fifteen in Korean and fifteen in English, and then such words where they belong to the
// task: each is the time that is meant, or an error with its reason. It is Friday, 27 November 2026, 13:16 in Seoul.
func TestColloquial(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 13, 16, 20, 0, zone(t, "Asia/Seoul"))
	kinds := []struct {
		err  error
		name string
	}{
		{when.ErrHoliday, "holiday"}, {when.ErrExcept, "except"}, {when.ErrWithin, "within"}, {when.ErrBounds, "bounds"}, {when.ErrOrder, "order"},
		{when.ErrZone, "zone"},
		{when.ErrPast, "past"}, {when.ErrVague, "vague"}, {when.ErrTime, "none"},
	}
	for _, c := range []struct{ text, want, zone, rest string }{
		{"공휴일 빼고 매일 아침 9시에 출근 인사 올려줘", "holiday", "", "출근 인사 올려줘"},
		{"격주 화요일 오후 3시에 회고 알림 보내줘", "0 15 * * 2/2", "", "회고 알림 보내줘"},
		{"매달 말일 오후 6시에 정산 마감하라고 알려줘", "0 18 L * *", "", "정산 마감하라고 알려줘"},
		{"매월 첫 평일 10시에 목표 점검하자고 알려줘", "0 10 1W * *", "", "목표 점검하자고 알려줘"},
		{"매달 첫 영업일 9시에 급여 공지 올려줘", "holiday", "", "급여 공지 올려줘"},
		{"뉴욕 시간으로 매일 오전 9시에 장 시작 알려줘", "0 9 * * *", "America/New_York", "장 시작 알려줘"},
		{"내일 오전 9시(PST)에 미국팀 회의 알려줘", "2026-11-28 02:00", "America/Los_Angeles", "미국팀 회의 알려줘"}, // it is Thursday there
		{"담주 수욜 2시에 디자인 리뷰 알려줘", "2026-12-02 14:00", "", "디자인 리뷰 알려줘"},
		{"업무 시간에 두 시간마다 문의 현황 올려줘", "within", "", "문의 현황 올려줘"},
		{"이달 말까지 매일 9시에 진행 상황 올려줘", "bounds", "", "진행 상황 올려줘"},
		{"다다음 주 월요일 10시에 킥오프 알려줘", "2026-12-07 10:00", "", "킥오프 알려줘"},
		{"매월 1일과 15일 9시에 급여 확인 알려줘", "0 9 1,15 * *", "", "급여 확인 알려줘"},
		{"크리스마스 아침에 인사 올려줘", "2026-12-25 09:00", "", "인사 올려줘"},
		{"내년 12월 3일 2시에 계약 갱신 알려줘", "2027-12-03 14:00", "", "계약 갱신 알려줘"},
		{"12/24 오후 3시에 송년회 알려줘", "2026-12-24 15:00", "", "송년회 알려줘"},
		{"every day at 9 except public holidays post the menu", "holiday", "", "post the menu"},
		{"every other Tuesday at 3pm remind us about the retro", "0 15 * * 2/2", "", "remind us about the retro"},
		{"remind us on the first weekday of every month at 10", "0 10 1W * *", "", "remind us"},
		{"remind the team on the last working day of each month at 4pm", "holiday", "", "remind the team on the"},
		{"every weekday at 9am Pacific time post the queue", "0 9 * * 1-5", "America/Los_Angeles", "post the queue"},
		{"at 15:00 UTC tomorrow remind me to deploy", "2026-11-29 00:00", "UTC", "remind me to deploy"},
		{"remind me at 2:30am New York time on March 14 2027 to check the jobs", "2027-03-14 16:30", "America/New_York", "remind me to check the jobs"}, // 2:30 is skipped
		{"every 2 hours between 9 and 5 on weekdays post the queue", "within", "", "on weekdays post the queue"},
		{"every Monday at 9 until Christmas post the numbers", "bounds", "", "post the numbers"},
		{"starting next Monday, post the numbers every day at 9", "bounds", "", "post the numbers every day"},
		{"every 1st and 15th at 9 remind us about payroll", "0 9 1,15 * *", "", "remind us about payroll"},
		{"remind me last Monday at 9", "past", "", "remind me"},
		{"remind me on 3 March 2020 at 9", "past", "", "remind me"},
		{"remind us the Monday after next at 10", "none", "", "remind us"},
		{"remind me 3/4 at 3pm to leave", "order", "", "remind me to leave"},
		{"지난주 금요일 5시에 알려줘", "past", "", "알려줘"},
		{"크리스마스에 인사 3시에 올려줘", "2026-12-25 15:00", "", "인사 올려줘"},
		{"매년 추석에 알려줘", "holiday", "", "알려줘"},
		{"On Christmas, remind me at 5 to call", "2026-12-25 17:00", "", "remind me to call"},
		{"remind us every Christmas Eve to go home", "0 9 24 12 *", "", "remind us to go home"},
		{"크리스마스마다 카드 보내라고 알려줘", "0 9 25 12 *", "", "카드 보내라고 알려줘"},
		{"크리스마스에 쓸 선물 내일 사라고 알려줘", "2026-11-28 09:00", "", "크리스마스에 쓸 선물 사라고 알려줘"},
		{"send me a funny picture about Mondays", "", "", "send me a funny picture about Mondays"},
		{"remind me tomorrow to buy Christmas gifts", "2026-11-28 09:00", "", "remind me to buy Christmas gifts"},
		{"크리스마스 일주일 전에 선물 주문하라고 알려줘", "2026-12-18 09:00", "", "선물 주문하라고 알려줘"},
		{"remind me to buy a gift before December 25", "vague", "", "remind me to buy a gift"}, {"remind us before Friday to vote", "vague", "", "remind us to vote"},
		{"12월 25일 전에 선물 사라고 알려줘", "vague", "", "선물 사라고 알려줘"}, {"금요일 전에 보고서 내라고 알려줘", "vague", "", "보고서 내라고 알려줘"},
		{"12월 25일 하루 전에 선물 사라고 알려줘", "2026-12-24 09:00", "", "선물 사라고 알려줘"},
		{"remind me to finish the draft before Friday on Wednesday", "2026-12-02 09:00", "", "remind me to finish the draft before"},
		{"금요일 이전에 알려줘", "vague", "", "알려줘"},
		{"금요일 전에 온 메일 알려줘", "2026-12-04 09:00", "", "전에 온 메일 알려줘"}, {"12월 10일 2일 전에 알려줘", "2026-12-08 09:00", "", "알려줘"},
		{"remind me the week before December 25 to pack", "vague", "", "remind me to pack"}, {"remind me a few days before Friday to pack", "vague", "", "remind me to pack"},
		{"remind me before 9am on Friday to call", "2026-12-04 09:00", "", "remind me before to call"},
		{"remind me before Christmas to buy gifts", "none", "", "remind me"}, {"압구정에 맛집 알려줘", "", "", "압구정에 맛집 알려줘"},
		{"설날에 세배하라고 알려줘", "holiday", "", "세배하라고 알려줘"},
		{"목요일에 금요일과 토요일 워크숍이라고 알려줘", "2026-12-03 09:00", "", "금요일과 토요일 워크숍이라고 알려줘"},
		{"매주 월요일에 화요일 회의 준비하라고 알려줘", "0 9 * * 1", "", "화요일 회의 준비하라고 알려줘"},
		{"금요일에는 월요일부터 수요일까지 출장이라고 알려줘", "2026-12-04 09:00", "", "월요일부터 수요일까지 출장이라고 알려줘"},
		{"3시 회의 15분 전에 자료 챙기라고 알려줘", "2026-11-27 14:45", "", "회의 자료 챙기라고 알려줘"},
		{"3시 회의 10분 전에 온 메일 알려줘", "2026-11-27 15:00", "", "회의 10분 전에 온 메일 알려줘"},
		{"3시 회의 10분 전에 끝난 회의록 알려줘", "2026-11-27 15:00", "", "회의 10분 전에 끝난 회의록 알려줘"},
		{"오늘 5시 발표 30분 전에 바뀐 자료 알려줘", "2026-11-27 17:00", "", "발표 30분 전에 바뀐 자료 알려줘"},
		{"3시 회의 10분 전에 자료 챙기자고 알려줘", "2026-11-27 14:50", "", "회의 자료 챙기자고 알려줘"},
		{"5월 5일 전날 오후 3시에 선물 사라고 알려줘", "2027-05-04 15:00", "", "선물 사라고 알려줘"},
		{"remind me the day before Dec 10 to pack", "2026-12-09 09:00", "", "remind me to pack"},
		{"every day at 9 for the next week post the numbers", "bounds", "", "post the numbers"},
		{"for two weeks, post the numbers every day at 9", "bounds", "", "post the numbers"},
		// Names of time zones, and offsets.
		{"내일 오전 9시(PT) 회의 알려줘", "2026-11-28 02:00", "America/Los_Angeles", "회의 알려줘"},
		{"PT 시간으로 내일 9시에 알려줘", "2026-11-28 02:00", "America/Los_Angeles", "알려줘"},
		{"PST 기준 내일 9시에 알려줘", "2026-11-28 02:00", "America/Los_Angeles", "알려줘"},
		{"회의 알려줘 내일 오전 9시 ET", "2026-11-27 23:00", "America/New_York", "회의 알려줘"},
		{"PT 준비를 내일 9시 뉴욕 시간으로 알려줘", "2026-11-27 23:00", "America/New_York", "PT 준비를 알려줘"},
		{"내일 9시 런던 시간에 알려줘", "2026-11-28 18:00", "Europe/London", "알려줘"},
		{"뉴욕 시간 매일 9시에 알려줘", "0 9 * * *", "America/New_York", "알려줘"},
		{"매일 9시(런던 현지 시간) 시황 알려줘", "0 9 * * *", "Europe/London", "시황 알려줘"},
		{"빈 현지 시간으로 매일 9시에 알려줘", "0 9 * * *", "Europe/Vienna", "알려줘"},
		{"remind me tomorrow at 9am PT to call", "2026-11-28 02:00", "America/Los_Angeles", "remind me to call"},
		{"remind me tomorrow at 9am UTC+5:30 to call", "2026-11-28 12:30", "Asia/Kolkata", "remind me to call"},
		{"내일 9시(UTC+09:00)에 알려줘", "2026-11-28 09:00", "Etc/GMT-9", "알려줘"},
		{"remind me tomorrow at 9am UTC+15", "zone", "", "remind me"},
		{"every day at 9am UTC-3:30 post", "zone", "", "post"},
		// The same words where they are the task's.
		{"매주 월요일 9시에 금요일까지 보고서 내라고 알려줘", "0 9 * * 1", "", "금요일까지 보고서 내라고 알려줘"},
		{"내일 9시에 다음 주부터 휴가라고 알려줘", "2026-11-28 09:00", "", "다음 주부터 휴가라고 알려줘"},
		{"월말 보고서를 내일 9시에 알려줘", "2026-11-28 09:00", "", "월말 보고서를 알려줘"},
		{"매주 월요일9시에 회의 알려줘", "0 9 * * 1", "", "회의 알려줘"},
		{"every day at 9 remind us it's lunch time", "0 9 * * *", "", "remind us it's lunch time"},
		{"every day at 9 post the 24/7 numbers of the last quarter", "0 9 * * *", "", "post the 24/7 numbers of the last quarter"},
		{"every Monday at 9 summarise tickets for two weeks", "0 9 * * 1", "", "summarise tickets for two weeks"},
		{"every Monday at 9 summarise last Friday's tickets", "0 9 * * 1", "", "summarise last Friday's tickets"},
		{"내일 9시 PT 준비하라고 알려줘", "2026-11-28 09:00", "", "PT 준비하라고 알려줘"},
		{"금요일 9시 MT 출발이라고 알려줘", "2026-12-04 09:00", "", "MT 출발이라고 알려줘"},
		{"내일 PT 9시에 시작한다고 알려줘", "2026-11-28 09:00", "", "PT 시작한다고 알려줘"},
		{"내일 3시 IST 보고서 올리라고 알려줘", "2026-11-28 15:00", "", "IST 보고서 올리라고 알려줘"},
		{"내일 9시 PST팀 회의 알려줘", "2026-11-28 09:00", "", "PST팀 회의 알려줘"},
		{"매일 9시에 빈 시간 알려줘", "0 9 * * *", "", "빈 시간 알려줘"},
		{"내일 9시에 세부 시간 확인하라고 알려줘", "2026-11-28 09:00", "", "세부 시간 확인하라고 알려줘"},
		{"매일 9시에 런던 시간 알려줘", "0 9 * * *", "", "런던 시간 알려줘"},
		{"내일 런던 시간 알려줘", "2026-11-28 09:00", "", "런던 시간 알려줘"},
		// Days of the task.
		{"월말에 낼 보고서 오늘 5시에 알려줘", "2026-11-27 17:00", "", "월말에 낼 보고서 알려줘"},
		{"금요일에 낼 보고서 내일 5시에 알려줘", "2026-11-28 17:00", "", "금요일에 낼 보고서 알려줘"},
		{"1일에 낼 보고서 매일 5시에 알려줘", "0 17 * * *", "", "1일에 낼 보고서 알려줘"},
		{"12/24에 있는 송년회 내일 3시에 알려줘", "2026-11-28 15:00", "", "12/24에 있는 송년회 알려줘"},
		{"월말에 보고서 내라고 5시에 알려줘", "2026-11-30 17:00", "", "보고서 내라고 알려줘"},
		{"월요일에 고객사 모레 5시 회의 알려줘", "2026-11-30 17:00", "", "고객사 모레 회의 알려줘"},
		{"5시에 1/3 끝났는지 알려줘", "2026-11-27 17:00", "", "1/3 끝났는지 알려줘"},
		{"1/3 끝났는지 5시에 알려줘", "2026-11-27 17:00", "", "1/3 끝났는지 알려줘"},
		{"오후 5시에 24/7 지원 알려줘", "2026-11-27 17:00", "", "24/7 지원 알려줘"},
		{"12/24 송년회 3시에 알려줘", "2026-12-24 15:00", "", "송년회 알려줘"},
		{"5시 12/24에 알려줘", "2026-12-24 17:00", "", "알려줘"},
		{"remind me at 5 about 1/3 of the budget", "2026-11-27 17:00", "", "remind me about 1/3 of the budget"},
		{"send the plan of next week every Friday at 5", "0 17 * * 5", "", "send the plan of next week"},
		{"remind me on Monday about the call on Tuesday at 5pm", "2026-11-30 17:00", "", "remind me about the call on Tuesday"},
		{"remind me tomorrow at 9 to fix the UTC+15 bug", "2026-11-28 09:00", "", "remind me to fix the UTC+15 bug"},
		{"지난주 금요일 회의록 5시에 보내줘", "2026-11-27 17:00", "", "지난주 금요일 회의록 보내줘"},
		{"3시에 지난 금요일 회의록 보내줘", "2026-11-27 15:00", "", "지난 금요일 회의록 보내줘"},
		{"작년 매출 3시에 알려줘", "2026-11-27 15:00", "", "작년 매출 알려줘"},
		{"last Friday's notes at 5pm send to the team", "2026-11-27 17:00", "", "last Friday's notes send to the team"},
		{"추석에 쉬는지 3시에 알려줘", "2026-11-27 15:00", "", "추석에 쉬는지 알려줘"},
		{"추석에 쓸 선물 목록 3시에 알려줘", "2026-11-27 15:00", "", "추석에 쓸 선물 목록 알려줘"},
		{"3시에 추석에 쉬는지 알려줘", "2026-11-27 15:00", "", "추석에 쉬는지 알려줘"},
		{"send the report for the week every Friday at 5", "0 17 * * 5", "", "send the report for the week"},
		{"send the plan for next week every Friday at 5", "0 17 * * 5", "", "send the plan for next week"},
		{"remind me tomorrow to call Eve", "2026-11-28 09:00", "", "remind me to call Eve"},
		{"remind me at 5 to tell eve the news", "2026-11-27 17:00", "", "remind me to tell eve the news"},
		{"remind me tomorrow eve to call Eve", "2026-11-28 18:00", "", "remind me to call Eve"},
		{"remind me every eve to stretch", "0 18 * * *", "", "remind me to stretch"},
		{"remind me tomorrow to call Noon", "2026-11-28 09:00", "", "remind me to call Noon"},
		{"remind me tomorrow at Noon to call April", "2026-11-28 12:00", "", "remind me to call April"},
		{"remind me at 5 to ask Thu about it", "2026-11-27 17:00", "", "remind me to ask Thu about it"},
		{"remind me to call Kim Thu at 5", "2026-12-03 17:00", "", "remind me to call Kim"},
		{"remind me at 5 to call May 3 times", "2026-11-27 17:00", "", "remind me to call May 3 times"},
		{"지난 월요일 회의록 요약해줘", "", "", "지난 월요일 회의록 요약해줘"},
	} {
		r := when.Read(c.text, now)
		got := r.Rule.Cron
		if r.Rule.Step > 1 {
			got += "/2"
		}
		if !r.Rule.At.IsZero() {
			got = r.Rule.At.In(now.Location()).Format("2006-01-02 15:04")
		}
		for _, k := range kinds {
			if errors.Is(r.Err, k.err) {
				got = k.name
				break
			}
		}
		named := ""
		if r.Zone != nil {
			named = r.Zone.String()
		}
		if got != c.want || named != c.zone || r.Rest != c.rest {
			t.Errorf("%s: %q in %q, rest %q; want %q in %q, %q", c.text, got, named, r.Rest, c.want, c.zone, c.rest)
		}
	}
}
