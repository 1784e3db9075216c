//go:build !race

package web_test

import (
	"context"
	"strings"
	"testing"

	"maru/bot"
)

// tokenless is a desk whose model uses no tokens.
type tokenless struct{ *staffed }

func (tokenless) Used(_ context.Context, _ bot.User, _, to string) ([]bot.Used, error) {
	return []bot.Used{{Day: to, Team: "web/local", Agent: "chat", Runs: 3}}, nil
}

// TestUsageWithoutTokens shows runs where no tokens were used and nobody chose a measure.
func TestUsageWithoutTokens(t *testing.T) {
	t.Parallel()
	s := &staffed{echo: newEcho()}
	p := startDesk(t, s.echo, tokenless{s}).person(t)
	for path, want := range map[string]string{"/usage": "runs", "/usage?of=tokens": "tokens"} {
		if page := p.get(path).body; !strings.Contains(page, `<option value="`+want+`" selected>`) {
			t.Errorf("%s does not show %s", path, want)
		}
	}
}
