package when

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// kind is what a token means for a time.
type kind int

const (
	other      kind = iota // says nothing of a time
	glue                   // "at", "on", "에": joins parts of a time
	every                  // "every", "매", "마다"
	next                   // "next", "다음"
	this                   // "this", "이번"
	number                 // n
	clock                  // n hours, m minutes: "9:30", "noon"
	half                   // "am", "오후"; n is 0 or 12, and m the hour that it stands for alone
	hourSign               // "시", "o'clock"
	minuteSign             // "분" as in 9시 30분, and a span's
	thirty                 // "반"
	daySign                // "일"
	monthSign              // "월"
	ordinal                // "1st": n
	month                  // a month's name: n
	weekday                // n is a set of days by bit
	dayWord                // "tomorrow": n days from today
	unit                   // n is one of the units
	after                  // "in", "뒤", "후"
	date                   // a whole date: at
	descriptor             // "daily", "매일": every step-th unit n
	nth                    // "first", "마지막": n, -1 for the last
	nthSign                // "번째"
	alternate              // "other" as in "every other day"
	skipped                // "걸러" as in 하루 걸러
	times                  // "번" as in 3일에 한 번
	dayCount               // "이틀": n days
	monthDay               // "말일": day n of a month, -1 for the last
	until                  // "까지", "through"
	since                  // "부터"
	past                   // "past" as in half past nine
	slash                  // "12/24": n and m
	yearWord               // "내년": n years from this
)

// The units of spans and of what repeats.
const (
	minutes = iota
	hours
	days
	weeks
	months
	weekdays
	seconds
	years
	quarters
)

// Glue that means more than that a time goes on.
const (
	glueAt  = 1 // "at": a bare number behind it is an hour
	glueOn  = 3 // "on the 2nd" is a day, "the 2nd year" is none
	glueOf  = 4 // goes on with a time, but begins none
	glueNow = 2 // as in "an hour from now"
	glueDay = 5 // as m: "날", which "마지막" may stand before
)

// afterParticle marks what is a day only with a particle: "월말에".
const afterParticle = 1

// adverb marks a descriptor that is also an adjective: "daily".
const adverb = 1

// token is a piece of a text.
type token struct {
	kind     kind
	n, m     int
	step     int       // of a descriptor, 0 for one
	at       time.Time // of a date, in UTC
	from, to int       // bytes of the text
	word     int       // which of the words between spaces it belongs to
	open     bool      // of a clock: it may be of the afternoon, as in "3:30"
}

