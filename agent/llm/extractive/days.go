package extractive

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/phrase/pattern"
	"maru/phrase/when"
)

// Questions about days other than today: how many there are until one or between two, and which day one is. What
// is in the groups has to be a day and nothing else, so that "마감까지 며칠 남았어?" is for the documents.
var (
	countUntil = []*pattern.Pattern{ // group: the day
		pattern.New(`^(.{1,40}?)\s*까지(?:는|은)?\s*(?:앞으로\s*|이제\s*)?(?:` + workKo + `(?:으?로|은|는|이|가|기준)?\s*)?(?:총\s*)?(?:며칠|몇\s*일|얼마나?)(?:이나|이)?\s*(?:남|걸|있|이야|이에요|예요|인가|이지|이니|야)?\S*\s*$`),
		pattern.New(`(?i)^(?:so\s+)?how\s+(?:many\s+` + daysEn + `|long)\s*(?:(?:are|is)\s*(?:there|it|left)?\s*|do\s+(?:we|i)\s+have\s*)?(?:left\s+|to\s+go\s+|remaining\s+)?(?:until|till|til|to|before)\s+(.{1,40}?)\s*$`),
	}
	countBetween = []*pattern.Pattern{ // groups: both days
		pattern.New(`^(.{1,40}?)\s*(?:부터|에서)\s+(.{1,40}?)\s*까지(?:는|은)?\s*(?:` + workKo + `(?:으?로|은|는|이|가|기준)?\s*)?(?:총\s*)?(?:며칠|몇\s*일)\S*(?:\s+\S+)?\s*$`),
		pattern.New(`(?i)^(?:so\s+)?how\s+many\s+` + daysEn + `\s*(?:(?:are|is)\s*(?:there\s*)?)?(?:between|from)\s+(.{1,40}?)\s+(?:and|to|until|till)\s+(.{1,40}?)\s*$`),
	}
	whichDay = []*pattern.Pattern{ // group: the day
		pattern.New(`^(.{1,40}?)(?:은|는|이|가)?\s*(?:며칠|몇\s*일|무슨\s*요일|날짜)(?:이야|이에요|예요|인가요?|이지|이니|이죠|임|야|지|가\s*어떻게\s*\S+)?\s*$`),
		pattern.New(`(?i)^(?:what(?:['’]?s|\s+is|\s+was)?|which)\s+(?:the\s+)?(?:exact\s+)?(?:date|day(?:\s+of\s+the\s+week)?)\s*(?:(?:is|was|will|does)\s+)?(?:it\s+)?(?:be\s+)?(?:on\s+|of\s+)?(.{1,40}?)(?:\s+(?:fall|be|land)(?:\s+on)?)?\s*$`),
	}
	// countedFrom matches days that are counted from another one, "three weeks from Friday", "금요일부터 3주 뒤". The groups hold a number, the
	// unit and the day; in Korean the day, a number and the unit.
	countedFrom   = pattern.New(`(?i)^(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten)\s+(day|week)s?\s+(?:from|after)\s+(.{2,30})$`)
	countedFromKo = pattern.New(`^(.{2,20}?)(?:로부터|부터|에서)?\s*(\d{1,3})\s?(일|주일?)\s?(?:뒤|후)$`)
	// workingDays matches questions that leave out weekends.
	workingDays = pattern.New(`(?i)` + workKo + `|\b(?:working|business|work|week)\s?days\b`)
	// feast matches days that have the same date each year.
	feasts = []struct {
		name  *pattern.Pattern
		month time.Month
		day   int
	}{
		{pattern.New(`(?i)^(?:크리스마스|성탄절|christmas(?:\s+day)?|xmas)$`), time.December, 25},
		{pattern.New(`(?i)^(?:christmas\s+eve|크리스마스\s*이브)$`), time.December, 24},
		{pattern.New(`(?i)^(?:new\s+year(?:['’]?s)?(?:\s+day)?|새해|신정|설날\s*\(양력\))$`), time.January, 1},
		{pattern.New(`(?i)^(?:(?:the\s+)?end\s+of\s+(?:the|this)\s+year|new\s+year['’]?s\s+eve|올해\s*말|연말)$`), time.December, 31},
		{pattern.New(`(?i)^(?:halloween|핼러윈|할로윈)$`), time.October, 31},
		{pattern.New(`(?i)^(?:valentine['’]?s(?:\s+day)?|밸런타인데이|발렌타인데이)$`), time.February, 14},
		{pattern.New(`^(?:삼일절)$`), time.March, 1},
		{pattern.New(`^(?:어린이날)$`), time.May, 5},
		{pattern.New(`^(?:광복절)$`), time.August, 15},
		{pattern.New(`^(?:개천절)$`), time.October, 3},
		{pattern.New(`^(?:한글날)$`), time.October, 9},
	}
)

