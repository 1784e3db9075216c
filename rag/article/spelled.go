package article

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// Dictated questions spell numbers out: 제삼조, 제백오조 제이항, Article five. Only questions are parsed this way: in documents
// 제일 조용한 and 제사장 are words, and contracts print figures.

var (
	hanjaRef   = pattern.New(`[제第]\s?(\d+|[` + hanja + `]+)\s?([조條条장章항項호號])`)
	spelledEn  = pattern.New(`(?i)\b(articles?|sections?|clauses?)\s+(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)\b`)
	branched   = pattern.New(`(제\s*\d{1,4})\s*의\s*(\d{1,3})\s*조`)
	hangulUnit = strings.NewReplacer("條", "조", "条", "조", "章", "장", "項", "항", "號", "호")
	numbersEn  = strings.Fields("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty")

	// A 조 after a spelled-out number ends the word, or a particle or the next part follows: 제일조건 is none.
	spelledKo = pattern.New(`제\s*(` + hangulNumber + `)\s*조((?:[은는이가를을의와과에도만로]|부터|까지|내지|제\s*(?:` + hangulNumber + `|\d+)\s*[항호])|[^\p{Hangul}]|$)`)
	// Paragraphs and items count only after an article: 제이호 alone is ambiguous.
	spelledIn = pattern.New(`(제\d+조(?:의\s?\d+)?(?:\s?제\d+항)?(?:\s?의)?)\s*제\s*(` + hangulNumber + `)\s*([항호])`)
	inHanja   = strings.NewReplacer("일", "一", "이", "二", "삼", "三", "사", "四", "오", "五", "육", "六", "칠", "七", "팔", "八", "구", "九", "십", "十", "백", "百", "천", "千")
)

// hangulNumber parses a number in Hangul below ten thousand.
const hangulNumber = `(?:[일이삼사오육칠팔구]?천)?(?:[일이삼사오육칠팔구]?백)?(?:[일이삼사오육칠팔구]?십)?[일이삼사오육칠팔구]?`

// InFigures converts spelled-out numbers, and those with their branch before the unit, to figures: 제삼조, 第三條, Article
// five, 제10의2조.
func InFigures(text string) string {
	text = hanjaRef.ReplaceAllStringFunc(text, func(s string) string {
		m := hanjaRef.FindStringSubmatch(s)
		n := inFigure(m[1])
		if n == "" {
			return s
		}
		return "제" + n + hangulUnit.Replace(m[2])
	})
	text = branched.ReplaceAllString(text, "${1}조의$2")
	text = spelledEn.ReplaceAllStringFunc(text, func(s string) string {
		m := spelledEn.FindStringSubmatch(s)
		return fmt.Sprintf("%s %d", m[1], 1+slices.Index(numbersEn, strings.ToLower(m[2])))
	})
	text = ofArticles(text)
	for was := ""; was != text; { // the paragraph, and then the item
		was = text
		text = spelledIn.ReplaceAllStringFunc(text, func(s string) string {
			m := spelledIn.FindStringSubmatch(s)
			if m[2] == "" {
				return s
			}
			return m[1] + " 제" + hangulFigure(m[2]) + m[3]
		})
	}
	return text
}

// ofArticles converts the numbers of articles to figures. A 제 inside a word, as in 문제, starts none, except in 민법제삼조.
func ofArticles(text string) string {
	var out strings.Builder
	done := 0
	for _, m := range spelledKo.FindAllStringSubmatchIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		if m[2] == m[3] || isHangul(before) && before != '법' {
			continue
		}
		out.WriteString(text[done:m[0]] + "제" + hangulFigure(text[m[2]:m[3]]) + "조")
		done = m[4]
	}
	return out.String() + text[done:]
}

func hangulFigure(number string) string { return strconv.Itoa(hanjaNumber(inHanja.Replace(number))) }
