package rag

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"maru/phrase/pattern"
)

// Grounded is an answer whose citations were held against the passages.
type Grounded struct {
	Text     string   // the corrected answer
	Invented int      // removed citations of passages that do not exist
	Moved    int      // citations moved to the passage that supports the statement
	Added    int      // statements that gained a missing citation
	Uncited  []string // statements without sufficient support in any passage
}

const (
	supported   = 0.6 // share of a sentence's words at which a passage supports it
	ofTwo       = 0.8 // the same for two passages together, as more words occur in two by chance
	unsupported = 0.3 // share below which a cited passage does not support it
	shortest    = 3   // minimum words of a statement, and of those that a passage must have to be cited for it
	terse       = 2   // the same for a complete sentence that a passage covers completely
)

// Ground checks an answer before it is sent: it removes invented citations, corrects wrong ones if the passages
// identify the right one, and adds missing ones where a passage clearly supports the statement, numbers included; a
// quotation of several lines gets one. It never changes words. Questions, code, headings, list items that name a
// passage, and short unsupported sentences are not statements; nor is a refusal.
func Ground(answer string, hits []Hit) Grounded {
	var g Grounded
	g.Text, g.Invented = DropInvented(answer, len(hits))
	if len(hits) == 0 {
		return g
	}
	passages := make([]held, len(hits))
	for i, h := range hits {
		passages[i] = hold(h)
	}
	var out strings.Builder
	for _, b := range blocks(g.Text, hits) {
		switch {
		case b.kind == asIs, b.kind == quoted && b.sourced:
			out.WriteString(b.text)
		case b.kind == quoted:
			out.WriteString(g.ground(b.text, passages))
		default:
			for _, s := range statements(b.text) {
				out.WriteString(g.ground(s, passages))
			}
		}
	}
	g.Text = out.String()
	return g
}

// block is a line of an answer, or consecutive lines of one quotation.
type block struct {
	text    string
	kind    blockKind
	sourced bool // a quotation cited in itself or in the line above
}

type blockKind int

const (
	stating blockKind = iota
	asIs              // code, headings, tables, names of passages
	quoted
)

// blocks splits an answer into units of grounding; concatenated they are the answer.
func blocks(answer string, hits []Hit) []block {
	var out []block
	above := "" // the last line that is not blank
	code, at, quote := codeIn(answer), 0, 0
	for line := range strings.Lines(answer) {
		t := strings.TrimSpace(line)
		begin := at
		at += len(line)
		for len(code) > 0 && (!code[0].block || code[0].to <= begin) {
			code = code[1:]
		}
		last := len(out) - 1
		switch {
		case len(code) > 0 && code[0].from < at || !prose(line) || place(line, hits):
			out = append(out, block{text: line, kind: asIs})
		case t[0] != '>':
			out = append(out, block{text: line})
		case last >= 0 && out[last].kind == quoted:
			out[last].text = answer[quote:at]
			out[last].sourced = out[last].sourced || len(cites(line)) > 0
		default:
			quote = begin
			out = append(out, block{text: line, kind: quoted, sourced: len(cites(line)) > 0 || len(cites(above)) > 0})
		}
		if t != "" {
			above = t
		}
	}
	return out
}

func prose(line string) bool {
	t := strings.TrimSpace(line)
	return t != "" && t[0] != '#' && t[0] != '|' && !strings.HasPrefix(t, "_") && !boldHead.MatchString(t)
}

// boldHead matches a bold line that is not a sentence, as models write headings: **Your contract**, **표준계약서:**.
var boldHead = pattern.New(`^\*\*[^*]*[^*.!?。]\*\*:?$`)

// place reports whether a line is a list item that only names a passage's place, with any path separators: it is not
// a statement.
func place(line string, hits []Hit) bool {
	item, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
	if !ok {
		return false
	}
	named := letters(item)
	return slices.ContainsFunc(hits, func(h Hit) bool {
		title := h.Document.Title
		if end, ok := strings.CutPrefix(named, letters(title)); ok && end != "" && strings.HasSuffix(letters(h.Chunk.Context), end) {
			return true
		}
		return slices.Contains([]string{letters(title), letters(Place(h)), letters(title + h.Chunk.Context), letters(title + strings.Join(h.Chunk.Heading, ""))}, named)
	})
}

// letters returns the letters and digits of a text, folded.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, fold(s, false))
}