const (
	workKo = `(?:영업일|근무일|평일|업무일|워킹데이)`
	daysEn = `(?:(?:more|full|calendar|working|business|work|week)\s+){0,2}(?:week)?days`
)

// readDays finds questions about other days than today, as seen from the day on which they are asked.
func (a *ask) readDays() (wish, bool) {
	today, err := time.Parse(time.DateOnly, a.day)
	if err != nil {
		return wish{}, false
	}
	q := strings.TrimRight(strings.TrimSpace(a.question), " ?.!~？")
	for _, is := range countBetween {
		if m := is.FindStringSubmatch(q); m != nil {
			from, ok := dayIn(m[1], today)
			if !ok {
				continue
			}
			if to, ok := dayIn(m[2], from); ok {
				return wish{kind: wantsClock, from: from.Format(time.DateOnly), to: to.Format(time.DateOnly)}, true
			}
		}
	}
	for _, is := range countUntil {
		if m := is.FindStringSubmatch(q); m != nil {
			if to, ok := dayIn(m[1], today); ok {
				return wish{kind: wantsClock, to: to.Format(time.DateOnly)}, true
			}
		}
	}
	for _, is := range whichDay {
		if m := is.FindStringSubmatch(q); m != nil {
			if on, ok := dayIn(m[1], today); ok && !on.Equal(today) {
				return wish{kind: wantsClock, from: on.Format(time.DateOnly)}, true
			}
		}
	}
	return wish{}, false
}

// dayIn returns the day that a text names and that is all that it names, the next one from a day on.
func dayIn(text string, from time.Time) (time.Time, bool) {
	text = strings.TrimSpace(text)
	for _, f := range feasts {
		if f.name.MatchString(text) {
			on := time.Date(from.Year(), f.month, f.day, 0, 0, 0, 0, time.UTC)
			if on.Before(from) {
				on = on.AddDate(1, 0, 0)
			}
			return on, true
		}
	}
	if on, ok := dayCounted(text, from); ok {
		return on, true
	}
	r := when.Read(text, from)
	if !r.Found || r.Err != nil || r.Again || r.Exact || r.Rule.At.IsZero() || strings.Trim(r.Rest, " ,.") != "" {
		return time.Time{}, false
	}
	return time.Date(r.Rule.At.Year(), r.Rule.At.Month(), r.Rule.At.Day(), 0, 0, 0, 0, time.UTC), true
}

// dayCounted returns the day that a text counts from another one.
func dayCounted(text string, from time.Time) (time.Time, bool) {
	day, count, unit := "", "", ""
	if m := countedFrom.FindStringSubmatch(text); m != nil {
		count, unit, day = m[1], m[2], m[3]
	} else if m := countedFromKo.FindStringSubmatch(text); m != nil {
		day, count, unit = m[1], m[2], m[3]
	} else {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		n = max(1, slices.Index(strings.Fields("zero one two three four five six seven eight nine ten"), strings.ToLower(count)))
	}
	if strings.EqualFold(unit, "week") || strings.HasPrefix(unit, "주") {
		n *= 7
	}
	on, ok := dayIn(day, from)
	return on.AddDate(0, 0, n), ok
}
