package discordfake

import "math/rand/v2"

// Disturbance sets the shares, from 0 to 1, of events to disturb. Dropped events stay in the session's log, so a
// resume replays them.
type Disturbance struct {
	Drop, Duplicate, Reorder float64
	Seed                     uint64
}

// disturbance is an active Disturbance.
type disturbance struct {
	Disturbance
	random *rand.Rand
	kept   *frame // sent after the next one
}

// Disturb starts to disturb events; a zero Disturbance stops it.
func (f *Fake) Disturb(d Disturbance) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gate.trouble = nil
	if d != (Disturbance{}) {
		f.gate.trouble = &disturbance{Disturbance: d, random: rand.New(rand.NewPCG(d.Seed, 1))} //nolint:gosec // G404: reproducible
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
