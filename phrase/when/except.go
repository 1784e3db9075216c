package when

import (
	"math/bits"
	"strings"

	"maru/phrase/pattern"
)

// exceptions find the days that a text leaves out. The first group holds the days, the second how Korean goes on.
var exceptions = pattern.New(`(?i)\b(?:except|excluding|excepting|but\s+not|but|not|skipping|skip|other\s+than|apart\s+from)\s+(?:for\s+)?(?:on\s+)?(?:the\s+)?` +
	`(` + enDay + `(?:(?:\s*,\s*|\s+)(?:and\s+|or\s+)?(?:on\s+)?` + enDay + `)*)\b|` +
	`(?:(?:^|\s)(?:단|다만|근데|대신),?\s*)?((?:` + koDay + `(?:\s*[,·/]\s*|\s?(?:과|와|이랑|랑|하고|이나|나|및)\s?)?)+)(?:에|은|는|만|을|를|이|가)?\s?` +
	`(빼고는|빼고|빼면|빼|제외하고는|제외하고|제외하여|제외하되|제외해서|제외하면|제외한|제외|말고는|말고|아닌|뺀|외에는|외에)(?:\s?(?:해\s?줘|해\s?주세요|요|날))?`)

const (
	enDay = `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|(?:public\s+|bank\s+|national\s+)?holidays?|` +
		`(?:first|second|third|fourth|last)\s+(?:(?:mon|tues|wednes|thurs|fri|satur|sun)?day|week)(?:\s+of\s+(?:the|each|every)\s+month)?)`
	koDay = `(?:[월화수목금토일]요일|[월화수목금토일](?:[,·/][월화수목금토일])+|토일|주말|(?:법정\s?)?공휴일|휴일|명절|연휴|첫째\s?주|마지막\s?주)`
)

// Texts that may be between an exception and its time, and around one that is a clause of its own at the end.
var (
	between     = pattern.New(`(?i)^[\s,;:()\[\]–—-]*(?:(?:단|다만|근데|그런데|대신|and|but|only|on(?:\s+the)?|the)[\s,]*)?$`)
	clause      = pattern.New(`[,;.(!–—-]\s*(?:(?:단|다만|근데|대신|and|but)[\s,]*)?$`)
	finish      = pattern.New(`^[\s.!~)]*$`)
	holidays    = pattern.New(`(?i)holiday|휴일|명절|연휴`)
	unknownDays = pattern.New(`holiday|first|second|third|fourth|last|휴일|명절|연휴|째\s?주|마지막`)
	butDay      = pattern.New(`(?i)\b(?:days?|weekdays?|mornings?|afternoons?|evenings?|nights?)\s+$`)
	kept        = pattern.New(`^(?:하|시키|놓|놔|먹|놓으)?(?:지|면)(?:는|도|를|만|들)?\s?(?:말|마|않|못|안)|^\s?(?:안|않)\s?(?:하|해|한|되|돼|된|됩|시)`) // "빼지 말고", "제외하면 안 돼"
	unskipped   = pattern.New(`(?i)(?:\b(?:not|never|without|no|cannot)|n['’]t)\s+(?:ever\s+)?$`)                           // "don't skip"
	also        = pattern.New(`^도(?:[\s,.]|$)`)                                                                             // "월요일 외에도"
	longer      = pattern.New(`^[^\P{Hangul}줘주놓놔고면요]`)                                                                      // "금요일 빼빼로 행사"
	others      = pattern.New(`^['’](?:s\b|\s+\pL)`)                                                                        // "Friday's report"
	adverbial   = pattern.New(`(?i)^(?:except|but\s+not|not)\s+(?:for\s+)?on\s`)
)

// exception is a range of a text that leaves days out.
type exception struct {
	from, to int
	days     int // weekdays by bit, 0 for holidays and others that no rule knows
	holiday  bool
	noun     bool // it describes the noun after it: "주말을 제외한 매출"
	bare     bool // it may describe a noun: "주말 제외 매출"
	instead  bool // it corrects another day: "금요일 말고 목요일"
}

// exceptionsOf finds what may be exceptions, and keeps their words from being read as times.
func (p *reader) exceptionsOf(text string) []exception {
	var out []exception
	for _, m := range exceptions.FindAllStringSubmatchIndex(text, -1) {
		x := exception{from: m[0], to: m[1]}
		if how := strings.ToLower(text[m[0]:m[1]]); strings.HasPrefix(how, "but ") && !strings.HasPrefix(how, "but not ") && !butDay.MatchString(text[:m[0]]) {
			continue // "not on Friday but on Thursday"
		}
		if m[6] >= 0 && also.MatchString(text[m[1]:]) {
			continue // these days too
		}
		if m[2] >= 0 && (unskipped.MatchString(text[:m[0]]) || others.MatchString(text[m[1]:])) ||
			m[6] >= 0 && (kept.MatchString(text[m[7]:]) || text[m[6]:m[7]] == "빼" && longer.MatchString(text[m[7]:])) {
			p.forget(x.from, x.to)
			continue
		}
		named := ""
		if m[2] >= 0 {
			named = text[m[2]:m[3]]
			x.instead = strings.HasPrefix(strings.ToLower(text[m[0]:m[1]]), "not ")
		} else {
			named = text[m[4]:m[5]]
			how := text[m[6]:m[7]]
			x.noun = (how == "제외한" || how == "뺀" || how == "아닌") && !strings.HasSuffix(text[m[0]:m[1]], "날")
			x.bare = how == "제외" && text[m[7]:m[1]] == ""
			x.instead = strings.HasPrefix(how, "말고")
		}
		x.days, x.holiday = excepted(strings.ToLower(named)), holidays.MatchString(named)
		out = append(out, x)
		p.forget(x.from, x.to)
	}
	return out
}