// english are the words that tell of times.
var english = map[string]token{
	"every": {kind: every}, "each": {kind: every}, "next": {kind: next}, "this": {kind: this}, "coming": {kind: this},
	"at": {kind: glue, n: glueAt}, "on": {kind: glue, n: glueOn}, "the": {kind: glue}, "of": {kind: glue, n: glueOf}, "and": {kind: glue, n: glueOf}, "@": {kind: glue, n: glueAt},
	"am": {kind: half, n: 0, m: -1}, "pm": {kind: half, n: 12, m: -1}, "a.m": {kind: half, n: 0, m: -1}, "p.m": {kind: half, n: 12, m: -1},
	"morning": {kind: half, n: 0, m: 9}, "afternoon": {kind: half, n: 12, m: 14}, "evening": {kind: half, n: 12, m: 18}, "night": {kind: half, n: 12, m: 21},
	"tonight": {kind: dayWord, n: 0, m: 21}, "noon": {kind: clock, n: 12}, "midday": {kind: clock, n: 12}, "midnight": {kind: clock, n: 0},
	"o'clock": {kind: hourSign}, "today": {kind: dayWord, n: 0}, "tomorrow": {kind: dayWord, n: 1},
	"seconds": {kind: unit, n: seconds}, "sec": {kind: unit, n: seconds}, "secs": {kind: unit, n: seconds},
	"first": {kind: nth, n: 1}, "second": {kind: nth, n: 2}, "third": {kind: nth, n: 3}, "fourth": {kind: nth, n: 4}, "fifth": {kind: nth, n: 5}, "last": {kind: nth, n: -1},
	"other": {kind: alternate}, "alternate": {kind: alternate}, "through": {kind: until}, "thru": {kind: until}, "to": {kind: until}, "past": {kind: past},
	"biweekly": {kind: descriptor, n: weeks, m: adverb, step: 2}, "bi-weekly": {kind: descriptor, n: weeks, m: adverb, step: 2}, "fortnightly": {kind: descriptor, n: weeks, m: adverb, step: 2},
	"year": {kind: unit, n: years}, "years": {kind: unit, n: years}, "yearly": {kind: descriptor, n: years, m: adverb}, "annually": {kind: descriptor, n: years, m: adverb},
	"quarter": {kind: unit, n: quarters}, "quarters": {kind: unit, n: quarters}, "weekends": {kind: weekday, n: 1<<0 | 1<<6, m: 1},
	"minute": {kind: unit, n: minutes}, "minutes": {kind: unit, n: minutes}, "min": {kind: unit, n: minutes}, "mins": {kind: unit, n: minutes},
	"hour": {kind: unit, n: hours}, "hours": {kind: unit, n: hours}, "hr": {kind: unit, n: hours}, "hrs": {kind: unit, n: hours},
	"day": {kind: unit, n: days}, "days": {kind: unit, n: days}, "week": {kind: unit, n: weeks}, "weeks": {kind: unit, n: weeks},
	"month": {kind: unit, n: months}, "months": {kind: unit, n: months}, "weekday": {kind: unit, n: weekdays}, "weekdays": {kind: descriptor, n: weekdays},
	"workday": {kind: unit, n: weekdays}, "workdays": {kind: descriptor, n: weekdays}, "weekend": {kind: weekday, n: 1<<0 | 1<<6},
	"daily": {kind: descriptor, n: days, m: adverb}, "weekly": {kind: descriptor, n: weeks, m: adverb}, "monthly": {kind: descriptor, n: months, m: adverb}, "hourly": {kind: descriptor, n: hours, m: adverb},
	"in": {kind: after}, "later": {kind: after}, "after": {kind: after}, "from": {kind: after}, "now": {kind: glue, n: glueNow}, "half": {kind: thirty},
	"a": {kind: number, n: 1}, "an": {kind: number, n: 1}, "one": {kind: number, n: 1}, "two": {kind: number, n: 2}, "three": {kind: number, n: 3},
	"four": {kind: number, n: 4}, "five": {kind: number, n: 5}, "six": {kind: number, n: 6}, "seven": {kind: number, n: 7}, "eight": {kind: number, n: 8},
	"nine": {kind: number, n: 9}, "ten": {kind: number, n: 10}, "eleven": {kind: number, n: 11}, "twelve": {kind: number, n: 12},
}

