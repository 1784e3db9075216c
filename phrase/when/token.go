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
	soon                   // "이따": later today, or after a span what after is
	before                 // "전"
	timesOf                // "twice", "3회": n times
	endWeek                // "EOW": on Friday, at the end of work
	sameTime               // "this time", "이 시간에"
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
	glueAt  = 1 // "at": a bare number after it is an hour
	glueOn  = 3 // "on the 2nd" is a day, "the 2nd year" is none
	glueOf  = 4 // goes on with a time, but begins none
	glueNow = 2 // as in "an hour from now"
	glueDay = 5 // as m: "날", which "마지막" may be before
	glueEnd = 6 // "쯤", "중으로": belongs to the time in front of it, also as a word of its own
)

// Marks of days of a month.
const (
	afterParticle = 1 // a day only with a particle: "월말에"
	afterMonth    = 2 // only after a month: "말"
)

// endSign marks "end", as in "end of every month".
const endSign = 1

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
	loose    bool      // of a clock: nobody named the hour, as in "EOD"
	half     bool      // of a number: and a half
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
		if body := toTime.FindString(text[start:i]); body != "" && setsTo.MatchString(text[i:]) { // "7시 반으로 맞춰"
			if times := wordTokens(strings.TrimSuffix(strings.TrimSuffix(body, "로"), "으")); times[0].kind != other {
				list = times
				list[len(list)-1].to = i - start
			}
		}
		if t, ok := written[strings.ToLower(text[start:i])]; ok {
			t.to = i - start
			list = []token{t}
		}
		weekly := len(out) > 0 && out[len(out)-1].weekly() || hourAhead.MatchString(text[i:]) && twoLetters(text[start:i])
		if days, ok := weekdayLetters(text[start:i], weekly); ok {
			list = days
		}
		if text[start:i] == "낼" && handsIn.MatchString(text[:start]) && !hourAhead.MatchString(text[i:]) {
			list = []token{{kind: other, to: i - start}}
		}
		for _, t := range list {
			t.from, t.to, t.word = t.from+start, t.to+start, word
			out = append(out, t)
		}
	}
	return anchored(text, approximate(text, workdays(text, people(text, numbered(text, out)))))
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

// weekdayLetters reads "월수금" and, after 매주, "월" and "화목".
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
	end := len(strings.TrimRight(w, ",;:"))
	if cut := len(strings.TrimRight(w, ",;:.!?")); !strings.HasSuffix(w[:end], "m.") {
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
	if list := parted(w, body, start); list != nil {
		return list
	}
	var out []token
	for i := 0; i < len(body); {
		t, n := piece(body[i:], i == 0)
		if n == 0 && body[i:] == "만" && i > 0 && (out[len(out)-1].kind == minuteSign || out[len(out)-1].kind == unit) { // 10분만
			break
		}
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
	case c < 0x80 && !first:
		if t, ok := attached[s]; ok {
			return t, len(s)
		}
		return latin(s)
	case c < 0x80:
		return latin(s)
	}
	if n := sinoMinutes(s); n > 0 {
		return token{kind: number, n: sino(s[:n])}, n
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
	if base, ok := strings.CutSuffix(w, "ish"); ok { // noonish, 5pm-ish
		if t := english[strings.TrimSuffix(base, "-")]; t.kind == clock || t.kind == half {
			return t, n
		}
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

// dayIndex returns the weekday of a name or of its first letters, three or more; -1 for others.
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
	if n == 4 {
		if at, k := writtenDate(s); k > 0 {
			if len(s) > k+1 && s[k] == 't' && s[k+1] >= '0' && s[k+1] <= '9' { // 2026-12-24T15:00
				k++
			}
			return token{kind: date, at: at}, k
		}
	}
	v, _ := strconv.Atoi(s[:n]) // at most four digits
	rest := s[n:]
	switch {
	case strings.HasPrefix(rest, "-"):
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
	if len(rest) == 3 && rest[0] == 'h' && n <= 2 { // 16h30
		if m, err := strconv.Atoi(rest[1:]); err == nil && m >= 0 {
			return token{kind: clock, n: v, m: m}, len(s)
		}
	}
	if join, ok := strings.CutSuffix(rest, "ish"); ok && n <= 2 && strings.Trim(join, "-") == "" { // 3ish
		return token{kind: clock, n: v, open: true}, len(s)
	}
	if strings.HasPrefix(rest, ".5") && n <= 2 && (len(rest) == 2 || rest[2] < '0' || rest[2] > '9') {
		return token{kind: number, n: v, m: n, half: true}, n + 2
	}
	if after, ok := strings.CutPrefix(rest, "회"); ok && (after == "" || after == "씩") {
		return token{kind: timesOf, n: v}, len(s)
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