// forget keeps the words of a range from being read as times.
func (p *reader) forget(from, to int) {
	for i, t := range p.list {
		if t.from < to && t.to > from {
			p.list[i].kind = other
		}
	}
}

// excepted returns the set of weekdays that words name, 0 if they name other days too.
func excepted(named string) int {
	if unknownDays.MatchString(named) {
		return 0
	}
	set := 0
	if letters := strings.NewReplacer(",", "", "·", "", "/", "").Replace(named); strings.Trim(letters, dayLetters) == "" {
		for _, r := range letters {
			set |= 1 << (strings.IndexRune(dayLetters, r) / len("일"))
		}
		return set
	}
	for i, day := range [...][2]string{{"sunday", "일요일"}, {"monday", "월요일"}, {"tuesday", "화요일"}, {"wednesday", "수요일"}, {"thursday", "목요일"}, {"friday", "금요일"}, {"saturday", "토요일"}} {
		if strings.Contains(named, day[0]) || strings.Contains(named, day[1]) {
			set |= 1 << i
		}
	}
	if strings.Contains(named, "weekend") || strings.Contains(named, "주말") {
		set |= 1<<0 | 1<<6
	}
	return set
}

// beside reports whether words of the time end just before a range of the text, and whether some begin just after it.
func (p *reader) beside(text string, from, to int) (before, after bool) {
	last, next := -1, -1
	for i, t := range p.list {
		switch {
		case !p.used[i]:
		case t.to <= from || t.from < from:
			last = t.to
		case t.from >= to && next < 0:
			next = t.from
		}
	}
	before = last >= 0 && (last >= from || between.MatchString(text[last:from]))
	return before, next >= 0 && between.MatchString(text[to:next])
}

// except takes the excepted days out of the facts. An exception belongs to the time if it is beside it or is a clause of its
// own at the end; "매주 월요일 9시에 주말 제외 매출 보고해줘" asks for sales without those of weekends.
func (p *reader) except(text string, list []exception) error {
	for _, x := range list {
		before, after := p.beside(text, x.from, x.to)
		ends := finish.MatchString(text[x.to:])
		own := ends && (clause.MatchString(text[:x.from]) || adverbial.MatchString(text[x.from:x.to]))
		leads := after && (x.instead || text[x.from] >= 0x80 || strings.TrimSpace(text[:x.from]) == "" || clause.MatchString(text[:x.from]))
		if !leads && !own && (!before || x.noun) {
			continue
		}
		if !p.f.every {
			if x.instead || x.days == 0 && leads {
				p.mark(x.from, x.to)
				return x.reason()
			}
			continue // of one time nothing can be left out
		}
		base, ok := p.f.weekdaySet()
		switch {
		case !ok && x.bare && !finish.MatchString(strings.TrimSpace(text[x.to:])) && p.f.unit == months:
			continue
		case !ok || x.days == 0:
			p.mark(x.from, x.to)
			return x.reason()
		case base&x.days == 0 && p.f.unit == weeks: // it leaves nothing out: the task's words
			continue
		case base&^x.days == 0:
			return ErrExcept
		}
		if left := base &^ x.days; left != base {
			p.f.unit, p.f.days = weeks, left
		}
		p.mark(x.from, x.to)
	}
	return nil
}

// mark takes the words of a range to the time.
func (p *reader) mark(from, to int) {
	for i, t := range p.list {
		if t.from < to && t.to > from {
			p.used[i] = true
		}
	}
}

// reason is why the exception makes no rule.
func (x exception) reason() error {
	if x.holiday {
		return ErrHoliday
	}
	return ErrExcept
}

// dayLetters are the first letters of the weekdays from Sunday.
const dayLetters = "일월화수목금토"

// workweek is Monday to Friday by bit.
const workweek = 1<<6 - 1<<1

// weekdaySet returns the weekdays on which the rule of the facts is due, false if it is not due by weekdays.
func (f facts) weekdaySet() (int, bool) {
	switch {
	case f.unit == days && f.n == 1:
		return 1<<7 - 1, true
	case f.unit == weekdays && f.n == 1:
		return workweek, true
	case f.unit == weeks && bits.OnesCount(uint(f.days)) > 0:
		return f.days, true
	}
	return 0, false
}