// ground returns one sentence with corrected citations.
func (g *Grounded) ground(sentence string, passages []held) string {
	if c := codeIn(sentence); len(c) > 0 && c[len(c)-1].open {
		return sentence // continued code: brackets there are not citations
	}
	cited, _ := Cited(sentence, len(passages))
	words := wordsOf(sentence)
	if len(words) < terse || statesNothing(sentence) {
		return sentence
	}
	best, score, held := 0, 0.0, 0.0
	for i, p := range passages {
		if s, h := p.share(words); s > score {
			best, score, held = i+1, s, h
		}
	}
	whole := score == 1 && ended.MatchString(sentence)
	if len(words) < shortest && (len(cited) > 0 || !whole) {
		return sentence
	}
	if len(cited) == 0 {
		if first, second := together(passages, words); score < supported && first > 0 {
			g.Added++
			return cite(cite(sentence, first), second)
		}
		if score < supported || held < terse || held < shortest && !whole { // pleasantries share two words with any text
			g.Uncited = append(g.Uncited, strings.TrimSpace(sentence))
			return sentence
		}
		g.Added++
		return cite(sentence, best)
	}
	own := 0.0
	for _, n := range cited {
		share, _ := passages[n-1].share(words)
		own = max(own, share)
	}
	switch {
	case own >= unsupported:
		return sentence
	case score >= supported:
		g.Moved++
		return cite(eachCitation(sentence, func(mark) string { return "" }), best)
	}
	g.Uncited = append(g.Uncited, strings.TrimSpace(sentence))
	return sentence
}

// together returns the two passages that support a sentence only together, as one that joins whom to call from one page with
// the number from another; 0 if none do. Each must have two words that the other lacks.
func together(passages []held, words []Word) (first, second int) {
	most := 0.0
	for i, p := range passages {
		for j, q := range passages[i+1:] {
			if lacks(q, p, words) < 2 || lacks(p, q, words) < 2 {
				continue
			}
			both := maps.Clone(p)
			maps.Copy(both, q)
			if share, _ := both.share(words); share >= ofTwo && share > most {
				most, first, second = share, i+1, i+j+2
			}
		}
	}
	return first, second
}

// lacks counts the words that a passage lacks and another has.
func lacks(p, other held, words []Word) (n int) {
	for _, w := range words {
		if w.HeldBy(p) == 0 && w.HeldBy(other) == 1 {
			n++
		}
	}
	return n
}

// cite inserts a citation after a sentence, before the trailing space.
func cite(sentence string, n int) string {
	text := strings.TrimRight(sentence, " \t\n")
	return text + " [" + strconv.Itoa(n) + "]" + sentence[len(text):]
}

// statementEnd matches the end of a sentence with its citations and trailing space. Some models put a full stop
// behind the citations as well.
var statementEnd = pattern.New(`[.!?。]["')\]]?(?:(?:[ \t]?\[\d[\d,\s–-]*\])+[.。]?)?(?:\s+|$)`)

// statements splits a line into sentences; concatenated they are the line.
func statements(line string) []string {
	var out []string
	from := 0
	for _, m := range statementEnd.FindAllStringIndex(line, -1) {
		out = append(out, line[from:m[1]])
		from = m[1]
	}
	if from < len(line) {
		out = append(out, line[from:])
	}
	return out
}

// ended reports whether a sentence is complete rather than a name or label.
var ended = pattern.New(`[.!。]["')\]]?\s*$`)

// silence matches words for "the documents don't say".
var silence = pattern.New(`(?i)문서에(?:는|서는|서)? .{0,24}(?:없|못)|찾지 못|나와 ?있지 않|계약서?에(?:는|서는|서)? .{0,40}(?:(?:내용|언급|규정|조항|설명)[이은도]? ?없|(?:언급|규정|명시|기재)(?:하고|되어|돼) 있지 않|적혀 있지 않)|` +
	`documents? (?:that were found |I can read here )?(?:do|does)(?: not|n't) |(?:contract|agreement|passage|text|context|handbook|polic(?:y|ie)|information)s? (?:do|does)(?: not|n't) (?:say|state|mention|specify|tell|answer|address|contain|include|provide|give|cover)|not (?:found|mentioned|stated) in|found nothing about|could ?n[o']t find`)

