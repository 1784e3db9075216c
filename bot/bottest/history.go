package bottest

import (
	"context"
	"errors"

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
	past := p.history[max(0, len(p.history)-limit):]
	if f, ok := p.fault("history"); ok {
		if errors.Is(f.Err, bot.ErrLimited) {
			return past, f.Err
		}
		return nil, f.Err
	}
	return past, nil
}
