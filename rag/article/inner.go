package article

import (
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

// anyNumber matches a number in figures or in Chinese numerals.
const anyNumber = `\d+|[` + hanja + `]+`

var (
	koreanInner = []struct {
		re  *pattern.Pattern
		set func(r *Ref, number string)
	}{
		{pattern.New(`^\s*[제第]?\s?(` + anyNumber + `)\s?[항項](?:의\s?(\d+))?`), func(r *Ref, n string) { r.Paragraph = n }},
		{pattern.New(`^\s*[제第]?\s?(` + anyNumber + `)\s?[호號号](?:의\s?(\d+))?`), func(r *Ref, n string) { r.Item = n }},
		{pattern.New(`^\s*([가-하])\s?목()`), func(r *Ref, n string) { r.Point = n }},
	}
	bracketed = pattern.New(`^\s?\(([0-9]{1,2}|[a-zA-Z]|[ivx]{1,4})\)`)
	spelled   = pattern.New(`(?i)^,?\s*(?:paragraph|para\.?|subsection|sub-clause|item)\s+\(?([0-9]{1,2}|[a-z])\)?\b`)
)

// inner parses the paragraph, item and point after an article at text[i]. A 의 may be between (제5조의 제2항).
func inner(text string, i int, r Ref) (Ref, int) {
	if r.Korean {
		return innerKorean(text, i, r)
	}
	n := 0
	if m := spelled.FindStringSubmatch(text[i:]); m != nil {
		r.Paragraph, n = strings.ToLower(m[1]), len(m[0])
	}
	for _, set := range []*string{&r.Paragraph, &r.Item, &r.Point} {
		if *set != "" {
			continue
		}
		m := bracketed.FindStringSubmatch(text[i+n:])
		if m == nil {
			break
		}
		*set = strings.ToLower(m[1])
		n += len(m[0])
	}
	return r, n
}

func innerKorean(text string, i int, r Ref) (Ref, int) {
	n := 0
	if rest := strings.TrimLeft(text[i:], " "); strings.HasPrefix(rest, "의") {
		if skip := len(text[i:]) - len(rest) + len("의"); koreanInner[0].re.MatchString(text[i+skip:]) || koreanInner[1].re.MatchString(text[i+skip:]) {
			n = skip
		}
	}
	for _, k := range koreanInner {
		m := k.re.FindStringSubmatch(text[i+n:])
		if m == nil {
			continue
		}
		number := m[1] // for a 목, its letter
		if n := inFigure(number); n != "" {
			number = n
		}
		if m[2] != "" {
			number += "-" + m[2]
		}
		k.set(&r, number)
		n += len(m[0])
	}
	return r, n
}

// Item returns the part of an article's text that a ref's paragraph, item and point name. ok is false if there is no
// such part. An article without ① is its own first paragraph.
func Item(text string, r Ref) (piece string, ok bool) {
	piece = strings.TrimSpace(text)
	for _, step := range []struct {
		number string
		marks  []marker
	}{
		{r.Paragraph, []marker{circled, spelledParagraph, numberedBracket, numbered, lettered, decimal(r.Number), numberedHanja}},
		{r.Item, []marker{numbered, spelledItem, numberedBracket, lettered, romanBracket, numberedHanja}},
		{r.Point, []marker{hangulLetter, lettered, romanBracket}},
	} {
		if step.number == "" {
			continue
		}
		found := false
		for _, m := range step.marks {
			if part, has := m.part(piece, step.number); has {
				piece, found = part, true
				break
			}
		}
		if !found && step.number == "1" && step.number == r.Paragraph && !circled.any(piece) {
			found = true
		}
		if !found {
			return "", false
		}
	}
	return piece, true
}

// marker is a numbering style of paragraphs. It accepts only the next number in order: "2013. 3. 23." numbers
// nothing.
type marker struct {
	re   *pattern.Pattern // its first group is the number
	name func(i int) []string
}

// decimal numbers the paragraphs of an article by its own number: 2.1, 2.2.
func decimal(number string) marker {
	if number == "" || strings.Trim(number, "0123456789") != "" {
		number = "0" // of a branch or an annex: there is no such number
	}
	return marker{pattern.New(`(?m)^\s*` + number + `\.(\d{1,2})\.?\s`), numberName}
}

func nth(marks string) func(int) []string {
	all := strings.Split(marks, " ")
	return func(i int) []string {
		if i < len(all) {
			return []string{all[i]}
		}
		return nil
	}
}

var (
	circled         = marker{pattern.New(`([①-⑳㉑-㉟])`), circledName}
	numbered        = marker{pattern.New(`(?m)(?:^|\s)(\d{1,2}(?:의\d{1,2})?)\.(?:\s|$)`), numberName}
	numberedBracket = marker{pattern.New(`(?m)(?:^|\s)\((\d{1,2})\)\s`), numberName}
	lettered        = marker{pattern.New(`(?m)(?:^|\s)\(?([a-z])\)\s`), nth("a b c d e f g h i j k l m n o p q r s t u v w x y z")}
	romanBracket    = marker{pattern.New(`(?m)(?:^|\s)\(?([ivx]{1,4})\)\s`), nth("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv")}
	numberedHanja   = marker{pattern.New(`(?m)(?:^|\s)([` + hanja + `]{1,3})\s?[.、]\s?`), hanjaName}
	// These must start a line: 제1항 within a sentence is a reference.
	spelledParagraph = marker{pattern.New(`(?m)^\s*제\s?(\d{1,2})\s?항[\s.:]`), numberName}
	spelledItem      = marker{pattern.New(`(?m)^\s*제\s?(\d{1,2})\s?호[\s.:]`), numberName}
	hangulLetter     = marker{pattern.New(`(?m)(?:^|\s)([가-하])\.\s`), nth("가 나 다 라 마 바 사 아 자 차 카 타 파 하")}
)

// pieces returns the start of each paragraph and its number in ref form.
func (m marker) pieces(text string) (at []int, names []string) {
	next, branches := 0, 0
	for _, f := range m.re.FindAllStringSubmatchIndex(text, -1) {
		got := text[f[2]:f[3]]
		for _, want := range m.expect(next, branches) {
			if got != want {
				continue
			}
			at, names = append(at, opened(text, f[2])), append(names, m.plain(got, next))
			if strings.Contains(got, "의") {
				branches++
			} else {
				next, branches = next+1, 0
			}
			break
		}
	}
	return at, names
}

// opened returns the start of a number's mark: its bracket or the number before its point, if any.
func opened(text string, number int) int {
	if number > 0 && text[number-1] == '(' {
		return number - 1
	}
	if at := 1 + strings.LastIndexByte(text[:number], '\n'); strings.TrimSpace(text[at:number]) == "제" { // 제1항
		return at
	}
	if number > 0 && text[number-1] == '.' { // 2.1: at the article's number
		return 1 + strings.LastIndexAny(text[:number], " \t\n")
	}
	return number
}

// expect returns the possible next numbers: the successor, or a branch of the last (3의2).
func (m marker) expect(next, branches int) []string {
	want := m.name(next)
	if m.re == numbered.re && next > 0 {
		last := numberName(next - 1)
		want = append(want, last[0]+"의"+numberName(branches + 1)[0])
	}
	return want
}

func (m marker) plain(got string, next int) string {
	if m.re == circled.re || m.re == numberedHanja.re {
		return numberName(next)[0]
	}
	return strings.ReplaceAll(got, "의", "-")
}

func (m marker) any(text string) bool { return m.re.MatchString(text) }

func (m marker) part(text, number string) (string, bool) {
	at, names := m.pieces(text)
	for i, n := range names {
		if n != number {
			continue
		}
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1]
		}
		return strings.TrimSpace(text[at[i]:end]), true
	}
	return "", false
}

// Below returns the part of a section's text under one of its numbers: "2.1.2" in section 2, up to the next number
// outside it.
func Below(text, number string) (piece string, ok bool) {
	number = strings.ReplaceAll(number, "-", ".")
	from := -1
	for _, m := range dottedLine.FindAllStringSubmatchIndex(text, -1) {
		found := text[m[2]:m[3]]
		if from < 0 && found == number {
			from = m[2]
		} else if from >= 0 && !strings.HasPrefix(found, number+".") {
			return strings.TrimSpace(text[from:m[2]]), true
		}
	}
	if from < 0 {
		return "", false
	}
	return strings.TrimSpace(text[from:]), true
}

var dottedLine = pattern.New(`(?m)^[ \t]*(\d{1,2}(?:\.\d{1,2}){1,4})\.?[ \t]`)

func circledName(i int) []string {
	switch {
	case i < 20:
		return []string{string(rune('①' + i))}
	case i < 35:
		return []string{string(rune('㉑' + i - 20))}
	}
	return nil
}

func numberName(i int) []string { return []string{strconv.Itoa(i + 1)} }
