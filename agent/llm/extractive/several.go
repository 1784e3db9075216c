package extractive

import (
	"strings"

	"maru/rag/article"
)

// several.go: the title of a document that is about several things (비용과 출장, Expenses and
// travel) does not say which of them a section is about. The section's heading and text do.

var (
	severalKo = expression(`(\p{Hangul}+?)[과와]\s+\p{Hangul}|\p{Hangul}\s+및\s+\p{Hangul}|\p{Hangul}\s*[·ㆍ]\s*\p{Hangul}`)
	severalEn = expression(`(?i)[a-z]\s+(?:and|&)\s+[a-z]`)
	// oneKo are the beginnings of nouns that end as if another followed: 결과 보고.
	oneKo = set(`결 효 성 경 학 통 초 내 외 교 일 부`)
)

// place is what stands between the names of a passage's place in its document.
const place = " › "

// severally reports that a title names several things.
func severally(title string) bool {
	m := severalKo.FindStringSubmatch(title)
	return m != nil && !oneKo[m[1]] || m == nil && severalEn.MatchString(title)
}

// in the office, 회의실에: where something is, which any title around a section tells.
var (
	insideEn = expression(`(?i)\b(?:in|at|inside|within)\s+((?:[a-z'-]+\s*){1,4})`)
	insideKo = expression(`(\p{Hangul}+?)(?:에서|에는|에도|에)(?:\s|$)`)
)

// ownTitle leaves of a passage's title what tells what the passage is about. The articles of a
// contract or a law are all about what its title says.
func (a *ask) ownTitle(title string) string {
	document, section, ok := strings.Cut(title, place)
	if _, part := article.Heading(section); !ok || part || !severally(document) {
		return title
	}
	named := stems(document)
	for _, re := range []*pattern{insideEn, insideKo} {
		for _, m := range re.FindAllStringSubmatch(a.question, -1) {
			for _, w := range words(m[1]) {
				if has(named, stem(w)) {
					section = w + " " + section
				}
			}
		}
	}
	return section
}
