// Package quantity finds numbers in people's words, in whatever form they are written, so that a value of a program can be
// compared with them: 50만원 and 500,000, two hours and 120 minutes.
//
// It reads no times and no days; [maru/phrase/when] does.
package quantity

import (
	"math"
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

var (
	amount = pattern.New(`(\d{1,3}(?:,\d{3})+\b(?:\.\d+)?|\d+(?:\.\d+)?)[ \x{a0}]?(조|억|천만|백만|십만|만|천|백|%|퍼센트|프로|percent\b|(?:trillion|billion|million|thousand|bn|k|m)\b)?`)
	dated  = pattern.New(`\d+[./-]\d+[./-]\d+`)
	month  = pattern.New(`\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`)
	spelt  = pattern.New(`(열두|열한|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른)(?: ?(?:명|개|번|시간|시|달|주|장|건|분|대|권|사람|가지|차례|줄|살|곳|팀|잔|판|병|박|그릇|마리|송이|벌|켤레|쌍|통|접시|조각|층|회|자리|박스|상자)| [가-힣])`)
	alone  = pattern.New(`(?:^|[^가-힣])(하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열)`)
	sino   = pattern.New(`(?:^|[^가-힣])([일이삼사오육칠팔구십백천만억조][일이삼사오육칠팔구십백천만억조 ]*)(?:원|달러|유로|엔|위안|개|명|건|년|주|박|층|회|퍼센트|프로)`)
	phone  = pattern.New(`\+?\d[\d ().-]{5,}\d`)
	money  = pattern.New(`^(?:₩|\$|€|¥|£|krw|usd|eur|jpy|gbp)? ?(\d[\d,]*(?:\.\d+)?) ?(?:원|달러|유로|엔|krw|usd|eur|jpy|gbp|won|dollars?|euros?|yen)?$`)
	named  = pattern.New(`\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty)\b`)
	span   = pattern.New(`(\d+(?:\.\d+)?|한|두|세|네|다섯|여섯|an?|one|two|three|four|five|six)[ -]?(시간|분|일|주|hours?|hrs?|h|minutes?|mins?|days?|weeks?)(?:[ ,]*(반|and a half))?`)
	half   = pattern.New(`half an hour|반 ?시간`)
)

// months begin the names of months, in their order.
const months = "janfebmaraprmayjunjulaugsepoctnovdec"

// units are the factors of words after numbers.
var units = map[string]float64{
	"%": 0.01, "퍼센트": 0.01, "프로": 0.01, "percent": 0.01,
	"백": 1e2, "천": 1e3, "만": 1e4, "십만": 1e5, "백만": 1e6, "천만": 1e7, "억": 1e8, "조": 1e12,
	"k": 1e3, "m": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
}

// spelled are the words for so many days.
var spelled = map[string]float64{"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "일주일": 7, "열흘": 10, "보름": 15}

// words are numbers as words.
var words = map[string]float64{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
	"한": 1, "두": 2, "세": 3, "네": 4, "하나": 1, "둘": 2, "셋": 3, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "열한": 11, "열두": 12, "스무": 20, "서른": 30,
}

// minutes are the lengths of units of time, by the letters they begin with.
var minutes = []struct {
	unit string
	n    float64
}{{"시간", 60}, {"분", 1}, {"일", 1440}, {"주", 10080}, {"h", 60}, {"m", 1}, {"d", 1440}, {"w", 10080}}

// Set is numbers in one form: without separators and needless zeroes.
type Set map[string]bool

// Add adds a number.
func (s Set) Add(n float64) { s[strconv.FormatFloat(n, 'f', -1, 64)] = true }

// Has reports whether a number is in the set.
func (s Set) Has(n float64) bool { return s[strconv.FormatFloat(n, 'f', -1, 64)] }

// In returns the numbers of a text: as they are written, with the units after them, and those that follow each other as a sum
// (3만 5천). A span of time is its minutes and seconds too, a month its number, and a percentage its share of one.
func In(text string) Set {
	out := Set{}
	text = strings.ToLower(text)
	sum, end := 0.0, -1
	for _, m := range amount.FindAllStringSubmatchIndex(text, -1) {
		n, ok := Of(text[m[2]:m[3]])
		if !ok {
			continue
		}
		out.Add(n)
		if m[4] >= 0 {
			n *= units[text[m[4]:m[5]]]
			out.Add(n)
		}
		if end >= 0 && strings.Trim(text[end:m[0]], " ") == "" {
			n += sum
			out.Add(n)
		}
		sum, end = n, m[1]
	}
	for _, p := range []*pattern.Pattern{spelt, alone} {
		for _, m := range p.FindAllStringSubmatch(text, -1) {
			out.Add(words[m[1]])
		}
	}
	for _, m := range sino.FindAllStringSubmatch(text, -1) {
		out.Add(korean(m[1]))
	}
	for _, w := range named.FindAllString(text, -1) {
		out.Add(words[w])
	}
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		out.length(m[1], m[2], m[3] != "")
	}
	for _, d := range dated.FindAllString(text, -1) {
		for _, part := range strings.FieldsFunc(d, func(r rune) bool { return r < '0' || r > '9' }) {
			if n, ok := Of(part); ok {
				out.Add(n)
			}
		}
	}
	for _, m := range month.FindAllString(text, -1) {
		out.Add(float64(strings.Index(months, m)/3 + 1))
	}
	if half.MatchString(text) {
		out.length("0.5", "h", false)
	}
	for word, days := range spelled {
		if strings.Contains(text, word) {
			out.length(strconv.FormatFloat(days, 'f', -1, 64), "일", false)
		}
	}
	return out
}

// length adds a span of time in minutes and seconds.
func (s Set) length(count, unit string, more bool) {
	n, ok := words[count]
	if !ok {
		n, _ = Of(count)
	}
	if more {
		n += 0.5
	}
	for _, m := range minutes {
		if strings.HasPrefix(unit, m.unit) {
			s.Add(n)
			s.Add(n * m.n)
			s.Add(n * m.n * 60)
			return
		}
	}
}

// Of reads a number with separators of thousands.
func Of(digits string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(digits, ",", ""), 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// korean reads a number in Chinese-Korean words: 삼만 오천.
func korean(word string) float64 {
	const digits = "영일이삼사오육칠팔구"
	total, part, digit := 0.0, 0.0, 0.0
	for _, r := range word {
		if i := strings.IndexRune(digits, r); i >= 0 {
			digit = float64(i / len("일"))
			continue
		}
		unit := map[rune]float64{'십': 10, '백': 1e2, '천': 1e3, '만': 1e4, '억': 1e8, '조': 1e12}[r]
		switch {
		case unit >= 1e4:
			total, part, digit = total+max(1, part+digit)*unit, 0, 0
		case unit > 0:
			part, digit = part+max(1, digit)*unit, 0
		}
	}
	return total + part + digit
}

// Money reads a value that is nothing but a number, with a currency or without.
func Money(value string) (n float64, ok bool) {
	m := money.FindStringSubmatch(strings.ToLower(strings.TrimSpace(value)))
	if m == nil {
		return 0, false
	}
	return Of(m[1])
}

// Phones returns the telephone numbers of a text, and whatever else has many digits, as digits without the zeroes in front.
func Phones(text string) (out []string) {
	for _, m := range phone.FindAllString(text, -1) {
		d := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, m)
		if d = strings.TrimLeft(d, "0"); len(d) >= minPhone {
			out = append(out, d)
		}
	}
	return out
}

// minPhone is how many digits a telephone number has at least, beside zeroes in front.
const minPhone = 7

// Lengths returns the spans of time that a text names, in minutes.
func Lengths(text string) (out []float64) {
	text = strings.ToLower(text)
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		n, ok := words[m[1]]
		if !ok {
			n, _ = Of(m[1])
		}
		if m[3] != "" {
			n += 0.5
		}
		for _, u := range minutes {
			if strings.HasPrefix(m[2], u.unit) {
				out = append(out, n*u.n)
				break
			}
		}
	}
	for word, days := range spelled {
		if strings.Contains(text, word) {
			out = append(out, days*1440)
		}
	}
	if half.MatchString(text) {
		out = append(out, 30)
	}
	return out
}
