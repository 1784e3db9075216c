package bot_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

// TestAnAgentThatIsGoneIsNotASetting: a workflow whose file was removed while its
// run waits is told of as that; a place that names no agent is told of its setting.
func TestAnAgentThatIsGoneIsNotASetting(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string]struct{ gone, setting string }{
		"en": {"was removed while it was waiting", "check the setting"},
		"ko": {"에이전트가 삭제되어", "설정을 확인"},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asking)
			w.set("language", lang)
			m := w.say("send a mail", w.platform.Thread("C1", ""))
			card := waitingCard(w, m)
			w.stop()
			w.change = func(c *service.Config) { c.Runner = agent.NewRunner(slog.New(slog.DiscardHandler), 0, time.Now) }
			w.start()
			w.act(click(m, card.Buttons[0], "U1"))
			final := awaitCard(w, m, func(c bot.Card) bool { return c.Final })
			if !strings.Contains(final.Text, want.gone) || strings.Contains(final.Text, want.setting) {
				t.Errorf("after the decision: %q", final.Text)
			}
			next := w.say("send another", w.platform.Thread("C2", ""))
			final = awaitCard(w, next, func(c bot.Card) bool { return c.Final })
			if !strings.Contains(final.Text, want.setting) {
				t.Errorf("a new question: %q", final.Text)
			}
		})
	}
}