// absent matches more words for it, which a document may have in other senses: of a sentence with a citation they are none.
var absent = pattern.New(`(?i)` + strings.Join([]string{
	`(?:문서|자료|핸드북|안내서|지침|규칙|규정)(?:들?[ ]?중)?에(?:는|서는|서)? (?:.{0,40}(?:(?:내용|정보|안내|언급|설명|규정|조항|답변?|정해진 것)[이은는도]? ?없|(?:언급|명시|기재|포함|규정)(?:되어|돼|하고) 있지 않)|없)` + koreanEnd,
	`(?:(?:정보|내용|답변?)[을를은는] 찾을 수|(?:^|\s)(?:관련(?:된|한)?|대한|해당하는) (?:내용|정보|언급|규정|자료)[이은는도]?|(?:문서|자료|내용|정보)(?:만으로|로)는? (?:\S+ ){0,3}(?:알|확인할|답할|답변할|판단할) 수(?:는|가)?) ?없` + koreanEnd,
	`\b(?:nothing|no (?:\w+ )?(?:information|mention|details?|answer|reference)s?)(?: (?:about|on|of|for|regarding|concerning)\b[^.,;]{0,50})?(?: (?:is |was |are )?(?:found|available|given|provided|mentioned|included|stated))? (?:in|from|by) ` + ofDocuments + englishEnd,
	`(?:\bnot|n['’]t) (?:(?:directly|explicitly|specifically) )?(?:(?:found|mentioned|stated|covered|specified|included|available|addressed|listed|part) )?(?:in|by|of) ` + ofDocuments + englishEnd,
	documentNouns + `,? ?(?:(?:is|are) silent|(?:ha(?:s|ve)|contains?|provides?|gives?|says?|offers?|there (?:is|are)) (?:nothing|no (?:\w+ )?(?:information|mention|details?|answer|reference)))\b`,
	documentNouns + ` (?:do|does)(?: not|n['’]t) (?:\w+ )?` + says + `|\bnone of ` + ofDocuments + ` ` + says + `|\bnothing in ` + ofDocuments + ` ` + says,
	`^(?:(?:I['’]m |I am )?(?:sorry|unfortunately)[,.]? (?:but )?)?I (?:can(?:not|['’]t) find (?:this|that|it|any(?:thing)?|the answer|information)|(?:do not|don['’]t) have (?:any |enough |the |that )?(?:\w+ )?(?:information|details?|answer))\b`,
}, "|"))

const (
	documentNouns = `\b(?:documents?|documentation|handbook|passages?|context|sources?)\b`
	ofDocuments   = `(?:the |any |our |your )?(?:\w+(?:'s)? ){0,2}` + documentNouns
	says          = `(?:says?|states?|mentions?|specif(?:y|ies)|tells?|answers?|address(?:es)?|contains?|includes?|provides?|gives?|covers?)\b`
	englishEnd    = `(?: (?:that )?(?:I (?:have|can (?:read|see)|found)(?: here)?|provided|given))?[.!]?\s*$`
	koreanEnd     = `(?:습니다|어요|아요|네요|다|음)[.!]?\s*$`
)

// denies reports whether a sentence says that the documents don't say.
func denies(sentence string) bool {
	return silence.MatchString(sentence) || len(cites(sentence)) == 0 && absent.MatchString(sentence)
}

// statesNothing reports whether a sentence states nothing: a question or a refusal.
func statesNothing(sentence string) bool {
	t := strings.TrimSpace(eachCitation(sentence, func(mark) string { return "" }))
	return strings.HasSuffix(t, "?") || strings.HasSuffix(t, ":") || denies(sentence)
}

// Declines reports whether an answer is a refusal without other cited statements. Notes below it, which are in italics, do not
// count.
func Declines(answer string) bool {
	said := false
	for line := range strings.Lines(answer) {
		if strings.HasPrefix(line, "_") {
			continue
		}
		for _, s := range statements(line) {
			if denies(s) {
				said = true
			} else if len(cites(s)) > 0 {
				return false
			}
		}
	}
	return said
}

// cites returns the cited numbers of a sentence, valid or not.
func cites(sentence string) []int {
	numbers, _ := Cited(sentence, maxCited)
	return numbers
}

// maxCited is the greatest citation number; see [citation].
const maxCited = 999

// wordsOf returns the content words of a sentence.
func wordsOf(sentence string) []Word {
	var a Analyzer
	text := eachCitation(sentence, func(mark) string { return "" })
	return slices.DeleteFunc(a.Query(text), func(w Word) bool { return w.Weight == 0 })
}

// held is the term set of a passage.
type held map[string]bool

func hold(h Hit) held {
	return held(HoldingOf(h.Chunk.Context, h.Document.Title, h.Chunk.Text))
}

// share returns the share of a sentence's words in the passage, by weight, and how many these are; all numbers together count
// as one. A missing number cannot be offset: a passage with 10 days does not support 15 days.
func (p held) share(words []Word) (share, held float64) {
	have, all, number := 0.0, 0.0, 0.0
	for _, w := range words {
		match := w.HeldBy(p)
		digits := isDigit(w.Terms[0][0])
		if match < 1 && digits {
			return 0, 0
		}
		all += w.Weight
		have += w.Weight * match
		switch {
		case digits:
			number = 1
		case match > 0:
			held++
		}
	}
	if all == 0 {
		return 0, 0
	}
	return have / all, held + number
}
