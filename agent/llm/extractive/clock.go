package extractive

import "strings"

// zones are places people ask the time of.
var zones = map[string]string{
	"서울": "Asia/Seoul", "인천": "Asia/Seoul", "대구": "Asia/Seoul", "대전": "Asia/Seoul", "광주": "Asia/Seoul", "제주": "Asia/Seoul", "한국": "Asia/Seoul", "부산": "Asia/Seoul", "seoul": "Asia/Seoul", "korea": "Asia/Seoul", "busan": "Asia/Seoul",
	"도쿄": "Asia/Tokyo", "동경": "Asia/Tokyo", "일본": "Asia/Tokyo", "tokyo": "Asia/Tokyo", "japan": "Asia/Tokyo",
	"베이징": "Asia/Shanghai", "북경": "Asia/Shanghai", "상하이": "Asia/Shanghai", "중국": "Asia/Shanghai", "beijing": "Asia/Shanghai", "shanghai": "Asia/Shanghai", "china": "Asia/Shanghai",
	"홍콩": "Asia/Hong_Kong", "hong kong": "Asia/Hong_Kong", "타이베이": "Asia/Taipei", "대만": "Asia/Taipei", "taipei": "Asia/Taipei", "taiwan": "Asia/Taipei",
	"싱가포르": "Asia/Singapore", "singapore": "Asia/Singapore", "방콕": "Asia/Bangkok", "태국": "Asia/Bangkok", "bangkok": "Asia/Bangkok",
	"하노이": "Asia/Ho_Chi_Minh", "베트남": "Asia/Ho_Chi_Minh", "vietnam": "Asia/Ho_Chi_Minh", "hanoi": "Asia/Ho_Chi_Minh",
	"델리": "Asia/Kolkata", "뭄바이": "Asia/Kolkata", "인도": "Asia/Kolkata", "delhi": "Asia/Kolkata", "mumbai": "Asia/Kolkata", "india": "Asia/Kolkata",
	"두바이": "Asia/Dubai", "dubai": "Asia/Dubai", "모스크바": "Europe/Moscow", "moscow": "Europe/Moscow",
	"런던": "Europe/London", "영국": "Europe/London", "london": "Europe/London", "파리": "Europe/Paris", "프랑스": "Europe/Paris", "paris": "Europe/Paris", "france": "Europe/Paris",
	"베를린": "Europe/Berlin", "독일": "Europe/Berlin", "berlin": "Europe/Berlin", "germany": "Europe/Berlin", "마드리드": "Europe/Madrid", "madrid": "Europe/Madrid", "로마": "Europe/Rome", "rome": "Europe/Rome",
	"암스테르담": "Europe/Amsterdam", "amsterdam": "Europe/Amsterdam", "취리히": "Europe/Zurich", "zurich": "Europe/Zurich",
	"뉴욕": "America/New_York", "new york": "America/New_York", "보스턴": "America/New_York", "boston": "America/New_York", "시카고": "America/Chicago", "chicago": "America/Chicago", "덴버": "America/Denver", "denver": "America/Denver",
	"로스앤젤레스": "America/Los_Angeles", "los angeles": "America/Los_Angeles", "샌프란시스코": "America/Los_Angeles", "san francisco": "America/Los_Angeles", "시애틀": "America/Los_Angeles", "seattle": "America/Los_Angeles",
	"밴쿠버": "America/Vancouver", "vancouver": "America/Vancouver", "토론토": "America/Toronto", "toronto": "America/Toronto", "상파울루": "America/Sao_Paulo", "sao paulo": "America/Sao_Paulo",
	"시드니": "Australia/Sydney", "호주": "Australia/Sydney", "sydney": "Australia/Sydney", "하와이": "Pacific/Honolulu", "hawaii": "Pacific/Honolulu", "utc": "UTC",
}

