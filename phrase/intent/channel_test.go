package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

// TestOfChannel: what is for everybody in a channel is told from what is about a person, and from questions.
func TestOfChannel(t *testing.T) {
	for _, c := range []struct {
		text string
		wish intent.ChannelWish
		body string
	}{
		{"remember for this channel: the stand-up is at 10", intent.KeepNote, "the stand-up is at 10"},
		{"Please remember for this channel that the stand-up is at 10", intent.KeepNote, "the stand-up is at 10"},
		{"remember here: the stand-up is at 10", intent.KeepNote, "the stand-up is at 10"},
		{"note for everyone here: deploys stop on Friday", intent.KeepNote, "deploys stop on Friday"},
		{"remember that the stand-up is at 10 for this channel", intent.KeepNote, "the stand-up is at 10"},
		{"remember for this channel:", intent.KeepNote, ""},
		{"이 채널에 기억해줘: 스탠드업은 10시", intent.KeepNote, "스탠드업은 10시"},
		{"이 채널에 기억해 줘, 스탠드업은 10시예요", intent.KeepNote, "스탠드업은 10시예요"},
		{"여기에 기억해줘: 배포는 화요일", intent.KeepNote, "배포는 화요일"},
		{"이 채널에 스탠드업은 10시라고 기억해줘", intent.KeepNote, "스탠드업은 10시야"},
		{"배포는 화요일에 한다고 이 채널에 기억해 주세요", intent.KeepNote, "배포는 화요일에 한다"},
		{"이 채널에 기억해줘:", intent.KeepNote, ""},
		{"forget what you remember about the stand-up here", intent.ForgetNotes, "the stand-up"},
		{"forget what you remember about the stand-up in this channel", intent.ForgetNotes, "the stand-up"},
		{"이 채널에서 스탠드업에 대해 기억하는 거 잊어줘", intent.ForgetNotes, "스탠드업"},
		{"여기서 스탠드업에 대해 기억하는 것 지워 주세요", intent.ForgetNotes, "스탠드업"},
		{"what do you remember here?", intent.ListNotes, ""},
		{"What do you remember for this channel?", intent.ListNotes, ""},
		{"이 채널에서 뭘 기억하고 있어?", intent.ListNotes, ""},
		{"이 채널에서 기억하는 거 보여줘", intent.ListNotes, ""},
		{"여기 메모해둔 거 보여줘", intent.ListNotes, ""},
		{"show me the notes of this channel", intent.ListNotes, ""},

		{"여기 기억해 줄래? 회식은 금요일", intent.KeepNote, "회식은 금요일"},
		{"이 채널에선 스탠드업이 10시라는 거 기억해 둬", intent.KeepNote, "스탠드업이 10시"},
		{"우리 채널 메모: 배포는 수요일", intent.KeepNote, "배포는 수요일"},
		{"for this channel, please remember we deploy on Wednesdays", intent.KeepNote, "we deploy on Wednesdays"},
		{"can you note down for the channel that lunch is at 12?", intent.KeepNote, "lunch is at 12"},
		{"save this to the channel: the door code is on the fridge", intent.KeepNote, "the door code is on the fridge"},
		{"forget the channel note about the stand-up", intent.ForgetNotes, "the stand-up"},
		{"이 채널이 기억하는 거 보여줘", intent.ListNotes, ""},

		{"can you remember what the channel is for?", "", ""},
		{"save here: report.pdf", "", ""},
		{"do you remember this channel's rules?", "", ""},
		{"이 채널 메모 어디 있어?", "", ""},
		{"remember that my team is data", "", ""},
		{"내 부서는 인사팀이라고 기억해 줘", "", ""},
		{"do you remember what we said in this channel?", "", ""},
		{"forget what you remember about me", "", ""},
		{"what do you remember about me?", "", ""},
		{"나에 대해 뭘 기억해?", "", ""},
		{"이 채널에 기억할 만한 게 있어?", "", ""},
		{"remind us on Friday here", "", ""},
		{"회의는 3시라고 기억해줘", "", ""},
		{"is there a note here about the stand-up?", "", ""},
	} {
		wish, body, ok := intent.OfChannel(c.text)
		if wish != c.wish || body != c.body || ok != (c.wish != "") {
			t.Errorf("%q: %q %q %v, want %q %q", c.text, wish, body, ok, c.wish, c.body)
		}
	}
}

// TestTopic parts statements in both languages.
func TestTopic(t *testing.T) {
	for text, want := range map[string][2]string{
		"The stand-up is at 10":  {"The stand-up", "at 10"},
		"On-call: Kim":           {"On-call", "Kim"},
		"스탠드업은 10시":              {"스탠드업", "10시"},
		"이번 주 당직은 김민수예요":         {"이번 주 당직", "김민수예요"},
		"deploy on Tuesday only": {"", "deploy on Tuesday only"},
	} {
		if about, says := intent.Topic(text); about != want[0] || says != want[1] {
			t.Errorf("%q: %q, %q", text, about, says)
		}
	}
}

// TestChannelNoteByName keeps what is to go into the channel's memory by its name, and leaves posts, invitations and questions alone.
func TestChannelNoteByName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"채널 기억으로 남겨줘: 점심 회식은 금요일이야": "점심 회식은 금요일이야", "이거 채널에 메모해줘 - 주차권은 1층 안내데스크": "주차권은 1층 안내데스크", "팀 메모로 남겨줘: 회의실 비번은 안내데스크에": "회의실 비번은 안내데스크에",
		"채널에 저장: 계정 신청은 폼으로": "계정 신청은 폼으로", "이 방에서 기억할 것: 문의는 #it-help": "문의는 #it-help",
		"add to channel memory: VPN host is vpn2": "VPN host is vpn2", "make a channel note: interviews happen in room Halla": "interviews happen in room Halla",
		"keep this in mind for this channel: no deploys on Friday": "no deploys on Friday", "pin this for the channel: on-call starts Mondays": "on-call starts Mondays",
		"채널에 올려줘: 내일 휴무": "", "채널에 추가해줘: @지훈": "", "채널에 공지해줘: 내일 휴무": "", "채널 기억이 뭐야?": "", "팀에 알려줘: 서버 점검": "",
		"이 내용 팀 노트에 추가해줘. 고마워!": "", "팀 기록에 저장해줘. 그리고 요약도 해줘": "", "팀 노트에 적어. 어디까지 했더라": "", "add to the team notes that the wifi is on the wall": "the wifi is on the wall",
		"please save it for the team that needs it most": "", "store it for the channel that we use for support": "", "put it in the team notes that Kim keeps": "", "save it to the team notes: the wifi is on the wall": "the wifi is on the wall",
		"put in the channel: standup moved": "", "add to the channel: @kim": "", "write to the team: hello": "", "channel memory is confusing": "", "how do I add a note to the channel?": "",
	} {
		wish, got, ok := intent.OfChannel(text)
		if got != want || ok != (want != "") || ok && wish != intent.KeepNote {
			t.Errorf("%s: %q %v %v, want %q", text, got, wish, ok, want)
		}
	}
}
