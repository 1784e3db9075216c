package bot

import (
	"strings"
	"sync"
	"time"

	"maru/agent"
)

// draft is what a reply would show right now. Run events write to it without
// ever waiting; the presenter's loop reads it when the platform can take more.
type draft struct {
	mu      sync.Mutex
	text    strings.Builder
	status  string
	sources []Source
	version int
	changed chan struct{} // holds a token while the loop has not seen the newest version
}

func newDraft() *draft { return &draft{changed: make(chan struct{}, 1)} }

// event takes over what a run's event means for the reply.
func (d *draft) event(e agent.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e.Kind {
	case agent.EventToken:
		d.text.WriteString(e.Text)
		d.status = ""
	case agent.EventReset:
		d.text.Reset()
	case agent.EventStatus:
		d.status = e.Text
	case agent.EventSources:
		d.sources = cardSources(e.Sources)
	default:
		return
	}
	d.version++
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// soFar returns the text that has been streamed.
func (d *draft) soFar() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String()
}

// card returns the draft as a card, and its version.
func (d *draft) card(run, language string) (Card, int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := Card{
		Kind: CardProgress, Text: d.text.String(), Status: d.status, Sources: d.sources,
		Language: language, Run: run,
	}
	if c.Text == "" && c.Status == "" {
		c.Status = say(language, "생각하고 있어요…", "Thinking…")
	}
	return c, d.version
}

func (d *draft) statusLine() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.status
}

// backoff returns how long to wait before delivery attempt n (from 1), unless
// the platform said so itself.
func backoff(n int, said time.Duration) time.Duration {
	if said > 0 {
		return said
	}
	return min(time.Second<<min(n-1, 5), 30*time.Second)
}