// clockCues are what a question for the time or the date says, with the words that may stand beside it.
var clockCues = struct {
	ask, place, bare pattern
	beside           map[string]bool
}{
	ask: expression(`(?i)몇\s*시|현재\s*(?:시각|시간)|지금\s*(?:시각|시간)|(?:오늘|내일|모레|글피|어제|그저께|그제).*(?:며칠|몇\s*일|날짜|요일)|(?:날짜|요일).*오늘|무슨\s*요일|(?:지금|현재).*(?:며칠|날짜|요일)|(?:지금|현재|올해|이번\s*달|오늘).*몇\s*(?:년|월)|` +
		`\b(?:time|date|day)\b|\b(?:what|which)(?:['’]s|\s+is)?\s+(?:the\s+)?(?:current\s+)?(?:year|month)\b`),
	place:  expression(`시간|시각`), // asks for the time where a place stands beside it; alone it is that of the documents
	bare:   expression(`^\s*(?:the\s+|current\s+|local\s+)*time\b|(?:시간|시각)\s*(?:은|는|이|좀)?\s*\W*$`),
	beside: set(`이었어 이었지 며칠이었어 요일이었어 몇년 몇년도 몇월 년 년도 년이야 년도야 월 월이야 일이야 일이에요 일인가요 일이지 올해 올해는 올해가 이번 달 달은 달이 지금 현재 오늘 내일 모레 내일모레 글피 그글피 어제 그저께 그제 tomorrow yesterday tomorrow's yesterday's 내일이 어제가 시각 시간 시 시야 시예요 시에요 시인가요 시인지 시죠 시지 시니 몇시 날짜 날짜야 요일이야 며칠이야 요일 무슨요일 몇시야 몇시인가요 이고 time date day today today's now current currently right moment clock week month year`),
}

// readClock finds questions for the time or date now, here or in a known place.
// "회의는 몇 시야?" is about the meeting: a word is left over.
func readClock(q string) (wish, bool) {
	l, days := dayAway(lower(q))
	zone := ""
	for name, z := range zones {
		if before, after, ok := strings.Cut(l, name); ok {
			l, zone = before+" "+after, z
			break
		}
	}
	if !clockCues.ask().MatchString(l) && (zone == "" || !clockCues.place().MatchString(l)) {
		return wish{}, false
	}
	if !isQuestion(q) && len(words(q)) > 2 && (zone == "" || !clockCues.bare().MatchString(l)) {
		return wish{}, false
	}
	for _, w := range words(l) {
		if !clockCues.beside[w] && !clockCues.beside[stem(w)] && !hollow(w) {
			return wish{}, false
		}
	}
	return wish{kind: wantsClock, arg: zone, days: days}, true
}

// span is so many days or weeks from today: "100일 뒤", "3 weeks ago".
var span = expression(`(\d{1,4})\s*(일|주일?)\s*(뒤|후|전)(?:에는|에|는|은|의|이|가)?(?:\s|[?.!]|$)|\b(?:in\s+)?(\d{1,4})\s+(day|week)s?(?:\s+(from\s+(?:now|today)|later|ago)\b|\s*[?.!]*$)`)

// dayAway reads how many days from today a question means, and leaves the word for tomorrow in the place of a span.
func dayAway(q string) (rest string, days int) {
	if m := span().FindStringSubmatch(q); m != nil {
		days = number(m[1] + m[4])
		if m[2] != "일" && m[5] != "day" {
			days *= 7
		}
		if m[3] == "전" || m[6] == "ago" {
			days = -days
		}
		return strings.Replace(q, m[0], " 내일 ", 1), days
	}
	for _, d := range []struct {
		word string
		days int
	}{
		{"그글피", 4}, {"글피", 3}, {"내일모레", 2}, {"the day after tomorrow", 2}, {"day after tomorrow", 2}, {"모레", 2}, {"내일", 1}, {"tomorrow", 1},
		{"그저께", -2}, {"그제", -2}, {"day before yesterday", -2}, {"어제", -1}, {"yesterday", -1},
	} {
		if strings.Contains(q, d.word) {
			return strings.Replace(q, d.word, "내일 ", 1), d.days
		}
	}
	return q, 0
}
