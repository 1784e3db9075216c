package article

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxNamed bounds how many parts one text names.
const maxNamed = 12

var (
	rangeKo  = regexp.MustCompile(`제?\s*(\d{1,3})\s*조?\s*(?:부터|에서|~|-|–|내지)\s*제?\s*(\d{1,3})\s*조(?:\s*까지)?`)
	rangeEn  = regexp.MustCompile(`(?i)\b(?:articles?|sections?|clauses?)\s+(\d{1,3})\s*(?:to|through|-|–)\s*(\d{1,3})\b`)
	listEn   = regexp.MustCompile(`(?i)\b(articles|sections|clauses)((?:\s*(?:,|and|&|or)?\s*\d{1,3}\b)+)`)
	digitsEn = regexp.MustCompile(`\d{1,3}`)
	partOfEn = regexp.MustCompile(`(?i)\bparagraph\s+\(?(\d{1,2})\)?\s+of\s+(article|section|clause)\s+(\d{1,3}(?:[.-]\d{1,3})*)`)
	lone     = Ref{Kind: Addenda, Korean: true} // 부칙 without its number
)

// Named reads what a person names: the parts, each once and in order, of a list and
// of a range all that it spans, at most twelve; and what the text says besides. A lone
// 부칙 is one too, so a contract or a law must be meant.
func Named(text string) (parts []Ref, besides string) {
	text = inFigures(narrow(text))
	text = partOfEn.ReplaceAllString(text, "$2 $3($1)")
	text = listEn.ReplaceAllStringFunc(text, func(list string) string {
		m := listEn.FindStringSubmatch(list)
		var out []string
		for _, n := range digitsEn.FindAllString(m[2], -1) {
			out = append(out, "Article "+n)
		}
		return strings.Join(out, ", ")
	})
	text = spanned(text, rangeKo, "제%d조")
	text = spanned(text, rangeEn, "Article %d")
	var rest strings.Builder
	note := func(r Ref) {
		if !slices.Contains(parts, r) && len(parts) < maxNamed {
			parts = append(parts, r)
		}
	}
	each(text, note, func(s string) { rest.WriteString(s) })
	if besides = rest.String(); strings.Contains(besides, "부칙") {
		note(lone)
		besides = strings.ReplaceAll(besides, "부칙", " ")
	}
	return parts, besides
}

// spanned writes the articles of a range one by one.
func spanned(text string, re *regexp.Regexp, name string) string {
	return re.ReplaceAllStringFunc(text, func(span string) string {
		m := re.FindStringSubmatch(span)
		from, err1 := strconv.Atoi(m[1])
		to, err2 := strconv.Atoi(m[2])
		if err1 != nil || err2 != nil || to < from || to-from >= maxNamed {
			return span
		}
		var out []string
		for n := from; n <= to; n++ {
			out = append(out, fmt.Sprintf(name, n))
		}
		return strings.Join(out, ", ")
	})
}

var (
	spelledKo  = regexp.MustCompile(`제\s*(이십|삼십|사십|오십|육십|칠십|팔십|구십|십)?(일|이|삼|사|오|육|칠|팔|구)?\s*조([^\p{Hangul}]|$|[은는이가를을의와과에도만])`)
	hanjaRef   = regexp.MustCompile(`[제第]\s?(\d+|[` + hanja + `]+)\s?([조條条장章항項호號])`)
	spelledEn  = regexp.MustCompile(`(?i)\b(articles?|sections?|clauses?)\s+(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)\b`)
	branched   = regexp.MustCompile(`(제\s*\d{1,4})\s*의\s*(\d{1,3})\s*조`)
	hangulUnit = strings.NewReplacer("條", "조", "条", "조", "章", "장", "項", "항", "號", "호")
	onesKo     = strings.Fields("일 이 삼 사 오 육 칠 팔 구")
	numbersEn  = strings.Fields("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty")
)

// inFigures writes numbers that are spelled out, and those with their branch before the
// unit, as articles have them: 제삼조, 第三條, Article five, 제10의2조.
func inFigures(text string) string {
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
	return spelledKo.ReplaceAllStringFunc(text, func(s string) string {
		m := spelledKo.FindStringSubmatch(s)
		n := 1 + slices.Index(onesKo, m[2]) // 0 without
		if tens, ok := strings.CutSuffix(m[1], "십"); ok {
			n += 10 * max(1, 1+slices.Index(onesKo, tens))
		}
		if n == 0 {
			return s
		}
		return fmt.Sprintf("제%d조%s", n, m[3])
	})
}
