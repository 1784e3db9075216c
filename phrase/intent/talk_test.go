package intent_test

import (
	"strings"
	"testing"
	"time"

	"maru/phrase/intent"
	"maru/phrase/past"
)

// talks are requests for what was said in a channel, with the channel: "room" if the words call the present one so.
var talks = map[string]string{
	"이 채널 월요일부터 요약해줘":                                     "room",
	"지난주 이 채널에서 무슨 얘기 했어?":                                "room",
	"어제부터 밀린 얘기 정리해줘":                                     "",
	"여기 오늘 무슨 일 있었어?":                                     "",
	"이 방 어제 대화 요약 부탁해요":                                   "room",
	"#general에서 어제부터 무슨 얘기 나왔어?":                          "general",
	"#일반 지난주 요약해 줘":                                       "일반",
	"#dev-ops 최근 3일 핵심만 정리해 주세요":                          "dev-ops",
	"내가 놓친 대화 좀 정리해줄래?":                                   "",
	"못 본 메시지 요약 좀":                                        "",
	"이 채널에서 이번 주에 어떤 논의가 있었는지 알려줘":                        "room",
	"우리 방에서 주말 동안 오간 얘기 간단히 정리해줘":                         "room",
	"이 채널 오늘 아침부터 지금까지 요약":                                "room",
	"여기서 어제 뭐라고들 했어?":                                     "",
	"이 채널 지난달 내용 요약해줄 수 있어?":                              "room",
	"이 채널 배포에 대해서 지난주에 무슨 얘기 했어?":                         "room",
	"휴가 동안 쌓인 메시지 정리해 주세요":                                "",
	"이 채널 최근 24시간 브리핑해줘":                                  "room",
	"#random 11월 20일부터 요약":                                "random",
	"채널에서 사흘 전부터 나온 얘기 요약해 주세요":                           "room",
	"what happened in #general since yesterday?":          "general",
	"catch me up on this channel":                         "room",
	"summarise this channel since Monday":                 "room",
	"Can you summarize #dev-ops for the last 3 days?":     "dev-ops",
	"what decisions were made in this channel this week?": "room",
	"any news here?": "",
	"11월 25일부터 27일까지 채널 요약":                                             "room",
	"이 채널 하루 요약":                                                        "room",
	"3일간 못 본 얘기 정리해줘":                                                   "",
	"이 채널에서 나온 액션 아이템 정리해줘":                                             "room",
	"which action items came up in #general yesterday?":                 "general",
	"anything new here today?":                                          "",
	"이 채널 결론만 정리해줘":                                                     "room",
	"#일반 일주일 요약":                                                        "일반",
	"any updates here?":                                                 "",
	"여기 업데이트 정리해줘":                                                      "",
	"what topics were discussed here since Monday?":                     "",
	"what did I miss?":                                                  "",
	"what did I miss here since Friday":                                 "",
	"recap of this channel from last week please":                       "room",
	"tl;dr of #general today":                                           "general",
	"give me a quick summary of #random since 9am":                      "random",
	"what's been going on in this channel this week?":                   "room",
	"bring me up to speed on #launch":                                   "launch",
	"what have people been talking about in here today":                 "",
	"sum up the discussion in #general yesterday":                       "general",
	"what was discussed in this channel last month?":                    "room",
	"please catch me up since Wednesday":                                "",
	"summarise what was said about the launch in #general since Monday": "general",
	"show me the highlights of this channel over the weekend":           "room",
	"I was away. What did I miss in #general last week?":                "general",
	"did I miss anything in here yesterday?":                            "",
	"what did we decide in #general on Tuesday?":                        "general",
}

// TestRequestsForTheTalkOfAChannel: the words name a channel, or messages that were missed, and nothing else to be done.
func TestRequestsForTheTalkOfAChannel(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 14, 30, 0, 0, time.UTC)
	of := func(text string) (string, bool) {
		_, rest, _ := past.Read(text, now)
		got, ok := intent.OfTalk(rest, []string{"general", "일반"})
		where := strings.Join(got.Channels, " ")
		if where == "" && got.Room {
			where = "room"
		}
		return where, ok
	}
	for text, want := range talks {
		if got, ok := of(text); !ok || got != want {
			t.Errorf("%q: %q %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"이 채널 소개 문구 요약해줘", "이 채널에 누가 있어?", "여기 주차 규정 요약해줘", "이 파일 요약해줘", "이 스레드 요약해줘", "지난주 매출 보고서 정리해줘", "이 채널 이름 바꿔줘",
		"매주 월요일 9시에 이 채널 요약해줘", "어제 회의록 정리해줘", "여기 와이파이 비밀번호 뭐야?", "채널 규칙이 뭐야?", "이 채널에 공지 올려줘: 내일 휴무", "어제부터 서버가 느려", "월요일부터 휴가야",
		"대화 요약해줘", "여기까지 정리하고 퇴근할게요", "#general에 이 내용 올려줘", "post the recap in #general", "못 본 사람이 있나요?", "지난주에 김 대리가 뭐라고 했어?", "여기 정리 정돈 담당이 누구야?",
		"summarise this", "summarise the handbook", "what happened to the server?", "who is in this channel?", "post a summary of the meeting in #general", "is there a policy about channels here?",
		"summarise this thread", "every Monday summarise this channel", "what's the channel topic?", "how do I join #general?", "I missed the bus", "what is the leave policy here?",
		"catch you later", "move this to #random", "what did Kim say about the launch?", "translate the last message", "summarise https://example.com since Monday", "tell #general that we ship on Friday",
		"remember for this channel: we ship on Friday", "here is the summary of the report",
		"here's a summary", "here is the summary", "update this channel", "여기 업데이트해줘", "Hi all, here's the recap of this channel", "this is the summary of this channel", "please update #general", "여기 업데이트 좀 해줘",
		"여기 요약입니다", "이 채널 어제 대화 정리했어요", "I've summarised this channel", "here are the highlights of this week", "what decisions can I make here on my own budget?", "여기 할 일 추가해줘",
	} {
		if got, ok := of(text); ok {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}

func TestAfterCourtesy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ok cool. how much is the match?":     "how much is the match?",
		"lol nice. whats 73500 / 12":          "whats 73500 / 12",
		"hi! whats this bot for?":             "whats this bot for?",
		"Thanks a lot! And for dental?":       "And for dental?",
		"ㅋㅋㅋ 오늘은 며칠이야":                        "오늘은 며칠이야",
		"넵 감사합니다! 그럼 언제까지 내요?":                "그럼 언제까지 내요?",
		"안녕하세요 마루님, 연차는 며칠이에요?":               "연차는 며칠이에요?",
		"안녕하세요는 영어로 뭐야?":                      "안녕하세요는 영어로 뭐야?",
		"Hello world in Go?":                  "Hello world in Go?",
		"No. 3 is which item?":                "No. 3 is which item?",
		"No. Which item is it?":               "Which item is it?",
		"thanks. .env 파일은 어디 있어?":             ".env 파일은 어디 있어?",
		"hi .env 파일은 어디 있어?":                  ".env 파일은 어디 있어?",
		"ok...what is it?":                    "what is it?",
		"thx, super helpful":                  "thx, super helpful",
		"good afternoon, team":                "good afternoon, team",
		"perfect attendance, how is it paid?": "perfect attendance, how is it paid?",
		"네 번째 조항은 뭐야?":                        "네 번째 조항은 뭐야?",
		"ok":                                  "ok",
		"":                                    "",
	} {
		if got := intent.AfterCourtesy(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
