package about_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/about"
	"maru/config"
)

// place has the same settings everywhere.
type place config.Resolved

func (p place) Settings(context.Context, bot.Thread, bot.User) (config.Resolved, error) {
	return config.Resolved(p), nil
}

// TestAnswers has questions about the set-up answered from the settings that hold where they are asked.
func TestAnswers(t *testing.T) {
	t.Parallel()
	var (
		bare   = config.Config{Place: config.PlaceDefaults()}
		hosted = config.Config{
			Place: config.Place{Prompts: 7 * 24 * time.Hour},
			Model: config.Model{APIKey: "k", BaseURL: "https://models.example/v1", Name: "big", Choices: []string{"small"}, Embedding: config.Embedding{Model: "e"}},
			Store: config.Store{DatabaseURL: "postgres://db.example/maru"},
		}
		inside = config.Config{Model: config.Model{BaseURL: "http://10.0.0.7:11434/v1", Name: "qwen3"}}
		vector = config.Config{Model: config.Model{Embedding: config.Embedding{Model: "e", BaseURL: "https://vectors.example/v1"}}}
	)
	for name, c := range map[string]struct {
		text     string
		cfg      config.Config
		set      config.Resolved
		thread   bot.Thread
		user     bot.User
		searches bool
		lang     string
		says     []string
		not      string
	}{
		"stored, embedded":          {text: "where are my messages stored?", cfg: bare, says: []string{"database file", "no language model", "no time limit", "/maru forget"}, not: "keeps its own copy"},
		"stored, hosted":            {text: "where are my messages stored?", cfg: hosted, thread: bot.Thread{Platform: "slack"}, says: []string{"PostgreSQL", "Slack keeps", "models.example."}, not: "database file"},
		"an outsider gets no names": {text: "where are my messages stored?", cfg: hosted, user: bot.User{External: true}, says: []string{"a language model service"}, not: "models.example"},
		"an outsider gets no model": {text: "which model are you using?", cfg: hosted, user: bot.User{Guest: true}, says: []string{"a language model."}, not: "big"},
		"an inner model":            {text: "do you train on my data?", cfg: inside, says: []string{"No. I train no model", "operator's own network"}, not: "10.0.0.7"},
		"vectors alone go out":      {text: "do you train on my data?", cfg: vector, says: []string{"vectors.example", "contract"}, not: "Nothing of it"},
		"memory is on":              {text: "do you train on my data?", cfg: bare, set: config.Resolved{Memory: true}, says: []string{"/maru memory", "Nothing of it goes"}, not: "contract"},
		"a time limit":              {text: "대화 기록은 언제까지 보관되나요", cfg: hosted, set: config.Resolved{Retention: 30 * 24 * time.Hour}, lang: "ko", says: []string{"30일 뒤에 지워져요", "7일 동안"}},
		"recorded":                  {text: "내 말 녹음되나요?", cfg: bare, lang: "ko", says: []string{"데이터베이스 파일", "함께하는 대화만", "AI 서비스로 보내는 것은 없어요"}},
		"what may be told":          {text: "is it safe to tell you things?", cfg: hosted, thread: bot.Thread{Platform: "slack"}, says: []string{"Everybody who can read this channel", "people who run me", "models.example", "contract"}},
		"two questions":             {text: "where are my messages stored, and who can read them?", cfg: bare, thread: bot.Thread{Platform: "slack"}, says: []string{"database file", "Everybody who can read this channel"}},
		"told to the boss":          {text: "do you tell my boss what I ask?", cfg: bare, thread: bot.Thread{Platform: "slack", Direct: true}, says: []string{"only the two of us", "Slack keeps"}},
		"readers of a channel":      {text: "who can read what I write here", cfg: bare, thread: bot.Thread{Platform: "discord"}, says: []string{"Everybody who can read this channel", "people who run me", "Discord keeps"}},
		"readers of a direct talk":  {text: "is this chat private", cfg: bare, thread: bot.Thread{Platform: "slack", Direct: true}, says: []string{"only the two of us"}, not: "this channel"},
		"readers of the console":    {text: "is this chat private", cfg: bare, thread: bot.Thread{Platform: "web", Direct: true}, says: []string{"same account or password"}},
		"reach":                     {text: "비공개 채널도 읽을 수 있니?", cfg: bare, thread: bot.Thread{Platform: "slack"}, lang: "ko", says: []string{"저를 넣은 채널"}, not: "물어본 분의 권한"},
		"reach with a search":       {text: "can you read my DMs?", cfg: bare, thread: bot.Thread{Platform: "slack"}, searches: true, says: []string{"your own rights"}},
		"search is off here":        {text: "can you read my DMs?", cfg: bare, set: config.Resolved{Means: config.Means{ToolsOff: []string{"search_messages"}}}, thread: bot.Thread{Platform: "slack"}, searches: true, says: []string{"On Slack"}, not: "your own rights"},
		"the built-in model":        {text: "which model are you using?", cfg: bare, says: []string{"without a language model"}},
		"the place's model":         {text: "which model are you using?", cfg: hosted, set: config.Resolved{Means: config.Means{Model: "small"}}, says: []string{"`small`", "models.example"}, not: "big"},
		"the program's model":       {text: "너 무슨 모델 써?", cfg: hosted, lang: "ko", says: []string{"`big`"}},
		"no cost":                   {text: "is this bot free?", cfg: bare, says: []string{"no paid language model"}},
		"cost of calls":             {text: "너 쓰는 데 돈 들어?", cfg: hosted, lang: "ko", says: []string{"models.example", "/maru usage"}},
		"off in a channel":          {text: "how do I mute you?", cfg: bare, thread: bot.Thread{Platform: "slack"}, says: []string{"settings set channel engage"}},
		"no internet":               {text: "can you search the web?", cfg: hosted, says: []string{"no web search is connected"}},
		"a named zone":              {text: "set my time zone to Asia/Seoul", cfg: bare, says: []string{"time_zone Asia/Seoul`"}},
		"an unknown zone":           {text: "set my time zone to Atlantis", cfg: bare, says: []string{"time_zone NAME`"}},
		"internet":                  {text: "can you search the web?", cfg: hosted, searches: true, says: []string{"search the web for"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lang := c.lang
			if lang == "" {
				lang = "en"
			}
			s := about.Self{
				Rules: place(c.set), Settings: func() config.Config { return c.cfg },
				Searches: func(bot.Thread) bool { return c.searches }, Offers: func(string) bool { return c.searches },
			}
			m := bot.Message{Text: c.text, Thread: c.thread, User: c.user}
			if !s.Answers(m) {
				t.Fatalf("%q is not answered", c.text)
			}
			got, err := s.Answer(t.Context(), m, lang)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.says {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %q", want, got)
				}
			}
			if c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("%q in %q", c.not, got)
			}
		})
	}
}

