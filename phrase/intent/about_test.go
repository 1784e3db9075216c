package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

func TestAsksAbout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]intent.About{
		"where are my messages stored?":              intent.AboutStorage,
		"What do you do with our chats?":             intent.AboutStorage,
		"내가 쓴 메시지 어디에 저장돼?":                          intent.AboutStorage,
		"너 무슨 정보 수집해?":                               intent.AboutStorage,
		"so who can read what I write here":          intent.AboutReaders,
		"can my boss read my messages with you?":     intent.AboutReaders,
		"is this chat private":                       intent.AboutReaders,
		"내가 한 말 팀장님이 볼 수 있어?":                        intent.AboutReaders,
		"이 대화 비밀이야?":                                 intent.AboutReaders,
		"can you see private channels?":              intent.AboutReach,
		"can u see my DMs":                           intent.AboutReach,
		"비공개 채널도 읽을 수 있니?":                           intent.AboutReach,
		"which model are you running on?":            intent.AboutModel,
		"are you chatgpt?":                           intent.AboutModel,
		"지금 무슨 모델 쓰고 있어요?":                           intent.AboutModel,
		"너 챗GPT야?":                                   intent.AboutModel,
		"do you train on my data?":                   intent.AboutTraining,
		"우리 데이터로 학습하는 거 아니지?":                        intent.AboutTraining,
		"what does it cost to use you?":              intent.AboutCost,
		"is this bot free":                           intent.AboutCost,
		"너 쓰는 데 돈 들어?":                               intent.AboutCost,
		"how long do you keep our conversations":     intent.AboutRetention,
		"대화 기록은 언제까지 보관되나요":                          intent.AboutRetention,
		"how do I make you stop":                     intent.AboutOff,
		"너 끄려면 어떻게 해":                                intent.AboutOff,
		"can you search the web?":                    intent.AboutInternet,
		"인터넷 검색도 돼?":                                 intent.AboutInternet,
		"where are the messages of the queue stored": "", // a system's
		"how long do you keep customer data?":        "", // the company's
		"who can read the minutes?":                  "",
		"can you read the file I sent you":           "",
		"what model of laptop do we get?":            "",
		"how much does it cost?":                     "", // what was spoken of before
		"is parking free":                            "",
		"how do I stop the server":                   "",
		"비공개 채널은 누가 만들 수 있어?":                        "",
		"고객 데이터는 어디에 저장돼?":                           "",
		"무슨 모델을 사야 해?":                               "",
		"이거 쓰는 데 돈 들어?":                              "",
		"내 메시지 지워줘":                                  "",
		"우리 회의록은 어디에 저장돼?":                           "",
		"Is our data encrypted?":                     "",
		"how long are our documents kept":            "",
		"where is our data stored?":                  "",
		"우리 데이터 어디에 저장돼?":                            "",
		"우리 대화는 어디에 저장돼?":                            intent.AboutStorage,
		"do you keep our files?":                     intent.AboutStorage,
		"인터넷이 안 돼요":                                  "",
		"서버를 끄려면 어떻게 해?":                             "",
	} {
		if got, ok := intent.AsksAbout(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
