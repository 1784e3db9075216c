package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

func TestAsksWhoSaid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"what did Kim say about the launch?":            true,
		"What did Kim from sales say about it?":         true,
		"who mentioned the outage yesterday?":           true,
		"Where did we discuss the deploy?":              true,
		"did anyone report the login bug?":              true,
		"search messages about the invoice":             true,
		"What was decided about the venue?":             true,
		"search slack for zeppelin":                     true,
		"can you search our Discord for the invoice":    true,
		"find the outage report in Slack":               true,
		"search for the budget in this channel":         true,
		"슬랙에서 zeppelin 찾아줘":                             true,
		"디스코드에서 환불 얘기 찾아줘":                              true,
		"이 채널에서 예산 검색해 줘":                               true,
		"find zeppelin in slack":                        true,
		"look in slack for zeppelin":                    true,
		"search the #general channel for zeppelin":      true,
		"search #general for zeppelin":                  true,
		"zeppelin을 슬랙에서 찾아줘":                            true,
		"슬랙에서 요금 인상 공지 찾아줘":                             true,
		"슬랙에서 기능 요청 찾아줘":                                true,
		"슬랙에서 알림 설정 얘기 찾아줘":                             true,
		"#general에서 예산 찾아줘":                             true,
		"find the policy on DMs in Slack":               false,
		"find the rule about @here in Slack":            false,
		"find the guide to huddles in Slack":            false,
		"find the price per seat in Slack":              false,
		"find the handbook page about threads in Slack": false,
		"슬랙에서 채널 만드는 절차 찾아줘":                            false,
		"슬랙에서 로그인이 안 될 때 대처 찾아줘":                        false,
		"유튜브 채널에서 조회수 높은 영상 찾아줘":                        false,
		"홈쇼핑 채널에서 산 물건 반품 절차 찾아줘":                       false,
		"슬랙에서 알림 끄는 방법 찾아줘":                             false,
		"채널에서 파일 올리는 법 찾아줘":                             false,
		"how do I search in Slack?":                     false,
		"find the invite link to our Slack":             false,
		"search the handbook for slack etiquette":       false,
		"find out how to mute a channel in Slack":       false,
		"지난주에 배포 얘기 어디서 했지?":                            true,
		"김 팀장이 출시에 대해 뭐라고 했어?":                          true,
		"누가 장애 얘기를 했어?":                                 true,
		"예산 언급 언제 누가 했지?":                               true,
		"출시 관련 메시지 찾아줘":                                 true,
		"what did I say about the launch?":              false,
		"what did you say?":                             false,
		"What does the handbook say about leave?":       false,
		"What did the contract say about notice?":       false,
		"how many days of leave do I have?":             false,
		"내가 뭐라고 했지?":                                    false,
		"무슨 얘기 했지?":                                     false,
		"취업규칙에 휴가는 뭐라고 했어?":                             false,
		"연차는 며칠이야?":                                     false,
		"지금까지 대화 요약해줘":                                  false,
		"the launch was moved, Kim said so":             false,
		"What are the rules for sharing a document?":    false,
	} {
		if got := intent.AsksWhoSaid(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
