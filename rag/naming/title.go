package naming

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/rag"
)

// Title is what a question says beside a genre to name a document: Mozilla VPN of "the Mozilla VPN privacy notice", 하늘철강 of
// 하늘철강 계약서.
type Title struct {
	Full []rag.Document // documents of the genre whose names have all of its words
	Many []rag.Document // the same, where there are too many for one document (a kind)
	Near []Candidate    // if there are none: those whose names have most
	Some bool           // the names of Near have some of its words
	None []Qualifier    // its words that the names of Near lack
	Name string         // as typed, with the genre
	Rest string         // the question without it
	Law  bool           // it is that of a statute
	Kind bool           // its genre is said of nothing but documents
	Any  bool           // its genre is said of any document: page, 문서
	Bare bool           // its genre is Korean, without a particle before another word: 프랜차이즈 계약 해지하면

	missing bool // it is that of a decree which a statute here has not
}

// Candidate is a document whose names have some words of a title.
type Candidate struct {
	Document rag.Document
	Lacks    []Qualifier
	Own      []string // words of its names that the title has not, folded
	Genre    bool     // a noun of its kind is in its names
}

// Qualifier is a word of a title.
type Qualifier struct {
	Text string // as typed, without a particle
	Name bool   // it is written as a proper name where people name documents
	Must bool   // it may be a name in Korean, which has no capitals
	Head bool   // it is the beginning of a compound with the genre, which may be a subject: 배송정책

	Others bool // documents have it in their names

	docs  []int // that have it in their names
	aside bool  // it is of modifiers, and names have it
}

const (
	mostTitle  = 6   // words of a title before its genre
	mostNear   = 200 // candidates
	fewestLaws = 3   // statutes that make another name of one that of a missing one
)

