package reply

import (
	"context"

	"maru/adapters/slack/workspace"
	"maru/bot"
)

// ByTrigger resolves the asides for a trigger; false if the trigger was evicted.
type ByTrigger func(trigger string) (*Asides, bool)

// Privately answers interactions in every served workspace: it implements bot.Whisperer and
// bot.Forms.
type Privately struct {
	in        workspace.In[*Asides]
	byTrigger ByTrigger
}

var (
	_ bot.Whisperer = Privately{}
	_ bot.Forms     = Privately{}
)

// NewPrivately returns a Privately over the asides that in and byTrigger resolve.
func NewPrivately(in workspace.In[*Asides], byTrigger ByTrigger) Privately {
	return Privately{in: in, byTrigger: byTrigger}
}

// Whisper implements bot.Whisperer.
func (p Privately) Whisper(ctx context.Context, to bot.Target, u bot.User, c bot.Card) error {
	d, err := p.in(ctx, "whisper", to.Thread.Team)
	if err != nil {
		return err
	}
	return d.Whisper(ctx, to, u, c)
}

// OpenForm implements bot.Forms in the trigger's workspace.
func (p Privately) OpenForm(ctx context.Context, trigger string, f bot.Form) error {
	d, ok := p.byTrigger(trigger)
	if !ok {
		return &bot.DeliveryError{Op: "open form", Code: "expired_trigger_id", Err: bot.ErrGone}
	}
	return d.OpenForm(ctx, trigger, f)
}
