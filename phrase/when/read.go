package when

import (
	"slices"
	"strings"
	"time"

	"maru/phrase/zone"
)

// Reading is what a text says of a time.
type Reading struct {
	Rule  Rule
	Found bool           // the text names a time
	Err   error          // why it is no Rule: ErrPast, ErrTime, ErrTooOften, ErrInterval
	Zone  *time.Location // the time zone that the text names, nil if it names none
	Rest  string         // the text without the words of the time
	Again bool           // the time comes again and again, also where it is no Rule
	Exact bool           // an hour or a span is named, not only a day
	Lead  bool           // the time begins the text
	Tail  bool           // it ends the text
	// Particle reports that the time ends with what says that something happens then: "9시에", "at 9", "in an hour".
	Particle bool
	// Ahead reports that it is counted back from a time that the text names: "10 minutes before my 3pm call".
	Ahead bool
	// Doubt reports that a date beside the time was not understood, or that the zone may be part of a name.
	Doubt bool
	// Before is the text in front of the time.
	Before string
}

// defaultHour is the hour of a day that is named without one.
const defaultHour = 9

// maxText bounds the text in which a time is looked for, in bytes.
const maxText = 4000

// Read finds the time that a text names, as it is to be understood at a moment; now's zone is that of the clock and of
// the days. A Rule that is read is due after now.
func Read(text string, now time.Time) Reading {
	if len(text) > maxText {
		return Reading{Rest: text}
	}
	for _, at := range zone.In(text) {
		local := now
		if at.Zone != nil {
			local = now.In(at.Zone)
		}
		r, p := read(blank(text, at.From, at.To), local)
		at.From, at.To = p.plain.position(at.From), p.plain.position(at.To)
		if !r.Found || !p.binds(at) {
			continue
		}
		r.Doubt = r.Doubt || at.Doubt
		if r.Zone = at.Zone; at.Zone == nil {
			r.Rule, r.Err = Rule{}, ErrZone
		}
		return r
	}
	r, _ := read(text, now)
	return r
}

// read finds the time of a text that names no time zone.
func read(said string, now time.Time) (Reading, *reader) {
	dates := plainDates(said)
	text := dates.text
	p := &reader{list: tokens(text), text: text}
	left := p.exceptionsOf(text)
	over := p.passed(text)
	p.run()
	if q := p.nearer(); q != nil {
		p = q
	}
	if q := laterClock(p); q != nil {
		p = q
	}
	p.plain = dates
	p.f.early(text, now)
	by := p.ahead(text)
	var why error
	if by == 0 {
		why = event(p, text)
	}
	if why != nil {
		r := Reading{Found: true, Err: why, Again: p.f.every, Exact: true, Lead: p.used[0], Tail: p.tail(), Particle: true}
		r.Rest, r.Before = p.rest(said)
		return r, p
	}
	if !p.any() || p.f == (facts{same: true}) {
		return unnamed(said, text), p
	}
	weekdays, also := weekdaysSaid(p)
	p.f.said |= weekdays
	brief := p.f.unit == minutes || p.f.unit == hours || p.f.unit == seconds
	r := Reading{Found: true, Again: p.f.every, Exact: p.f.hasClock && !p.f.loose || p.f.span > 0 || p.f.every && brief}
	odd := p.odd(text)
	if odd == nil {
		odd = p.except(text, left)
	}
	if odd == nil {
		odd = p.limits(text, over)
	}
	r.Rest, r.Before = p.rest(said)
	r.Lead, r.Tail, r.Particle, r.Ahead = p.used[0], p.tail(), p.particle || by > 0, by > 0
	r.Exact, r.Doubt = r.Exact || r.Ahead, also || p.doubt || dates.doubt || p.f.every && weekdays != 0 || dateLeft(p) || dateBehindHour(p) || marked(p, text, choices)
	if r.Rule, r.Err = p.f.rule(now); r.Err == nil && by > 0 {
		r.Rule, r.Err = r.Rule.Shifted(-by, now)
	}
	if odd != nil {
		r.Rule, r.Err = Rule{}, odd
	}
	if r.Err == nil && r.Rule.Next(now, now.Location()).IsZero() {
		r.Rule, r.Err = Rule{}, ErrPast
	}
	return r, p
}

