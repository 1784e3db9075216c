package when

import (
	"strings"

	"maru/phrase/pattern"
)

// feast matches days that only a calendar of holidays knows.
var feast = pattern.New(`(?i)\b(?:on|at|for|every)\s+(?:thanksgiving|easter|good\s+friday|new\s+year['’]?s?|labou?r\s+day|independence\s+day|lunar\s+new\s+year|seollal|chuseok)\b|` +
	`(?:^|\s)(?:설날|추석|한가위|석가탄신일|부처님\s?오신\s?날|구정)(?:\s?(?:전날|당일|연휴))?(?:\s?날)?(?:에는|에|마다|\s+(?:오전|오후|아침|저녁|점심|밤|\d+시))`)

// Feasts that are on the same day of every year, and how they are asked for: "on Christmas Eve", "크리스마스에". After other words they are
// the task's: "크리스마스에 쓸 선물", "Christmas gifts".
var (
	fixedEn = pattern.New(`(?i)\b(on|at|every)\s+((?:christmas|xmas)\s+eve|(?:christmas|xmas)(?:\s+day)?|new\s+year['’]?s\s+(?:eve|day)|valentine['’]?s(?:\s+day)?|halloween|april\s+fools['’]?(?:\s+day)?)`)
	fixedKo = pattern.New(`(크리스마스\s?이브|크리스마스|성탄절|새해\s?첫날|신정|발렌타인\s?데이|화이트\s?데이|빼빼로\s?데이|만우절|할로윈|핼러윈|삼일절|어린이날|어버이날|스승의\s?날|근로자의\s?날|현충일|광복절|개천절|한글날)(?:\s?날)?(마다|에는|에|\s+(?:오전|오후|아침|저녁|점심|밤|전날|\d+시|(?:\d+\s?[일주]|하루|이틀|사흘|일주일)\s?전))`)
	ofFeast = pattern.New(`^\s*(?:대[한해]|관[한해])`)
	fixed   = map[string]string{
		"christmaseve": "december 24", "christmas": "december 25", "newyearseve": "december 31", "newyears": "january 1", "valentines": "february 14", "halloween": "october 31", "aprilfools": "april 1",
		"크리스마스이브": "12월24일", "크리스마스": "12월25일", "성탄절": "12월25일", "새해첫날": "1월1일", "신정": "1월1일", "발렌타인데이": "2월14일", "화이트데이": "3월14일", "빼빼로데이": "11월11일", "만우절": "4월1일", "할로윈": "10월31일",
		"핼러윈": "10월31일", "삼일절": "3월1일", "어린이날": "5월5일", "어버이날": "5월8일", "스승의날": "5월15일", "근로자의날": "5월1일", "현충일": "6월6일", "광복절": "8월15일", "개천절": "10월3일", "한글날": "10월9일",
	}
)

// feasts writes such days out.
func feasts(text string, ofTask func(from, to int) bool) (edits []edit) {
	write := func(from, to int, name, lead string) {
		key := strings.NewReplacer(" ", "", "'", "", "’", "", "xmas", "christmas").Replace(strings.ToLower(name))
		if day := fixed[strings.TrimSuffix(key, "day")]; day != "" && !ofTask(from, to) {
			edits = append(edits, edit{from: from, to: to, with: lead + day})
		}
	}
	for _, m := range fixedEn.FindAllStringSubmatchIndex(text, -1) {
		switch every := strings.EqualFold(group(text, m, 1), "every"); {
		case !thenGoesOn.MatchString(text[m[1]:]):
		case every:
			write(m[2], m[5], group(text, m, 2), "yearly on ")
		default:
			write(m[4], m[5], group(text, m, 2), "")
		}
	}
	for _, m := range fixedKo.FindAllStringSubmatchIndex(text, -1) {
		switch behind := group(text, m, 2); {
		case ofFeast.MatchString(text[m[1]:]), strings.HasPrefix(behind, "에") && described.MatchString(text[m[1]:]):
		case behind == "마다":
			write(m[0], m[1], group(text, m, 1), "매년 ")
		default:
			write(m[0], m[4], group(text, m, 1), "")
		}
	}
	return edits
}
