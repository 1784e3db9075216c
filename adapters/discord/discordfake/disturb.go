package discordfake

import "math/rand/v2"

// Disturbance says what share of the events, of 1, goes wrong on its way. What
// is dropped stands in the session's log all the same: a resume replays it.
type Disturbance struct {
	Drop, Duplicate, Reorder float64
	Seed                     uint64
}

// disturbance is one at work.
type disturbance struct {
	Disturbance
	random *rand.Rand
	kept   *frame // comes after the next one
}

// Disturb begins to send events badly; a zero Disturbance ends it.
func (f *Fake) Disturb(d Disturbance) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gate.trouble = nil
	if d != (Disturbance{}) {
		f.gate.trouble = &disturbance{Disturbance: d, random: rand.New(rand.NewPCG(d.Seed, 1))} //nolint:gosec // G404: a test wants to repeat it
	}
}

func (d *disturbance) send(c *conn, fr frame) {
	p := d.random.Float64()
	switch {
	case p < d.Drop:
		return
	case p < d.Drop+d.Reorder && d.kept == nil:
		d.kept = &fr
		return
	case p < d.Drop+d.Reorder+d.Duplicate:
		c.send(fr)
	}
	c.send(fr)
	if d.kept != nil {
		c.send(*d.kept)
		d.kept = nil
	}
}