// korean are the parts of Korean words that tell of times; a word counts if it consists of such parts.
var korean = map[string]token{
	"매": {kind: every}, "마다": {kind: every}, "다음": {kind: next}, "다음번": {kind: next}, "이번": {kind: this}, "오는": {kind: this}, "돌아오는": {kind: this},
	"에": {kind: glue}, "에는": {kind: glue}, "날": {kind: glue, m: glueDay}, "때": {kind: glue}, "의": {kind: glue}, "쯤": {kind: glue}, "정각": {kind: glue}, "부터": {kind: since}, "까지": {kind: until},
	"오전": {kind: half, n: 0, m: -1}, "오후": {kind: half, n: 12, m: -1}, "아침": {kind: half, n: 0, m: 9}, "점심": {kind: half, n: 12, m: 12}, "새벽": {kind: half, n: 0, m: 6},
	"저녁": {kind: half, n: 12, m: 18}, "밤": {kind: half, n: 12, m: 21}, "낮": {kind: half, n: 12, m: 12}, "정오": {kind: clock, n: 12}, "자정": {kind: clock, n: 0},
	"시": {kind: hourSign}, "분": {kind: minuteSign}, "반": {kind: thirty}, "일": {kind: daySign}, "월": {kind: monthSign},
	"오늘": {kind: dayWord, n: 0}, "내일": {kind: dayWord, n: 1}, "모레": {kind: dayWord, n: 2}, "글피": {kind: dayWord, n: 3},
	"주": {kind: unit, n: weeks}, "주일": {kind: unit, n: weeks}, "달": {kind: unit, n: months}, "개월": {kind: unit, n: months}, "시간": {kind: unit, n: hours},
	"매시간": {kind: descriptor, n: hours}, "매시": {kind: descriptor, n: hours}, "매일": {kind: descriptor, n: days}, "날마다": {kind: descriptor, n: days}, "매주": {kind: descriptor, n: weeks}, "매월": {kind: descriptor, n: months},
	"매달": {kind: descriptor, n: months}, "영업일": {kind: unit, n: weekdays}, "근무일": {kind: unit, n: weekdays}, "평일": {kind: descriptor, n: weekdays}, "주중": {kind: descriptor, n: weekdays}, "주말": {kind: weekday, n: 1<<0 | 1<<6},
	"초": {kind: unit, n: seconds}, "년": {kind: unit, n: years}, "해": {kind: unit, n: years}, "분기": {kind: unit, n: quarters}, "매년": {kind: descriptor, n: years}, "해마다": {kind: descriptor, n: years},
	"격주": {kind: descriptor, n: weeks, step: 2}, "격주로": {kind: descriptor, n: weeks, step: 2}, "격일": {kind: descriptor, n: days, step: 2}, "격일로": {kind: descriptor, n: days, step: 2}, "격월": {kind: descriptor, n: months, step: 2},
	"첫": {kind: nth, n: 1}, "첫째": {kind: nth, n: 1}, "둘째": {kind: nth, n: 2}, "셋째": {kind: nth, n: 3}, "넷째": {kind: nth, n: 4}, "다섯째": {kind: nth, n: 5}, "마지막": {kind: nth, n: -1},
	"번째": {kind: nthSign}, "번": {kind: times}, "걸러": {kind: skipped}, "말일": {kind: monthDay, n: -1}, "첫날": {kind: monthDay, n: 1}, "월말": {kind: monthDay, n: -1, m: afterParticle},
	"이틀": {kind: dayCount, n: 2}, "사흘": {kind: dayCount, n: 3}, "나흘": {kind: dayCount, n: 4}, "열흘": {kind: dayCount, n: 10}, "보름": {kind: dayCount, n: 15},
	"뒤": {kind: after}, "후": {kind: after}, "이따": {kind: other},
	"하루": {kind: dayWord, n: 1}, "한": {kind: number, n: 1}, "두": {kind: number, n: 2}, "세": {kind: number, n: 3}, "네": {kind: number, n: 4}, "다섯": {kind: number, n: 5},
	"여섯": {kind: number, n: 6}, "일곱": {kind: number, n: 7}, "여덟": {kind: number, n: 8}, "아홉": {kind: number, n: 9}, "열": {kind: number, n: 10}, "열한": {kind: number, n: 11}, "열두": {kind: number, n: 12},
	"일요일": {kind: weekday, n: 1 << 0}, "월요일": {kind: weekday, n: 1 << 1}, "화요일": {kind: weekday, n: 1 << 2}, "수요일": {kind: weekday, n: 1 << 3},
	"목요일": {kind: weekday, n: 1 << 4}, "금요일": {kind: weekday, n: 1 << 5}, "토요일": {kind: weekday, n: 1 << 6},
	"일욜": {kind: weekday, n: 1 << 0}, "월욜": {kind: weekday, n: 1 << 1}, "화욜": {kind: weekday, n: 1 << 2}, "수욜": {kind: weekday, n: 1 << 3},
	"목욜": {kind: weekday, n: 1 << 4}, "금욜": {kind: weekday, n: 1 << 5}, "토욜": {kind: weekday, n: 1 << 6}, "담": {kind: next}, "다다음": {kind: next, n: 1},
	"올해": {kind: yearWord}, "내년": {kind: yearWord, n: 1}, "내후년": {kind: yearWord, n: 2},
	"과": {kind: glue}, "와": {kind: glue}, "이랑": {kind: glue}, "랑": {kind: glue}, "하고": {kind: glue}, "외에도": {kind: glue}, "말고도": {kind: glue},
}

