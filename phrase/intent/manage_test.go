package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

// TestManagesSchedules reads what people want done with schedules that are there, and what is about something else.
func TestManagesSchedules(t *testing.T) {
	t.Parallel()
	const list, drop, pause, resume, move = intent.ListSchedules, intent.DropSchedules, intent.PauseSchedules, intent.ResumeSchedules, intent.MoveSchedules
	const run = intent.RunSchedules
	for _, c := range []struct {
		text string
		want intent.ScheduleChange
	}{
		{"what reminders do I have?", intent.ScheduleChange{Do: list, Named: true}},
		{"list my schedules pls", intent.ScheduleChange{Do: list}},
		{"내가 걸어둔 알림 뭐 있지?", intent.ScheduleChange{Do: list, Named: true}},
		{"알림 뭐 걸려 있는지 보여줘", intent.ScheduleChange{Do: list, Named: true}},
		{"예약된 거 다 보여줘", intent.ScheduleChange{Do: list}},
		{"cancel that reminder", intent.ScheduleChange{Do: drop, Named: true}},
		{"please delete all my reminders", intent.ScheduleChange{Do: drop, All: true, Named: true}},
		{"drop the standup reminder", intent.ScheduleChange{Do: drop, About: "standup", Named: true}},
		{"cancel the reminder about the retro board", intent.ScheduleChange{Do: drop, About: "retro board", Named: true}},
		{"stop reminding us about the retro", intent.ScheduleChange{Do: drop, About: "retro", Named: true}},
		{"don't remind me about rent anymore", intent.ScheduleChange{Do: drop, About: "rent", Named: true}},
		{"아까 그 알림 취소해줘", intent.ScheduleChange{Do: drop, Named: true}},
		{"how do I set a reminder?", intent.ScheduleChange{Do: intent.HowSchedules, Named: true}},
		{"알림은 어떻게 만들어?", intent.ScheduleChange{Do: intent.HowSchedules, Named: true}},
		{"change my standup reminder time", intent.ScheduleChange{Do: move, About: "standup", Named: true}},
		{"스탠드업 알림 시간 바꾸고 싶어", intent.ScheduleChange{Do: move, About: "스탠드업"}},
		{"내 알림 몇 개야?", intent.ScheduleChange{Do: intent.ListSchedules, Named: true}},
		{"방금 만든 알림 취소할게", intent.ScheduleChange{Do: drop, Named: true}},
		{"never mind, cancel that reminder", intent.ScheduleChange{Do: drop, Named: true}},
		{"4시로 바꿔줘", intent.ScheduleChange{Do: move, Bare: true, To: "4시", Sets: true}},
		{"나 지금 걸어놓은 알림 뭐뭐 있어?", intent.ScheduleChange{Do: intent.ListSchedules, Named: true}},
		{"회고 리마인더 꺼주삼", intent.ScheduleChange{Do: drop, About: "회고", Named: true}},
		{"알림 다 지워줘", intent.ScheduleChange{Do: drop, All: true, Named: true}},
		{"회의실 예약 취소해줘", intent.ScheduleChange{Do: drop, About: "회의실"}},
		{"더 이상 회고 알려주지 마", intent.ScheduleChange{Do: drop, About: "회고", Named: true}},
		{"pause the standup reminder for now", intent.ScheduleChange{Do: pause, About: "standup", Named: true}},
		{"매주 회고 알림 잠깐 멈춰줘", intent.ScheduleChange{Do: pause, About: "회고"}},
		{"turn on the standup reminder again", intent.ScheduleChange{Do: resume, About: "standup", Named: true}},
		{"알림 다시 켜줘", intent.ScheduleChange{Do: resume, Named: true}},
		{"push it to Friday", intent.ScheduleChange{Do: move, Bare: true, To: "Friday"}},
		{"make that 4pm instead", intent.ScheduleChange{Do: move, Bare: true, To: "4pm", Sets: true}},
		{"snooze it for an hour", intent.ScheduleChange{Do: move, Bare: true, To: "an hour"}},
		{"move the retro reminder to 6", intent.ScheduleChange{Do: move, About: "retro", Named: true, To: "6"}},
		{"bring the retro reminder forward by 30 minutes", intent.ScheduleChange{Do: move, About: "retro", Named: true, To: "30 minutes", Earlier: true}},
		{"postpone the retro reminder an hour", intent.ScheduleChange{Do: move, About: "retro", Named: true, To: "an hour"}},
		{"그거 4시로 바꿔줘", intent.ScheduleChange{Do: move, Bare: true, To: "4시", Sets: true}},
		{"회고 알림 금욜로 미뤄줘", intent.ScheduleChange{Do: move, About: "회고", To: "금욜"}},
		{"한시간만 늦춰줘", intent.ScheduleChange{Do: move, Bare: true, To: "한시간"}},
		{"회의 알림 30분만 당겨줘", intent.ScheduleChange{Do: move, About: "회의", To: "30분", Earlier: true}},
		{"make it 45 minutes", intent.ScheduleChange{Do: move, Bare: true, To: "45 minutes", Sets: true}},
		{"make it 30 minutes earlier", intent.ScheduleChange{Do: move, Bare: true, To: "30 minutes", Earlier: true}},
		{"change it by an hour", intent.ScheduleChange{Do: move, Bare: true, To: "an hour"}},
		{"그거 2시간으로 바꿔줘", intent.ScheduleChange{Do: move, Bare: true, To: "2시간", Sets: true}},
		{"그거 2시간 미뤄줘", intent.ScheduleChange{Do: move, Bare: true, To: "2시간"}},
		{"회의 알림은 이제 필요 없어졌어요", intent.ScheduleChange{Do: drop, About: "회의"}},
		{"회고 리마인더 필요 없습니다.", intent.ScheduleChange{Do: drop, About: "회고", Named: true}},
		{"회고 리마인더 필요 없으니까 취소해줄래?", intent.ScheduleChange{Do: drop, About: "회고", Named: true}},
		{"회고 리마인더 지워 주시겠어요?", intent.ScheduleChange{Do: drop, About: "회고", Named: true}},
		{"we no longer need the retro reminder", intent.ScheduleChange{Do: drop, About: "retro", Named: true}},
		{"can you cancel the retro reminder?", intent.ScheduleChange{Do: drop, About: "retro", Named: true}},
		{"run all my reminders now", intent.ScheduleChange{Do: run, All: true, Named: true}},
		{"fire the retro reminder", intent.ScheduleChange{Do: run, About: "retro", Named: true}},
		// What may be somebody else's.
		{"trigger the alarm", intent.ScheduleChange{Do: run}},
		{"silence the disk alarm", intent.ScheduleChange{Do: pause, About: "disk"}},
		{"disable the alarm for staging", intent.ScheduleChange{Do: drop, About: "staging"}},
		{"turn off the alarm", intent.ScheduleChange{Do: drop, Named: true}},
		{"turn off Slack reminders", intent.ScheduleChange{Do: drop, About: "Slack"}},
		{"stop reminding them about the fee", intent.ScheduleChange{Do: drop, About: "fee"}},
		{"stop pinging me about CI", intent.ScheduleChange{Do: drop, About: "CI"}},
		{"장애 알람 해제해줘", intent.ScheduleChange{Do: drop, About: "장애"}},
		{"슬랙 알림 꺼줘", intent.ScheduleChange{Do: drop, About: "슬랙"}},
		{"알림 꺼줘", intent.ScheduleChange{Do: drop, Named: true}},
		{"정답은 알려주지 마", intent.ScheduleChange{Do: drop, About: "정답"}},
		{"이 내용은 다른 사람한테 알려주지 마세요", intent.ScheduleChange{Do: drop, About: "내용은 다른 사람한테"}},
		{"힌트는 이제 알려주지 마", intent.ScheduleChange{Do: drop, About: "힌트"}},
		{"이제 그만 알려줘", intent.ScheduleChange{Do: drop, Named: true}},
		{"회고 리마인드 하지 마", intent.ScheduleChange{Do: drop, About: "회고", Named: true}},
		{"list open alarms", intent.ScheduleChange{Do: list}},
		{"알람 내역 보여줘", intent.ScheduleChange{Do: list}},
		{"which alarms do we have here?", intent.ScheduleChange{Do: list, Named: true}},
		// Questions.
		{"회의 알림은 필요 없나요?", intent.ScheduleChange{}},
		{"회의 알림은 필요 없을까", intent.ScheduleChange{}},
		{"회의 알림은 더 이상 필요 없어요?", intent.ScheduleChange{}},
		{"회고 리마인더 필요 없어졌어？ ㅎㅎ", intent.ScheduleChange{}},
		{"회고 리마인더 필요 없어졌나요", intent.ScheduleChange{}},
		{"회고 리마인더 취소됨?", intent.ScheduleChange{}},
		{"we don't need the retro reminder anymore?", intent.ScheduleChange{}},
		{"So no more reminders about rent?", intent.ScheduleChange{}},
		// About something else.
		{"Fire alarm!", intent.ScheduleChange{}},
		{"fire alarm now", intent.ScheduleChange{}},
		{"Fire drill reminder for Tuesday", intent.ScheduleChange{}},
		{"run club reminder", intent.ScheduleChange{}},
		{"What alarms are firing in production?", intent.ScheduleChange{}},
		{"which schedules did the customer get?", intent.ScheduleChange{}},
		{"what reminders are sent to customers?", intent.ScheduleChange{}},
		{"are there any alarms on db-2?", intent.ScheduleChange{}},
		{"show me the alarms for the cluster", intent.ScheduleChange{}},
		{"don't ping everyone", intent.ScheduleChange{}},
		{"don't remind me of that week", intent.ScheduleChange{}},
		{"이건 알려주지 마", intent.ScheduleChange{}},
		{"remind me tomorrow to cancel the reminder", intent.ScheduleChange{}},
		{"delete the file about reminders", intent.ScheduleChange{}},
		{"set an alarm for 6:30 tomorrow", intent.ScheduleChange{}},
		{"show me the schedule for the conference", intent.ScheduleChange{}},
		{"결과를 이제 알려줘", intent.ScheduleChange{}},
		{"stop pinging the server", intent.ScheduleChange{}},
		{"change the reminder interval of approvals", intent.ScheduleChange{}},
		{"알림 설정은 어떻게 해?", intent.ScheduleChange{}},
		{"슬랙 알림 끄는 법 알려줘", intent.ScheduleChange{}},
		{"내일 9시에 알림 보내줘", intent.ScheduleChange{}},
		{"매일 9시에 회고 알림 취소하라고 알려줘", intent.ScheduleChange{}},
		{"회의실 예약 취소할게요", intent.ScheduleChange{}},
		{"예약 삭제할게", intent.ScheduleChange{}},
		{"10으로 바꿔줘", intent.ScheduleChange{}},
		{"오늘로 바꿔줘", intent.ScheduleChange{}},
		{"change it to 10", intent.ScheduleChange{}},
		{"make it 3", intent.ScheduleChange{}},
	} {
		got, ok := intent.ManagesSchedules(c.text)
		if got != c.want || ok != (c.want.Do != "") {
			t.Errorf("%s: %+v, want %+v", c.text, got, c.want)
		}
	}
}
