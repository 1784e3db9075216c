package extractive

import (
	"strings"

	"maru/phrase/fit"
)

var (
	weatherKo   = expression(`^(.{0,40}?)\s*(?:날씨|기온|일기예보)(?:는|가|은|이|를|을|도)?\s*(?:어때|어떄|어떠|어떤|어떻|어떨|알려|궁금|좋|추|더|춥|덥|확인|말해|보여|몇|$)`)
	rainKo      = expression(`^(.{0,30}?)\s*(?:비|눈)\s*(?:가|이)?\s*(?:와|오나|오니|올까|옵니까|내려)`)
	weatherEn   = expression(`^(.{0,60}?)\b(?:weather|forecast|temperature)\b((?:\s+(?:like|today|now|right|currently|tomorrow|report|forecast|outside|is|be))*)(?:\s*\b(?:in|at|for)\s+(.{1,60}))?$`)
	weatherLead = set(`what what's whats is the how how's hows tell me show check current today's today will be get give please now a can you do outside it like about in are`)
	notPlace    = set(`오늘 오늘의 지금 현재 내일 모레 내일모레 글피 그글피 어제 그저께 그제 이번 주말 주 요즘 today tomorrow now currently right please outside it the`)
)

// readWeather finds questions for the weather and the place they name.
func readWeather(q string) (wish, bool) {
	l := strings.TrimRight(dayAway(fit.OneLine(q)), " ?!.。？~")
	for _, re := range []*pattern{weatherKo, rainKo} {
		if m := re.FindStringSubmatch(l); m != nil {
			place, ok := placeKo(m[1])
			return wish{kind: wantsWeather, arg: place, days: daysFrom(q)}, ok
		}
	}
	m := weatherEn.FindStringSubmatch(strings.ToLower(l))
	if m == nil {
		return wish{}, false
	}
	place, lead := dropWords(m[3], notPlace), dropWords(m[1], weatherLead)
	if place != "" {
		place = original(l, place)
		return wish{kind: wantsWeather, arg: place, days: daysFrom(q)}, lead == ""
	}
	if n := len(strings.Fields(lead)); n > 2 || n > 0 && !isName(original(l, lead)) {
		return wish{}, false
	}
	return wish{kind: wantsWeather, arg: original(l, lead), days: daysFrom(q)}, true
}

// placeKo takes the place out of what stands before "날씨"; not ok when that is
// more than a place.
func placeKo(s string) (string, bool) {
	var kept []string
	for _, w := range strings.Fields(s) {
		w = strings.Trim(w, ",.")
		if notPlace[w] || notPlace[stem(w)] {
			continue
		}
		kept = append(kept, w)
	}
	if len(kept) > 3 {
		return "", false
	}
	if n := len(kept); n > 0 {
		kept[n-1] = stem(kept[n-1])
	}
	return strings.Join(kept, " "), true
}

func dropWords(s string, drop map[string]bool) string {
	var kept []string
	for _, w := range strings.Fields(s) {
		if w = strings.Trim(w, ",.'"); !drop[w] && w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// original finds part, which is in lower case, as it was written.
func original(s, part string) string {
	if i := strings.Index(strings.ToLower(s), part); i >= 0 && len(strings.ToLower(s)) == len(s) {
		return s[i : i+len(part)]
	}
	return part
}

// isName reports whether every word begins as a name does.
func isName(s string) bool {
	for _, w := range strings.Fields(s) {
		if w[0] < 'A' || w[0] > 'Z' {
			return false
		}
	}
	return s != ""
}

var (
	wikiKo = expression(`위키(?:피디아|백과)?(?:에서|로|에)?\s*(.+?)(?:을|를|에\s*대해|에\s*대해서)?\s*(?:찾아|검색|알려|조회|보여)`)
	wikiEn = expression(`(?i)(?:search|look\s+up|find|check|query)\s+(?:on\s+|in\s+)?wikipedia\s+(?:for\s+|about\s+)?(.+)$|(?:search|look\s+up|find)\s+(?:for\s+)?(.+?)\s+(?:on|in)\s+wikipedia|^wikipedia[:\s]+(.+)$`)
	webKo  = expression(`(?:웹|인터넷|구글|온라인|네이버)(?:에서|으로|로|에)?\s*(.+?)(?:을|를|에\s*대해|에\s*대해서)?\s*(?:찾아|검색|알려|조회)`)
	webEn  = expression(`(?i)(?:search|look)\s+(?:on\s+)?(?:the\s+)?(?:web|internet|online|google)\s+(?:for\s+|about\s+)?(.+)$|(?:search|look\s+up|find)\s+(?:for\s+)?(.+?)\s+(?:on\s+the\s+(?:web|internet)|online|on\s+google)|^google[:\s]+(.+)$`)
	fileRE = expression(`(?i)([\p{L}\p{N}_()\[\]-][\p{L}\p{N}_.()\[\] -]{0,100}?\.(?:md|markdown|txt|pdf|docx|html?|csv|jsonl?|log))`)
	fileDo = []string{"읽어", "열어", "보여", "내용", "요약", "read", "open", "show", "contents", "summar", "print"}
)

// readSearch finds explicit wishes to search Wikipedia or the web.
func readSearch(q string) (wish, bool) {
	for _, c := range []struct {
		re *pattern
		k  kind
	}{{wikiKo, wantsWiki}, {wikiEn, wantsWiki}, {webKo, wantsWeb}, {webEn, wantsWeb}} {
		m := c.re.FindStringSubmatch(fit.OneLine(q))
		if m == nil {
			continue
		}
		for _, g := range m[1:] {
			if g = strings.Trim(g, " ?!.\"'“”"); g != "" {
				return wish{kind: c.k, arg: fit.Clip(g, 200)}, true
			}
		}
	}
	return wish{}, false
}

// readFile finds wishes to read a file that is named.
func readFile(q string) (wish, bool) {
	l := fit.OneLine(q)
	m := fileRE.FindString(l)
	if m == "" || !hasAny(lower(q), fileDo...) {
		return wish{}, false
	}
	if i := strings.LastIndexByte(m, ' '); i >= 0 && !strings.ContainsAny(l, "\"'“`") {
		m = m[i+1:] // an unquoted name is the last word before its extension
	}
	return wish{kind: wantsFile, arg: strings.TrimSpace(m)}, true
}