// titles reads the titles in a question: those of statutes where it names no article, which statute reads.
func titles(d *Directory, text, typed string, laws bool) (out []Title) {
	before, after := around(text)
	all := append(before, after...)
	for i := range all {
		words := phraseAt(all, i, text)
		w := words[i]
		class, head, genre := genreOf(text[w.from:w.to])
		if class == 0 || i+1 < len(words) && genres()[text[words[i+1].from:words[i+1].to]] > 0 && words[i+1].from == w.to+1 {
			continue // the license of "software license agreement"
		}
		if w.to > all[i].to && i+1 < len(words) && words[i+1].from == w.to+1 && inNames(d, text[w.from:words[i+1].to]) {
			continue // the code of conduct of "code of conduct committee charter"
		}
		t := Title{}
		if class == genres()["법"] && isKorean(genre) {
			if i+1 < len(words) && words[i+1].clause == w.clause && isDecree(d, text[words[i+1].from:words[i+1].to]) && !ruledOut(words, i+1, text) {
				continue // 건축법 시행령
			}
			if laws {
				statuteTitle(d, &t, words[:i+1], head, genre, text, typed)
			}
		} else {
			titleAt(d, &t, words, i, text, typed)
		}
		if t.missing || len(t.Full)+len(t.Many)+len(t.Near)+len(t.None) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// inNames reports whether names have a text.
func inNames(d *Directory, text string) bool {
	return slices.ContainsFunc(d.names, func(n name) bool { return strings.Contains(string(n.plain), plain(text)) })
}

// titleAt reads the words beside a genre.
func titleAt(d *Directory, t *Title, words []word, at int, text, typed string) {
	class, head, genre := genreOf(text[words[at].from:words[at].to])
	korean := strings.ContainsFunc(text[words[at].from:words[at].to], isHangul) || at > 0 && isKorean(text[words[at-1].from:])
	all, first, framed := ahead(d, words, at, korean, text, typed)
	if framed = framed || korean; head != "" {
		q := Qualifier{Text: head, Must: true, Head: true, docs: containing(d, head+genre)}
		if len(q.docs) == 0 {
			q.docs = containing(d, head)
		}
		q.aside = slices.Contains(modifiers, head) && len(all) > 0
		all = append(all, q)
	}
	from, to := words[first].from, words[at].from+len(head+genre)
	if !korean {
		more, last := behindGenre(d, words, at, text, typed)
		all, to = append(all, more...), words[last].to
		label := isLabel(typed[:from], text[to:])
		framed = framed || label || framedBy(words[:first], text)
		for k := range all {
			all[k].Name = all[k].Name || label && capital(all[k].Text)
		}
	}
	var asides []Qualifier
	all = slices.DeleteFunc(all, func(q Qualifier) bool {
		if q.aside {
			asides = append(asides, q)
		}
		return q.aside
	})
	if len(all) == 0 || len(all) > bits.UintSize {
		return
	}
	for k := range all {
		all[k].Name, all[k].Others = all[k].Name && framed, len(all[k].docs) > 0
	}
	t.Name, t.Rest = typed[from:to], without(typed, [][2]int{{from, max(to, words[at].to)}})
	next := at + 1
	t.Bare = korean && words[at].to == words[at].from+len(head+genre) && next < len(words) && words[next].from == words[at].to+1
	t.Kind, t.Any = genreNouns()[genre] > anyGenre, class == anyGenre
	compare(d, t, all, asides, class, framed)
}

// ahead reads the words of a title before its genre, and where the first stands. whose reports that one is a possessive.
func ahead(d *Directory, words []word, at int, korean bool, text, typed string) (all []Qualifier, first int, whose bool) {
	i := at - 1
	for first = at; i >= 0 && at-i <= mostTitle && words[i].clause == words[at].clause; first = i + 1 {
		joins := text[words[i].from:words[i].to]
		if korean || i == 0 || joins != "s" && joins != "and" {
			joins = ""
		} else {
			i--
		}
		q, n, ok := qualify(d, words, i, korean, text, typed)
		if !ok {
			break
		}
		whose = whose || joins == "s"
		if _, head, genre := genreOf(text[words[at].from:words[at].to]); korean && i == at-1 && head != "" {
			q.docs = slices.Concat(q.docs, d.having(fold(q.Text)+head+genre)) // 개인정보처리방침
		}
		if i -= n; q.Text != "" {
			all = append(all, q)
		}
	}
	if i >= 0 && slices.Contains([]string{"its", "their"}, text[words[i].from:words[i].to]) {
		all = append(all, owner(d, words[:i], text, typed)...)
	}
	return all, first, whose
}

// behindGenre reads the capitals after a genre that name its document (the policy of Acme), and where it ends.
func behindGenre(d *Directory, words []word, at int, text, typed string) (all []Qualifier, last int) {
	last = at
	next := last + 1
	if next == len(words) || !slices.Contains(joining, text[words[next].from:words[next].to]) {
		return nil, last
	}
	for next++; next < len(words) && words[next].clause == words[at].clause && capital(typed[words[next].from:]); next++ {
		q, _, ok := qualify(d, words, next, false, text, typed)
		if !ok {
			break
		}
		all, last = append(all, q), next
	}
	return all, last
}

// owner returns the words with capitals before "its privacy policy" that names have.
func owner(d *Directory, words []word, text, typed string) (out []Qualifier) {
	for i, w := range words {
		if q, _, ok := qualify(d, words, i, false, text, typed); ok && len(q.docs) > 0 && capital(typed[w.from:]) {
			out = append(out, q)
		}
	}
	return out
}

// joining are the words between a genre and what names its document.
var joining = []string{"of", "with", "for", "from", "by"}

// framing are the words before a document's name and its article: according to the, per, in our.
var framing = []string{"to", "per", "under", "in", "by", "from", "of", "see", "via", "does", "do", "did"}

// framedBy reports whether words introduce a document.
func framedBy(words []word, text string) bool {
	for _, w := range slices.Backward(words) {
		switch said := text[w.from:w.to]; said {
		case "the", "our", "my", "your", "their", "its", "this", "that", "a", "an":
		default:
			return slices.Contains(framing, said)
		}
	}
	return false
}

// isLabel reports whether a question begins with a title as a label: that of the text between before and rest, or one in brackets.
func isLabel(before, rest string) bool {
	before = strings.TrimSpace(before)
	if slices.ContainsFunc(bracketPairs, func(pair [2]string) bool { return before == pair[0] && strings.Contains(rest, pair[1]) }) {
		return true
	}
	return before == "" && slices.ContainsFunc([]string{":", ",", " - ", " – ", " — "}, func(mark string) bool { return strings.HasPrefix(rest, mark) })
}

// modifiers are words that tell documents apart only where the rest of a title leaves several.
var modifiers = strings.Fields("current new old latest updated whole entire full complete official actual existing relevant applicable company corporate internal own same following attached standard general main first previous original final draft signed short written " +
	"이용 현행 최신 기존 관련 해당 전체 공식 회사 사내 내부 이번 지난 원본 최종 초안")

// circumstances are words for whose a document is in its own organisation, and for when it was written. They tell documents
// apart where names have them only.
var circumstances = strings.Fields("team teams department departments division year month week edition version staff employee employees everyone revised uploaded shared today yesterday tomorrow " +
	"monday tuesday wednesday thursday friday saturday sunday " +
	"당사 본사 자사 전사 임직원 직원 우리 저희 올해 작년 내년 금년 전년 오늘 어제 개정 개정판 개정본")

// parts are the circumstances after the name of an organisation's part.
var parts = []string{"team", "department", "division"}

// units end the names of an organisation's parts: 개발팀.
var units = []string{"팀", "부서", "본부", "부문", "사업부"}

// isCircumstance reports whether a word that no name has is one of circumstances.
func isCircumstance(w string) bool {
	return slices.Contains(circumstances, w) || slices.ContainsFunc(units, func(unit string) bool { return strings.HasSuffix(w, unit) })
}

// qualify reads the word of a title at a place, or it and the one before it if they are one in names, and how many words it read.
// A number says nothing here: years and versions are read apart.
func qualify(d *Directory, words []word, i int, korean bool, text, typed string) (q Qualifier, n int, ok bool) {
	w := text[words[i].from:words[i].to]
	if i > 0 && words[i].from == words[i-1].to+1 && len(d.having(w)) == 0 {
		if both := text[words[i-1].from:words[i-1].to] + w; len(d.having(both)) > 0 {
			return Qualifier{Text: typed[words[i-1].from:words[i].to], docs: d.having(both)}, 2, true
		}
	}
	switch {
	case slices.Contains(modifiers, w) && len(d.having(w)) > 0:
		return Qualifier{Text: w, docs: d.having(w), aside: true}, 1, true
	case numbered(w) || slices.Contains(forms, w) || slices.Contains(modifiers, w):
		return q, 1, true
	case isKorean(w) && !korean || slices.Contains(framing, w) || !content(w):
		return q, 0, false
	}
	if isKorean(w) {
		s := bare(d, w)
		if rest := w[len(s):]; utf8.RuneCountInString(s) < 2 || rest != "" && rest != "의" || describes(w, s) {
			return q, 0, false
		}
		for _, noun := range behind { // 협력사용
			if party, ok := strings.CutSuffix(s, noun); ok && len(d.having(s)) == 0 && len(d.having(party)) > 0 {
				s = party
			}
		}
		w = s
	}
	docs := withWord(d, w, typed[words[i].from:words[i].to])
	if len(docs) == 0 && isCircumstance(w) {
		if n = 1; !korean && i > 0 && slices.Contains(parts, w) && content(text[words[i-1].from:words[i-1].to]) {
			n = 2 // the Sales team
		}
		return q, n, true
	}
	q = Qualifier{Text: typed[words[i].from : words[i].from+len(w)], Must: isKorean(w) && !maybeVerb(w), docs: docs}
	q.Name = !isKorean(w) && (capital(q.Text) && words[i].from > 0 || possessive(text, words[i].to))
	return q, 1, true
}
