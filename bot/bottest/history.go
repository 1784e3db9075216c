package bottest

import (
	"context"

	"maru/bot"
)

// SetHistory sets what was said before the bot came.
func (p *Platform) SetHistory(past ...bot.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.history = past
}

// History implements bot.Historian.
func (p *Platform) History(_ context.Context, _ bot.Thread, _ string, limit int) ([]bot.Message, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.fault("history"); ok {
		return nil, f.Err
	}
	return p.history[max(0, len(p.history)-limit):], nil
}