// unnamed returns the reading of a text that names no time: it may still put something off. plain is the text without weekdays beside dates.
func unnamed(text, plain string) Reading {
	m, why := vagueTime.FindStringIndex(text), ErrVague
	if m == nil {
		m, why = feast.FindStringIndex(text), ErrHoliday
	}
	if m == nil && deadline.MatchString(plain) {
		return Reading{Found: true, Err: ErrVague, Rest: strings.TrimSpace(text), Before: strings.TrimSpace(text), Particle: true}
	}
	if m == nil {
		return Reading{Rest: strings.TrimSpace(text)}
	}
	return Reading{
		Found: true, Err: why, Rest: tidy(text[:m[0]] + " " + text[m[1]:]), Before: strings.TrimSpace(text[:m[0]]),
		Lead: strings.TrimSpace(text[:m[0]]) == "", Tail: strings.TrimSpace(text[m[1]:]) == "", Particle: true,
	}
}

// facts are what the words of a time say.
type facts struct {
	every      bool
	unit, n    int // every n units
	days       int // weekdays by bit
	hasClock   bool
	hour       int
	minute     int
	part       int // hour that a part of the day stands for, 0 if none is named
	span       time.Duration
	spanDays   int // days and months are counted by the calendar
	spanMonths int
	hasDay     bool
	day        int // days from today
	weekOff    int // 1: of next week; 2: of this week
	month      time.Month
	dom        int  // -1 for the last
	doms       int  // more days of the month by bit
	workday    bool // the first or last day of the month, dom, from Monday to Friday
	year       int
	order      bool // day and month may be either way round
	nth        int  // which of the weekday in a month, -1 for the last
	nths       int  // more of the weekday in a month by bit, 0 for the last
	also       int  // more hours by bit, with the same minute
	date       time.Time
	nextUnit   int  // "next month": unit + 1
	further    int  // 1: the one after the next
	open       bool // the hour may be of the morning or of the afternoon
	loose      bool // nobody named the hour: "after lunch"
	same       bool // the hour of now
	quarter    bool // the end of this quarter
	said       int  // weekdays by bit that the text says beside the date
	count      int  // how many times a unit, 0 if it is not said
}

// reader reads facts from tokens.
type reader struct {
	list     []token
	text     string
	plain    plain // how the text was written, if that differs
	used     []bool
	f        facts
	particle bool
	doubt    bool // a date may be the task's
	dayAt    int  // the token that begins the first day
	clockAt  int  // the token that begins the hour
}

// run reads all facts of the text. One that contradicts an earlier one stays text.
func (p *reader) run() {
	p.used = make([]bool, len(p.list))
	for i := 0; i < len(p.list); {
		before := p.f
		n := p.fact(i)
		if n == 0 {
			i++
			continue
		}
		n += p.moreDays(before, i+n)
		for n > 0 && p.at(i+n).kind == glue && p.at(i+n).n == glueEnd { // 5시 쯤
			n++
		}
		whole := n
		for i+whole < len(p.list) && p.list[i+whole].word == p.list[i+whole-1].word { // particles, or what makes it another word
			if p.list[i+whole].kind != glue {
				break
			}
			whole++
		}
		if i+whole < len(p.list) && p.list[i+whole].word == p.list[i+whole-1].word {
			read := p.f
			if p.fact(i+whole) == 0 {
				p.f = before
				i += whole
				continue
			}
			p.f = read
		}
		p.mark(p.list[i].from, p.list[i+whole-1].to)
		if !before.dated() && p.f.dated() {
			p.dayAt = i
		}
		if !before.hasClock && p.f.hasClock {
			p.clockAt = i
		}
		led := p.led(i)
		p.particle = p.particle || whole > n || led
		i += whole
	}
}

// led reports whether "at", "on" or "in" is before a fact, and takes it to it.
func (p *reader) led(i int) bool {
	led := p.list[i].kind == after
	for j := i - 1; j >= 0 && p.list[j].kind == glue && p.list[j].n != glueOf && !p.used[j]; j-- {
		p.used[j], led = true, true
	}
	return led
}

func (p *reader) any() bool { return slices.Contains(p.used, true) }

func (p *reader) tail() bool { return p.used[len(p.used)-1] }

// rest returns the text without the tokens that were used, and the part before the first of them.
func (p *reader) rest(text string) (rest, before string) {
	var b strings.Builder
	from, first := 0, -1
	for i, t := range p.list {
		if !p.used[i] {
			continue
		}
		begin, end := p.plain.written(t.from, t.to)
		if first < 0 {
			first = begin
		}
		if begin > from {
			b.WriteString(text[from:begin])
		}
		from = max(from, end)
	}
	b.WriteString(text[from:])
	return tidy(b.String()), strings.TrimSpace(text[:max(first, 0)])
}

// tidy removes the spaces and commas that words leave which are taken out of a text.
func tidy(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Trim(strings.Join(strings.Fields(l), " "), " ,;:")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// at returns the token i, one of kind other after the end.
func (p *reader) at(i int) token {
	if i < 0 || i >= len(p.list) {
		return token{}
	}
	return p.list[i]
}