// longestPart is the most letters of a part in korean.
const longestPart = 4

// tokens cuts a text into tokens. Other holds what says nothing of a time, one a word.
func tokens(text string) []token {
	var out []token
	word := -1
	for i := 0; i < len(text); {
		r := rune(text[i])
		if r < 0x80 && unicode.IsSpace(r) {
			i++
			continue
		}
		start := i
		for i < len(text) && !strings.ContainsRune(" \t\r\n", rune(text[i])) {
			i++
		}
		word++
		list := wordTokens(text[start:i])
		if days, ok := weekdayLetters(text[start:i], len(out) > 0 && out[len(out)-1].weekly()); ok {
			list = days
		}
		for _, t := range list {
			t.from, t.to, t.word = t.from+start, t.to+start, word
			out = append(out, t)
		}
	}
	return workdays(text, out)
}

// workdays joins "business day" and "working days" to one token of Monday to Friday; "on business days" repeats by itself.
func workdays(text string, list []token) []token {
	out := list[:0]
	for _, t := range list {
		last := len(out) - 1
		if t.kind == unit && t.n == days && last >= 0 && out[last].kind == other {
			switch strings.ToLower(text[out[last].from:out[last].to]) {
			case "business", "working":
				t.from, t.n = out[last].from, weekdays
				out = out[:last]
				if last > 0 && out[last-1].kind == glue && out[last-1].n == glueOn && strings.HasPrefix(strings.ToLower(text[t.to-1:t.to]), "s") {
					t.kind = descriptor
				}
			}
		}
		out = append(out, t)
	}
	return out
}

// weekly reports whether weekdays may follow as single letters: 매주 월, 수.
func (t token) weekly() bool {
	return t.kind == descriptor && t.n == weeks || t.kind == weekday && t.m == letters
}

// letters marks a weekday that was written as a letter.
const letters = 2

// weekdayLetters reads "월수금" and, behind 매주, "월" and "화목".
func weekdayLetters(w string, weekly bool) ([]token, bool) {
	body := w
	for _, end := range []string{",", "마다", "에", "·", "/"} {
		body = strings.TrimSuffix(body, end)
	}
	set, n, last := 0, 0, -1
	for _, r := range body {
		day := slices.Index([]rune("월화수목금토일"), r)
		if r == '·' || r == '/' || r == ',' {
			continue
		}
		if day <= last { // also what is no weekday; in another order they are a word
			return nil, false
		}
		set, last = set|1<<((day+1)%7), day
		n++
	}
	if n < 3 && !weekly || n == 0 {
		return nil, false
	}
	return []token{{kind: weekday, n: set, m: letters, to: len(w)}}, true
}

// wordTokens reads one word between spaces. It is one other token unless all of it tells of a time.
func wordTokens(w string) []token {
	end := len(strings.TrimRight(w, ",;"))
	if cut := len(strings.TrimRight(w, ",;.!?")); !strings.HasSuffix(w[:end], "m.") {
		end = cut
	}
	start := len(w) - len(strings.TrimLeft(w, "\"'(“"))
	plain := []token{{kind: other, to: len(w)}}
	if start >= end {
		return plain
	}
	body := strings.ToLower(w[start:end])
	if len(body) != end-start { // lower case of another length: no word of ours
		return plain
	}
	var out []token
	for i := 0; i < len(body); {
		t, n := piece(body[i:], i == 0)
		if n == 0 {
			return plain
		}
		t.from, t.to = start+i, start+i+n
		i += n
		out = append(out, t)
	}
	if out[len(out)-1].to = len(w); strings.HasSuffix(w, "?") { // the rest is still a question
		out[len(out)-1].to = end
	}
	return out
}

