// Package article parses the numbering of laws, rule books and contracts: 제2장, 제10조의2, 제3항제1호, 별표 1, 부칙; Chapter II,
// Article 5(2)(a), Section 3.2, Annex B. It maps questions and headings to one [Ref], and finds a 항 or 호 inside an
// article's text. It is pure and must not know documents, passages or indexes; see [maru/rag] for look-ups.
package article

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is the level of the part that a Ref names.
type Kind uint8

// The kinds, from the outermost.
const (
	Part        Kind = iota + 1 // 편, Part, Title
	Chapter                     // 장, Chapter
	Division                    // 절
	Subdivision                 // 관
	Article                     // 조, Article
	Section                     // Section, Clause, §, "3.2 Fees"
	Annex                       // 별표, 별지, 별첨, 붙임, Annex, Appendix, Schedule, Exhibit
	Addenda                     // 부칙
)

// Ref names a part of a document: an article and perhaps a paragraph in it.
type Ref struct {
	Kind      Kind
	Number    string // "5", "10-2" for 제10조의2 and for 10.2, "B" for Annex B; empty for a lone 부칙
	Korean    bool   // written in Korean
	Word      string // what an annex calls itself, in lower case: "별지", "schedule"; empty for 별표 and of others
	Paragraph string // 항: "2" for 제2항 and (2)
	Item      string // 호: "3", "3-2" for 제3호의2, "a" for (a)
	Point     string // 목: "가"
}

// Key returns the canonical form of the article, without paragraph and language: "§10-2", "annex 1", "chapter 2". An
// Article and a Section of one number share a key.
func (r Ref) Key() string {
	names := [...]string{Part: "part ", Chapter: "chapter ", Division: "division ", Subdivision: "subdivision ", Article: "§", Section: "§", Annex: "annex ", Addenda: "addenda "}
	if int(r.Kind) >= len(names) || r.Kind == 0 {
		return ""
	}
	return strings.TrimSpace(names[r.Kind] + strings.ToLower(r.Number))
}

// Article is r without paragraph, item and point.
func (r Ref) Article() Ref {
	return Ref{Kind: r.Kind, Number: r.Number, Korean: r.Korean, Word: r.Word}
}

// Inner reports whether r names a paragraph or an item rather than the whole article.
func (r Ref) Inner() bool { return r.Paragraph != "" || r.Item != "" || r.Point != "" }

// String formats the ref in its language: 제10조의2제1항, Article 5(2)(a).
func (r Ref) String() string {
	if r.Korean {
		return r.korean()
	}
	names := [...]string{Part: "Part", Chapter: "Chapter", Division: "Division", Subdivision: "Subdivision", Article: "Article", Section: "Section", Annex: "Annex", Addenda: "Addenda"}
	if int(r.Kind) >= len(names) || r.Kind == 0 {
		return ""
	}
	number := r.Number
	if r.Kind == Section {
		number = strings.ReplaceAll(number, "-", ".")
	}
	s := strings.TrimSpace(names[r.Kind] + " " + number)
	for _, p := range []string{r.Paragraph, r.Item, r.Point} {
		if p != "" {
			s += "(" + p + ")"
		}
	}
	return s
}

func (r Ref) korean() string {
	suffix := map[Kind]string{Part: "편", Chapter: "장", Division: "절", Subdivision: "관", Article: "조", Section: "조"}[r.Kind]
	var s string
	switch r.Kind {
	case Annex:
		word := r.Word
		if word == "" {
			word = "별표"
		}
		s = strings.TrimSpace(word + " " + branch(r.Number))
	case Addenda:
		s = strings.TrimSpace("부칙 " + r.Number)
	default:
		number, sub, has := strings.Cut(r.Number, "-")
		s = "제" + number + suffix
		if has {
			s += "의" + sub
		}
	}
	if r.Paragraph != "" {
		s += "제" + r.Paragraph + "항"
	}
	if number, sub, has := strings.Cut(r.Item, "-"); r.Item != "" {
		s += "제" + number + "호"
		if has {
			s += "의" + sub
		}
	}
	if r.Point != "" {
		s += r.Point + "목"
	}
	return s
}

func branch(number string) string { return strings.ReplaceAll(number, "-", "의") }

// Distance returns the difference of two article numbers, for nearest matches; ok is false if they are not
// comparable.
func Distance(a, b Ref) (d float64, ok bool) {
	x, errX := value(a.Number)
	y, errY := value(b.Number)
	if errX != nil || errY != nil || (a.Key() == "" || b.Key() == "") {
		return 0, false
	}
	if x > y {
		return x - y, true
	}
	return y - x, true
}

func value(number string) (float64, error) {
	main, sub, _ := strings.Cut(number, "-")
	n, err := strconv.Atoi(main)
	if err != nil {
		return 0, fmt.Errorf("number %q: %w", number, err)
	}
	m, _ := strconv.Atoi(sub) // no branch counts as 0
	return float64(n) + float64(m)/1000, nil
}

// Find returns the refs in a text in order, spelled-out numbers included. It ignores a paragraph or an item without
// an article (제2항).
func Find(text string) []Ref {
	var out []Ref
	each(InFigures(narrow(text)), func(r Ref) { out = append(out, r) }, func(string) {})
	return out
}

// each calls its functions for the refs of a text and the text between them, in order.
func each(text string, ref func(Ref), between func(string)) {
	from := 0
	for i := 0; i < len(text); {
		r, n := mention(text, i)
		if n == 0 {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		r, m := inner(text, i+n, r)
		between(text[from:i] + " ")
		ref(r)
		i += n + m
		from = i
	}
	between(text[from:])
}

var dashed = strings.NewReplacer("의", "-", ".", "-", " ", "")

// Parse parses a text that consists of a ref alone, such as "제5조 제2항" or "article 5"; a bare number ("5", "10-2",
// "10의2") is an article's.
func Parse(text string) (Ref, bool) {
	text = strings.TrimSpace(narrow(text))
	if refs := Find(text); len(refs) > 0 {
		return refs[0], true
	}
	bare := dashed.Replace(strings.TrimPrefix(text, "제"))
	if bare == "" || strings.Trim(bare, "0123456789-") != "" || !isDigit(bare[0]) || strings.HasSuffix(bare, "-") {
		if text == "부칙" {
			return Ref{Kind: Addenda, Korean: true}, true
		}
		if word, _ := koreanAnnexWord(text); word != "" && word == text {
			return annexOf(word, ""), true
		}
		return Ref{}, false
	}
	return Ref{Kind: Article, Number: trimZeros(bare)}, true
}

func trimZeros(number string) string {
	if s := strings.TrimLeft(number, "0"); s != "" && isDigit(s[0]) {
		return s
	}
	return number
}
