package bottest

import (
	"context"
	"strings"

	"maru/bot"
)

var _ bot.Linker = (*Platform)(nil)

// SetLinked sets what an address of the platform leads to, for everybody. They begin with
// https://chat.test/.
func (p *Platform) SetLinked(address string, q bot.Quote) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.linked == nil {
		p.linked = map[string]bot.Quote{}
	}
	p.linked[address] = q
}

// Links implements bot.Linker.
func (p *Platform) Links(text string) []string {
	var out []string
	for _, w := range strings.Fields(text) {
		if strings.HasPrefix(w, "https://chat.test/") {
			out = append(out, w)
		}
	}
	return out
}

// Linked implements bot.Linker.
func (p *Platform) Linked(_ context.Context, _ bot.Message, link string) (bot.Quote, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.fault("linked"); ok {
		return bot.Quote{}, f.Err
	}
	q, ok := p.linked[link]
	if !ok {
		return bot.Quote{}, &bot.DeliveryError{Op: "open link", Err: bot.ErrForbidden}
	}
	return q, nil
}