// piece reads the token at the beginning of a part of a word, and how many bytes it has; 0 if there is none.
func piece(s string, first bool) (token, int) {
	switch c := s[0]; {
	case c >= '0' && c <= '9':
		return digits(s)
	case c == '@' && first:
		return token{kind: glue, n: glueAt}, 1
	case c < 0x80:
		return latin(s)
	}
	runes := []rune(s)
	for n := min(longestPart, len(runes)); n > 0; n-- {
		part := string(runes[:n])
		if t, ok := korean[part]; ok && t.kind != other {
			return t, len(part)
		}
	}
	return token{}, 0
}

// latin reads an English word that ends here.
func latin(s string) (token, int) {
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] == '\'' || s[n] == '.' || s[n] == '-') {
		n++
	}
	if n < len(s) || n == 0 {
		return token{}, 0
	}
	w := strings.TrimSuffix(s, ".")
	if t, ok := english[w]; ok {
		return t, n
	}
	if from, to, ok := strings.Cut(w, "-"); ok && dayIndex(from) >= 0 && dayIndex(to) >= 0 && dayIndex(from) != dayIndex(to) { // mon-fri
		set := 1 << dayIndex(to)
		for d := dayIndex(from); d != dayIndex(to); d = (d + 1) % 7 {
			set |= 1 << d
		}
		return token{kind: weekday, n: set, m: 1}, n
	}
	for i, day := range englishDays() {
		short, plural := strings.HasPrefix(day, w) && len(w) >= 3, w == day+"s"
		if plural || short && w != "sun" && w != "sat" { // words of their own
			return token{kind: weekday, n: 1 << i, m: btoi(plural)}, n
		}
	}
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if w == name || len(w) == 3 && strings.HasPrefix(name, w) || w == "sept" && m == time.September {
			return token{kind: month, n: int(m)}, n
		}
	}
	return token{}, 0
}

func englishDays() []string {
	return []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
}

// dayIndex is the weekday of a name or of its first letters, three or more; -1 for others.
func dayIndex(w string) int {
	return slices.IndexFunc(englishDays(), func(day string) bool { return len(w) >= 3 && strings.HasPrefix(day, w) })
}

// digits reads what begins with a number: "9", "9:30", "9am", "1st", "2026-12-01", "12/3".
func digits(s string) (token, int) {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > 4 {
		return token{}, 0
	}
	v, _ := strconv.Atoi(s[:n]) // at most four digits
	rest := s[n:]
	switch {
	case strings.HasPrefix(rest, "-"):
		if len(s) >= len(time.DateOnly) {
			if at, err := time.Parse(time.DateOnly, s[:len(time.DateOnly)]); err == nil {
				n = len(time.DateOnly)
				if len(s) > n+1 && s[n] == 't' && s[n+1] >= '0' && s[n+1] <= '9' { // 2026-12-24T15:00
					n++
				}
				return token{kind: date, at: at}, n
			}
		}
		return token{}, 0
	case strings.HasPrefix(rest, ":"):
		if len(rest) < 3 || len(rest) > 3 && rest[3] >= '0' && rest[3] <= '9' || n > 2 {
			return token{}, 0
		}
		m, err := strconv.Atoi(rest[1:3])
		if err != nil || rest[1] < '0' || rest[1] > '9' {
			return token{}, 0
		}
		return token{kind: clock, n: v, m: m, open: n == 1}, n + 3
	}
	if m, k := slashed(rest); k > 0 && n <= 2 {
		return token{kind: slash, n: v, m: m}, n + k
	}
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		if rest == suffix {
			return token{kind: ordinal, n: v}, n + len(suffix)
		}
	}
	return token{kind: number, n: v, m: n}, n
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// slashed reads "/24" that no further slash or digit follows.
func slashed(s string) (v, n int) {
	if !strings.HasPrefix(s, "/") {
		return 0, 0
	}
	for n = 1; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
		v = v*10 + int(s[n]-'0')
	}
	if n < 2 || n > 3 || n < len(s) && s[n] < 0x80 {
		return 0, 0
	}
	return v, n
}
