package bot_test

import (
	"context"
	"strings"
	"testing"

	"maru/bot"
	"maru/bot/service"
	"maru/config"
)

// TestQuestionsAboutTheBotAskNoAgent answers them from the settings, also between other questions of a thread.
func TestQuestionsAboutTheBotAskNoAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.stop()
	w.change = func(cfg *service.Config) { cfg.Setup = func() config.Config { return config.Config{} } }
	w.start()
	in := w.platform.Thread("C1", "t1")
	for i, c := range []struct{ say, want string }{
		{"where are my messages stored?", "database file"},
		{"where are the minutes stored?", "echo:"},
		{"이 대화 비밀이야?", "이 채널을 읽을 수 있는 사람"},
	} {
		w.say(c.say, in)
		if got := w.replies(in, i+1)[i].Card.Text; !strings.Contains(got, c.want) {
			t.Errorf("%q: %q", c.say, got)
		}
	}
	if n := len(w.agent.asked()); n != 1 {
		t.Errorf("the agent was asked %d times", n)
	}
}

// TestQuestionsToOthersAreNotAboutTheBot leaves what the bot hears because documents answer it to the agent.
func TestQuestionsToOthersAreNotAboutTheBot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.stop()
	w.change = func(cfg *service.Config) {
		cfg.Setup = func() config.Config { return config.Config{} }
		cfg.Covers = func(context.Context, string, []string, []string) (bool, error) { return true, nil }
	}
	w.start()
	if err := w.store.SetSetting(w.ctx, bot.Setting{Place: "fake/T1/C1", Key: "engage", Value: []byte(`"documents"`), By: "U1"}); err != nil {
		t.Fatal(err)
	}
	thread := w.platform.Thread("C1", "root")
	m := w.platform.Message("U1", "where are my messages stored?", thread)
	m.Reach = bot.ReachAmbient
	w.deliver(m)
	if got := w.replies(thread, 1)[0].Card.Text; !strings.Contains(got, "echo:") {
		t.Errorf("answered with %q", got)
	}
}
