package queue

import (
	"time"

	"maru/agent/llm"
)

// outcome is how a call ended.
type outcome struct {
	first time.Duration // until the first piece of text, 0 if none came
	took  time.Duration
	err   error
}

// givenUp reports whether the call was left to its server without an answer.
func (o outcome) givenUp() bool { return o.first == 0 && llm.ClassOf(o.err) == llm.Timeout }

// began returns how long the reply took to begin, as far as that is known.
func (o outcome) began() time.Duration {
	if o.first > 0 {
		return o.first
	}
	return o.took
}

// speed is what was learned of an endpoint: how long it takes for a prompt, and how many calls it
// answers side by side without each taking longer. Where replies begin soon the limit moves as a
// window of TCP does (RFC 5681): up by one a reply until the first sign of congestion, then by
// one a round, and down by half. Where they do not, because the model thinks or the machine is
// slow, half as many more are tried, unless that could be too many for the time limits.
type speed struct {
	limit     int
	fixed     bool // the limit was set
	slowStart bool
	part      int           // replies towards the next step up
	epoch     int           // how often the limit went down or was tried: calls sent before say nothing of it
	caution   int           // replies before more is tried where that failed before
	perLetter time.Duration // until a reply begins, of calls that were alone or no slower; 0: unknown
	whole     time.Duration // a whole call, alike
}

const (
	shortest    = 500 // letters of a prompt; a shorter one takes no less time
	mostCaution = 256
)

// expected returns how long a prompt of that length takes until its reply begins, 0 if nobody knows.
func (s *speed) expected(letters int) time.Duration {
	return s.perLetter * time.Duration(max(letters, shortest))
}

// patience returns how long the reply may take to begin: what is set, or several times what is usual.
func (c Config) patience(usual time.Duration) time.Duration {
	return min(max(c.First, 4*usual), max(c.First, c.Longest))
}

// learn takes over what a call showed; wanted says that others wait for a place.
func (s *speed) learn(c Config, p *place, o outcome, wanted bool) {
	if o.err != nil && !o.givenUp() {
		if c := llm.ClassOf(o.err); c == llm.RateLimited || c == llm.Overloaded {
			s.down(p)
		}
		return
	}
	began, usual := o.began(), s.expected(p.letters)
	s.measure(p, o)
	switch {
	case o.givenUp() || p.beside > 0 && usual > 0 && began > max(c.First/4, 2*usual):
		s.down(p)
	case s.fixed || !wanted || s.limit >= most:
	case began < c.First/10:
		if s.part++; s.slowStart || s.part >= s.limit {
			s.limit++
			s.part = 0
		}
	case p.beside+1 >= s.limit && p.epoch == s.epoch && began < usual*5/4 && s.whole+usual < c.patience(usual)*3/4:
		if s.part++; s.part >= max(s.caution, s.limit) {
			s.limit += max(1, s.limit/2)
			s.part = 0
			s.epoch++
		}
	}
}

// measure keeps how long calls take.
func (s *speed) measure(p *place, o outcome) {
	one := o.began() / time.Duration(max(p.letters, shortest))
	switch {
	case o.givenUp():
		s.perLetter = max(s.perLetter, one)
		return
	case s.perLetter == 0 || p.beside > 0 && one < s.perLetter:
		s.perLetter = one
	case p.beside == 0:
		s.perLetter += (one - s.perLetter) / 4
	}
	switch {
	case s.whole == 0 || p.beside > 0 && o.took < s.whole:
		s.whole = o.took
	case p.beside == 0:
		s.whole += (o.took - s.whole) / 4
	}
}

// down halves the limit, once for all the calls that were sent before.
func (s *speed) down(p *place) {
	if s.fixed || p.epoch != s.epoch {
		return
	}
	s.limit = max(1, s.limit/2)
	s.slowStart = false
	s.part = 0
	s.epoch++
	s.caution = min(max(8, 2*s.caution), mostCaution)
}
