package gateway

import (
	"context"
	"encoding/json"
	"strings"
)

// dispatch handles an event. It reports whether the session is established now.
func (c *Client) dispatch(ctx context.Context, l *link, f frame) (stands bool) {
	var now []frame
	gap := false
	switch f.Type {
	case "READY":
		c.begin(f)
		stands, now = true, []frame{f}
	case "RESUMED":
		stands = true
		if now, gap = c.order.add(f); gap {
			now = append(now, c.order.resumed()...)
			gap = len(c.order.held) > 0
		}
	default:
		now, gap = c.order.add(f)
	}
	l.seq.Store(c.order.last)
	if stands {
		l.markReady()
		c.cfg.Up()
	}
	l.expect(gap)
	for _, f := range now {
		c.cfg.Handle(ctx, Dispatch{Type: f.Type, Data: f.Data})
	}
	if c.order.missed {
		c.order.missed = false
		c.cfg.Log.WarnContext(ctx, "discord gateway lost events", "shard", c.cfg.Shard)
		c.cfg.Missed()
	}
	return stands
}

// begin handles a READY. One without a session ID is accepted, but cannot be resumed.
func (c *Client) begin(f frame) {
	var r ready
	if json.Unmarshal(f.Data, &r) != nil {
		r = ready{}
	}
	c.session, c.resumeURL = r.Session, strings.TrimRight(r.ResumeURL, "/")
	c.order.begin(f.Seq)
}