// TestInnerHostsAreNotNamed: people of the workspace learn the names of services, not of machines inside the network.
func TestInnerHostsAreNotNamed(t *testing.T) {
	t.Parallel()
	for host, named := range map[string]bool{
		"models.example": true, "local.models.example": true, "8.8.8.8": true, "100.128.0.1": true,
		"localhost": false, "ollama": false, "127.0.0.1": false, "[::1]": false, "0.0.0.0": false, "192.168.0.9": false, "[fd7a:115c:a1e0::1]": false,
		"100.64.0.1": false, "100.127.255.254": false, "[::ffff:10.0.0.7]": false,
		"vllm.ai.svc.cluster.local": false, "vllm.ai.svc.cluster.local.": false, "llm.corp.internal": false, "GPU.Lan": false, "box.home.arpa": false, "llm.corp": false,
	} {
		cfg := config.Config{Model: config.Model{APIKey: "k", BaseURL: "http://" + host + ":8000/v1", Name: "big"}}
		s := about.Self{Rules: place{}, Settings: func() config.Config { return cfg }}
		got, err := s.Answer(t.Context(), bot.Message{Text: "which model are you using?"}, "en")
		if err != nil || strings.Contains(got, "own network") == named || strings.Contains(strings.ToLower(got), strings.ToLower(strings.Trim(host, "[]."))) != named {
			t.Errorf("%s: %q, %v", host, got, err)
		}
	}
}

// TestOfOthersNothingIsAnswered: "you" in talk between people is one of them.
func TestOfOthersNothingIsAnswered(t *testing.T) {
	t.Parallel()
	s := about.Self{Settings: func() config.Config { return config.Config{} }}
	for _, reach := range []bot.Reach{bot.ReachMention, bot.ReachDirect, bot.ReachFollow, bot.ReachAmbient} {
		if got := s.Answers(bot.Message{Text: "which model are you using?", Reach: reach}); got != (reach != bot.ReachAmbient) {
			t.Errorf("%s: %v", reach, got)
		}
	}
}

// TestNoToolIsOffered has a Self without functions answer from its settings.
func TestNoToolIsOffered(t *testing.T) {
	t.Parallel()
	s := about.Self{Rules: place{}, Settings: func() config.Config {
		return config.Config{Model: config.Model{APIKey: "k", BaseURL: "https://models.example/v1", Name: "big"}}
	}}
	if got, err := s.Answer(t.Context(), bot.Message{Text: "can you search the web?"}, "en"); err != nil || !strings.Contains(got, "no web search") {
		t.Errorf("%q, %v", got, err)
	}
}

// TestOfQuotesNothingIsAnswered: "this chat" is then the quoted one.
func TestOfQuotesNothingIsAnswered(t *testing.T) {
	t.Parallel()
	s := about.Self{Settings: func() config.Config { return config.Config{} }}
	if s.Answers(bot.Message{Text: "is this chat private", Quoted: []bot.Quote{{Text: "our chat with the supplier"}}}) || s.Answers(bot.Message{Text: "is parking free?"}) {
		t.Error("answered")
	}
	if s.Settings = nil; s.Answers(bot.Message{Text: "is this chat private"}) {
		t.Error("answered without settings")
	}
}
