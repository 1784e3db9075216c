package answer

import (
	"math"
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

// Tables of rules have bands in their first column: "3 years to less than 5 years", "10만 원 초과". A question with an amount of the
// unit ("after 4 years", "15만 원이면") is answered by the row whose band holds it, and by none whose band does not.
var (
	bandRow = pattern.New(`^[^:,]{1,60}: ([^:]{1,60}?), [^:,]{1,60}: `)
	// amount matches a number with its unit: a sign, the digits, a word that multiplies them, the unit.
	amount  = pattern.New(`(?i)([$€₩]?)(\d[\d,]*(?:\.\d+)?)\s?(만|천|억|k\b)?\s?(년|개월|달|주|일|시간|분|명|인|원|회|건|개|세|살|킬로|years?\b|yrs?\b|months?\b|weeks?\b|days?\b|hours?\b|minutes?\b|people\b|persons?\b|employees?\b|participants?\b|attendees?\b|guests?\b|won\b|dollars?\b|usd\b|krw\b|km\b|kg\b|miles?\b|%|percent\b)?`)
	between = pattern.New(`(?i)^[\s,]*(이상|초과|부터|에서|to|and|up to|[-–~])?[\s,~]*(less than|under|below|but less than|fewer than)?[\s,]*$`)
	lone    = pattern.New(`(?i)^(?:(less than|under|below|fewer than|up to|at most|no more than|not more than|within|over|more than|above|exceeding|at least|from) \| ?|\s?\| ?(미만|이하|이내|까지|이상|초과|부터|or less|or fewer|or more|or longer|or over|or above|and more|and over|and above|and up|\+))$`)
)

// compared are words that make a limit of an amount, "more than 3 days", or a day of the month, "25일에": no band is named by them.
var compared = pattern.New(`(?i)\b(?:over|more|less|fewer|under|below|above|before|within|until|exceed\w*|up to|at (?:least|most)|between|beyond|not yet)\b|초과|이상|이하|미만|이내|넘|안\s?[되된됐돼]|못|전에|까지|부터|\d일[에은]`)

// units are the names of one unit; a number means the same after each.
var units = map[string]string{
	"년": "year", "yr": "year", "개월": "month", "달": "month", "주": "week", "일": "day", "시간": "hour", "분": "minute", "명": "person", "인": "person", "people": "person", "employee": "person",
	"participant": "person", "attendee": "person", "guest": "person", "원": "won", "₩": "won", "krw": "won", "$": "dollar", "usd": "dollar", "살": "세", "킬로": "km", "percent": "%",
}

var times = map[string]float64{"만": 1e4, "천": 1e3, "억": 1e8, "k": 1e3}

// sum is an amount: how much of what.
type sum struct {
	n    float64
	unit string
}

// band is the amounts of a unit from one to another; an open end is not among them.
type band struct {
	unit             string
	from, to         float64
	openFrom, openTo bool
}

func (b band) holds(n float64) bool {
	return (n > b.from || n == b.from && !b.openFrom) && (n < b.to || n == b.to && !b.openTo)
}

// sumOf reads what [amount] matched.
func sumOf(m []string) sum {
	n, err := strconv.ParseFloat(strings.ReplaceAll(m[2], ",", ""), 64)
	if err != nil {
		return sum{}
	}
	if by := times[strings.ToLower(m[3])]; by > 0 {
		n *= by
	}
	unit := strings.ToLower(m[4])
	if unit == "" {
		unit = m[1]
	}
	for _, name := range []string{unit, strings.TrimSuffix(unit, "s")} {
		if same := units[name]; same != "" {
			return sum{n, same}
		}
	}
	return sum{n, strings.TrimSuffix(unit, "s")}
}

// bandOf reads a cell that says nothing but a band.
func bandOf(cell string) (band, bool) {
	found := amount.FindAllStringSubmatchIndex(cell, 3)
	part := func(i int) sum {
		m := make([]string, 5)
		for g := range m {
			if at := found[i][2*g]; at >= 0 {
				m[g] = cell[at:found[i][2*g+1]]
			}
		}
		return sumOf(m)
	}
	switch len(found) {
	case 1:
		a := part(0)
		m := lone.FindStringSubmatch(strings.TrimSpace(cell[:found[0][0]]) + " | " + strings.TrimSpace(cell[found[0][1]:]))
		if m == nil || a.unit == "" {
			return band{}, false
		}
		b := band{unit: a.unit, from: math.Inf(-1), to: math.Inf(1)}
		switch word := strings.ToLower(m[1] + m[2]); word {
		case "미만", "less than", "under", "below", "fewer than":
			b.to, b.openTo = a.n, true
		case "이하", "이내", "까지", "up to", "at most", "no more than", "not more than", "within", "or less", "or fewer":
			b.to = a.n
		case "초과", "over", "more than", "above", "exceeding":
			b.from, b.openFrom = a.n, true
		default:
			b.from = a.n
		}
		return b, true
	case 2:
		a, z := part(0), part(1)
		before, after := strings.TrimSpace(cell[:found[0][0]]), strings.TrimSpace(cell[found[1][1]:])
		m := between.FindStringSubmatch(cell[found[0][1]:found[1][0]])
		opens := before == "over" || before == "more than"
		ends := after == "" || after == "이하" || after == "까지" || after == "이내" || after == "미만"
		if m == nil || m[1]+m[2] == "" || z.unit == "" || a.unit != "" && a.unit != z.unit || !ends || before != "" && before != "from" && before != "between" && !opens {
			return band{}, false
		}
		return band{unit: z.unit, from: a.n, to: z.n, openFrom: opens || m[1] == "초과", openTo: m[2] != "" || after == "미만"}, true
	}
	return band{}, false
}

// askedSums returns the amounts that a question names once for their unit, none where it compares. Years of the calendar, dates and
// "7년차" are no amounts.
func askedSums(question string) map[string]float64 {
	out, twice := map[string]float64{}, map[string]bool{}
	if compared.MatchString(question) {
		return out
	}
	for _, at := range amount.FindAllStringSubmatchIndex(question, -1) {
		m := make([]string, 5)
		for g := range m {
			if at[2*g] >= 0 {
				m[g] = question[at[2*g]:at[2*g+1]]
			}
		}
		s := sumOf(m)
		before, after := strings.TrimSpace(question[:at[0]]), question[at[1]:]
		switch {
		case s.unit == "" || s.unit == "year" && s.n > 100, strings.HasSuffix(before, "월"), strings.HasPrefix(after, "차"), strings.HasPrefix(after, "째"):
			continue
		}
		_, again := out[s.unit]
		twice[s.unit] = twice[s.unit] || again
		out[s.unit] = s.n
	}
	for unit := range twice {
		if twice[unit] {
			delete(out, unit)
		}
	}
	return out
}

// markBands marks the rows whose band holds the question's amount, and the other rows of such tables.
func markBands(question string, all []sentence) {
	asked := askedSums(question)
	if len(asked) == 0 {
		return
	}
	bands, rows, columns := make([]band, len(all)), map[string]int{}, map[string]string{}
	for i, s := range all {
		m := bandRow.FindStringSubmatch(s.text)
		if m == nil {
			continue
		}
		b, ok := bandOf(m[1])
		if !ok {
			continue
		}
		column, _, _ := strings.Cut(s.text, ": ")
		if other, again := columns[b.unit]; again && other != column {
			delete(asked, b.unit) // the ages of children, and the years of service
		}
		columns[b.unit], bands[i] = column, b
		rows[b.unit]++
	}
	value := soughtBy(question).sought != nil || AsksNumber(question) // "5년 근속하면 휴가 줘?" asks whether, not how much
	for i, b := range bands {
		if n, ok := asked[b.unit]; ok && rows[b.unit] > 1 { // one row alone may be of another table
			all[i].inBand, all[i].offBand = b.holds(n) && value, !b.holds(n)
		}
	}
}
