package extractive

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/rag"
	"maru/rag/lexicon"
)

// lapse.go answers what happens if what was talked about is not done, or not in time: "그거 늦으면 어떻게
// 돼?" behind "월세는 언제까지 내?", "What if they miss it?" behind "How soon do they reply?". Documents tell
// of it somewhere else and in other words ("If no reply is given in time …"), so the sentences that tell of
// a lapse are taken by themselves, and their condition is held against the question before and what was
// quoted for it.

var (
	// asksLapse is a question for a lapse. Whether it has a topic of its own is [lapse.own].
	asksLapse = expression(`(?i)(?:늦|밀리|지연|연체|지체|넘기|넘으|지나|어기|위반|놓치|빠뜨리)\p{Hangul}*면|(?:^|\s)(?:안|못|늦게|제때)\s+(?:안\s+|못\s+)?\p{Hangul}+면|(?:지\s*않|지\s*못하|지\s*못\s*하)으?면|` +
		`\bif\b.*(?:\b(?:late|miss|misses|missed|fails?|failed|delay(?:s|ed)?|overdue|breach(?:es|ed)?|breaks?|broken|exceeds?|ignores?|forgets?)\b|n't\b|\bnot\b)`)
	// lapsed is how a sentence tells of one, late that it is one of time.
	lapsed = expression(`(?i)` + lateWords + `|않(?:으면|은|을|아서?|고)(?:[\s,]|$)|않는\s*(?:때|경우)|못\s?(?:하면|한|할|하고)(?:[\s,]|$)|못\s?하는\s*(?:때|경우)|(?:^|\s)(?:안|못)\s\p{Hangul}+면|어기|어긴|어겨|위반|불이행|미달|` +
		`\b(?:fails?\s+to|failure|miss(?:es|ed)?|breach(?:es|ed)?|falls?\s+(?:below|short)|otherwise|exceed(?:s|ed)?|excess|ha(?:s|ve)\s+not|(?:do|does|did|is|are|was|were)\s+not|(?:do|does|did|is|are|was|were|has|have)n't|cannot|unless|not\s+(?:paid|done|given|made|met|delivered|supplied|received))\b`)
	late  = expression(`(?i)` + lateWords)
	limit = expression(`(?i)까지|이내|안에|기한|기간|제때|\b(?:within|by|before|in\s+time|due|deadline)\b`)
	askAt = expression(`(?i)늦|밀리|지연|연체|지체|넘기|넘으|지나|놓치|\b(?:late|miss|misses|missed|overdue|delay(?:s|ed)?)\b`)
	ifEn  = expression(`(?i)^\W*(?:[\d.]+\s+)?(?:if|when|where|once|unless|should|whoever|in\s+case|for\s+(?:each|every))\b[^,]*,?|\b(?:if|unless|when|where|for\s+(?:each|every))\b[^,]*`)
	// points is a condition that points to what stands before the sentence.
	points = expression(`(?i)(?:^|\s)(?:이를|이것을|이\s(?:기한|기간|날|의무|조항|비율|수준)|그\s(?:기한|기간|날|의무)|위\s(?:기한|기간)|이에)|^\W*(?:[\d.]+\s+)?(?:if|when|otherwise)[,\s]+(?:it|they|that|this|not)\b|\b(?:that|this|such)\s+(?:level|time|date|period|deadline|limit|duty|obligation|target)\b|^\W*otherwise\b`)
	// reversed asks for the same of the other side.
	reversed = expression(`(?i)반대로|거꾸로|역으로|반대의?\s*경우|\bconversely\b|\bvice\s+versa\b|\bthe\s+other\s+way\b|\bin\s+turn\b`)
	// partyWord is who does something.
	partyWord = expression(`^(?:갑|을|병|회사|상대방|당사자|쌍방|양측|각자|우리|저희|\p{Hangul}{1,4}(?:자|사|인|측|주|원|처))$|^(?:` + parties + `|` + moreParties + `|other|either|neither|we|they|user)$`)
	// vague are words of a condition that say nothing of what is not done.
	vague = set(`기한 기간 제때 제시간 의무 내용 조건 금액 경우 때 날 이상 이하 이후 까지 이내 안 안에 조 항 항의 호 다시 직전 뒤 전 후 없다 있다 한다 다음 해당 조항 계약 해 일 월 년 개월 연 하루 뜻 밀린 늦 늦게 지연 지연된 연체 지체 정한 이를 따른
time timely date day days month months week hour hours year period obligation obligations deadline sum sums amount amounts level agreement contract late later delay delays delayed fail fails failure miss misses missed breach breaches overdue due paid full every each below above excess according
one two three four five six seven eight nine ten thirty sixty ninety twelve twenty`)
)

const lateWords = `늦|밀리|밀린|지연|지체|연체|넘(?:기|긴|으면|은|어서)|제때|지난\s|\b(?:late|later\s+than|overdue|delay(?:s|ed)?|unpaid|not\s+(?:paid|done|given|made|met|delivered|supplied)(?:\s+when|\s+in|\s+by)|in\s+time|in\s+default|in\s+arrears|excess)\b`

// lapseForm is what is said to be missing where no sentence tells of the lapse.
var lapseForm = form{lacks: consequence}

// latenessKo and latenessEn are how documents say that something is not done in time.
const (
	latenessKo = "지연 지체 연체 제때 기한을 넘기면 지연이자"
	latenessEn = "late delay overdue unpaid not in time interest credit"
)

// laterToo is a second search where a question is asked to documents what happens in a lapse: that often
// stands elsewhere, in none of the question's words.
func (a *ask) laterToo(w wish) []llm.ToolCall {
	if w.kind != wantsDocuments || !asksLapse.MatchString(a.question) {
		return nil
	}
	return a.searchToo(w, latenessKo, latenessEn)
}

// searchToo asks the documents for words of the question's language besides its own.
func (a *ask) searchToo(w wish, ko, en string) []llm.ToolCall {
	w.arg = en
	if hangul(a.question) {
		w.arg = ko
	}
	if call, ok := a.toolFor(w); ok {
		return []llm.ToolCall{call}
	}
	return nil
}

// lapse is a question for one, with what it is about.
type lapse struct {
	about  []wanted // the question before
	own    []wanted // what this one is about by itself
	quoted []string // what was answered before
	party  string   // who it is that does not do it, "" for anyone
	owner  string   // who was to do it, by what was quoted; "" if that is not plain
	other  []string // who it is not: the other side was asked about
	timely bool     // it is done, but late
}

// lapse reads the question; nil if it asks for something else.
func (a *ask) lapse() *lapse {
	if a.leant == "" || !asksLapse.MatchString(a.question) {
		return nil
	}
	l := &lapse{about: subject(a.leant), quoted: quotations(a.before), timely: askAt.MatchString(a.question)}
	if len(l.quoted) == 0 { // it was declined, or scrolled away
		before := *a
		before.question, before.leant = a.leant, ""
		for _, c := range before.best() {
			l.quoted = append(l.quoted, c.text)
		}
	}
	if ps := actorsIn(a.question); len(ps) > 0 {
		l.party = ps[0]
	}
	l.owner = ownerOf(l.quoted, l.about)
	if reversed.MatchString(a.question) && l.party == "" {
		l.owner = ""
		for _, q := range append(l.quoted, a.leant) {
			l.other = append(l.other, actorsIn(q)...)
		}
	}
	rest := reversed.ReplaceAllString(a.question, " ")
	if rag.BareCase(rest) {
		return l
	}
	for _, w := range subject(deedInCase.ReplaceAllString(rest, " ")) {
		if w.weight == 1 && !vague[w.stem] && !partyWord.MatchString(w.stem) && !askAt.MatchString(w.stem) && w.stem != l.party && !pronouns[w.stem] && !slight[w.stem] {
			l.own = append(l.own, w)
		}
	}
	return l
}

// deedInCase is what is not done, with the words that ask what happens then: a verb is no topic.
var deedInCase = expression(`\p{Hangul}*면(?:은?요)?(?:[\s?].*)?$|(?i)\b(?:what\s+(?:happens\s+)?if|n't\s+[a-z]+|not\s+[a-z]+|fails?\s+to\s+[a-z]+|(?:we|they|you|i|he|she|it|that|this)(?:'s|'re|'ve|'m)?\b)`)

// ofMoney and anySum tell that a sum is meant, of whatever.
var (
	ofMoney = expression(`(?i)^(?:\p{Hangul}*(?:대금|대가|차임|월세|임대료|요금|비용|금액|잔금|중도금|계약금|수수료|사용료|이용료|임금|월급|급여)|invoice|bill|fee|charge|price|payment|pay|rent|subscription|salar(?:y|ie)|wage|instal+ment)s?$`)
	anySum  = expression(`(?i)(?:^|\s)(?:금액|돈)|\b(?:sums?|amounts?|payments?|pay|pays|paid|unpaid|invoices?)\b`)
)

// ownerOf is who does what was asked about, by the quotation that holds most of it.
func ownerOf(quoted []string, about []wanted) string {
	owner, most := "", -1.0
	for _, q := range quoted {
		sum, in := 0.0, stems(q)
		for _, w := range about {
			sum += w.weight * w.heldBy(in)
		}
		if sum > most {
			owner, most = "", sum
			if actors := actorsIn(q); len(actors) > 0 && hangul(q) {
				owner = actors[0]
			}
		}
	}
	return owner
}

// pronouns point and openings lead, so they are no topic.
var pronouns = set(`그 그거 그걸 그것 그게 그건 그때 이거 이것 이건 아까 그럼 그러면 그렇다면 그런데 만약 만일 혹시 미리 제대로 then suppose what what's happen happens that's they're it's we're`)

// quotations are the sentences that the last answer quoted.
func quotations(before []llm.Message) []string {
	var out []string
	for _, m := range slices.Backward(before) {
		if m.Role != llm.Assistant {
			continue
		}
		for line := range strings.SplitSeq(m.Content, "\n") {
			if q, ok := strings.CutPrefix(line, "> "); ok {
				out = append(out, strings.TrimSpace(citation.ReplaceAllString(q, "")))
			}
		}
		return out
	}
	return nil
}

var citation = expression(`\s*\[\d+\]\s*$`)

// actorKo and actorEn are who does something in a sentence or a condition.
var (
	actorKo = expression(`(?:^|[\s.])(갑|을|병|회사|직원|상대방|\p{Hangul}{1,4}(?:자|사|인|측|주|처|원))(?:이|가|은|는|께서)\s`)
	actorEn = expression(`(?i)\b(` + parties + `|` + moreParties + `)\b`)
)

// moreParties are who else contracts are made with.
const moreParties = `operator|merchant|host|distributor|manufacturer|franchisor|franchisee|agent|broker|publisher|author|freelancer|designer|developer|retailer|sponsor|organi[sz]er`

func actorsIn(text string) []string {
	var out []string
	for _, m := range actorKo.FindAllStringSubmatch(text, -1) {
		if !thingsLikeKo[m[1]] {
			out = append(out, m[1])
		}
	}
	for _, m := range actorEn.FindAllString(text, -1) {
		out = append(out, strings.ToLower(m))
	}
	return out
}

// condition is what of a sentence says when it holds; "" if it tells of no lapse.
func condition(text string) string {
	at := lapsed.FindAllStringIndex(text, -1)
	if len(at) == 0 {
		return ""
	}
	if !hangul(text) {
		if c := ifEn.FindString(text); lapsed.MatchString(c) {
			return c
		}
		return text[:at[0][1]]
	}
	end := at[len(at)-1][1]
	for _, m := range at { // the first that is a condition: "늦으면 … 내지 않은"
		if rest := text[m[1]:]; strings.Contains(text[m[0]:m[1]], "면") || conditional.MatchString(rest) {
			end = m[1] + len(conditional.FindString(rest))
			break
		}
	}
	return text[:end]
}

// conditional goes on behind the word of a lapse to the end of the condition.
var conditional = expression(`^\p{Hangul}*(?:면|때|날|경우)(?:에는|에|는)?|^\p{Hangul}*\s+(?:때|경우|날|기간|금액|돈)\p{Hangul}*`)

// inLapse returns the sentences that say what happens in the lapse, best first; none if no sentence
// plainly does.
func (a *ask) inLapse(l *lapse) []candidate {
	all := a.candidates()
	topic := l.topic()
	sayOtherwise(topic, all, true)
	definedToo(topic, all)
	var out []candidate
	for i := range all {
		if s := l.fit(all, i, topic); s > 0 {
			all[i].score = s
			out = append(out, all[i])
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	for n := range out {
		if out[n].score < near*out[0].score {
			out = out[:n]
			break
		}
	}
	out = out[:min(len(out), maxQuotes)]
	sort.SliceStable(out, func(i, j int) bool { return out[i].order < out[j].order })
	return out
}

// fromAnswer is the weight of a word that only the answer before had.
const fromAnswer = 0.9

// topic are the words of the question before and of what was quoted for it.
func (l *lapse) topic() []wanted {
	out := append(slices.Clone(l.own), l.about...)
	for _, q := range l.quoted {
		for _, w := range subject(q) {
			if w.weight < 1 || utf8.RuneCountInString(w.stem) < 2 {
				continue
			}
			if !slices.ContainsFunc(out, func(o wanted) bool { return o.stem == w.stem }) && len(out) < maxTerms {
				w.weight = fromAnswer
				out = append(out, w)
			}
		}
	}
	return slices.DeleteFunc(out, func(w wanted) bool {
		return vague[w.stem] || partyWord.MatchString(w.stem) || strings.ContainsAny(w.stem, "0123456789")
	})
}

// fit is how well sentence i tells what happens in the lapse, 0 if it does not.
func (l *lapse) fit(all []candidate, i int, topic []wanted) float64 {
	c := all[i]
	cond := condition(c.text)
	if cond == "" || !l.sameParty(cond) || !c.isAbout(l.own) {
		return 0
	}
	behind, itself := l.behind(all, i)
	if l.timely && !behind && !late.MatchString(c.text) && !limit.MatchString(cond) {
		return 0
	}
	shared, named := 0.0, 0.0
	for _, s := range content(paragraphMark.ReplaceAllString(withoutNumber.ReplaceAllString(cond, " "), " ")) {
		if vague[s] || partyWord.MatchString(s) || strings.ContainsAny(s, "0123456789") || lapsed.MatchString(s) || utf8.RuneCountInString(s) < 2 && !isSyllable(s) {
			continue
		}
		named++
		if slices.ContainsFunc(topic, func(w wanted) bool {
			if w.weight == fromAnswer { // of what was quoted the word itself: 번역료 is no 번역
				return w.stem == s
			}
			return w.heldBy([]string{s}) >= lexicon.WiderMatch
		}) {
			shared++
		}
	}
	if anySum.MatchString(cond) && slices.ContainsFunc(append(l.own, l.about...), func(w wanted) bool { return ofMoney.MatchString(w.stem) }) {
		named, shared = named+1, shared+1
	}
	around := 0.0 // what it is about stands in the heading alone
	if named == 0 && slices.ContainsFunc(l.about, func(w wanted) bool {
		return w.weight == 1 && !vague[w.stem] && !partyWord.MatchString(w.stem) && w.heldBy(c.context) >= lexicon.WiderMatch
	}) {
		around = 1
	}
	switch pointing := points.MatchString(cond); {
	case behind && (pointing || named == 0 || shared/named >= 0.5):
		return 2
	case len(l.own) > 0 && named > 0 && shared/named >= 0.5:
		return 1.5
	case itself && shared/max(named, 1) >= 0.5:
		return 1.6
	case pointing && l.follows(all, i) && (named == 0 || shared > 0):
		return 1.8
	case (len(l.other) > 0 || l.party != "") && l.inArticle(all, i):
		return 1.6
	case l.party != "" && len(l.own) == 0 && l.timely && late.MatchString(cond):
		return 1
	case pointing: // to something else
		return 0
	case named == 0:
		return around
	case shared/named >= 0.5:
		return 1 + shared/named/2
	}
	return 0
}

// paragraphMark begins a paragraph.
var paragraphMark = expression(`[①-⑳]|^\s*\(?\d+(?:\.\d+)*[.)]?\s`)

// sameParty reports whether the condition is one of whom the question asks about.
func (l *lapse) sameParty(cond string) bool {
	theirs := actorsIn(cond)
	if len(theirs) == 0 {
		return l.party == "" && (len(l.other) == 0 || len(l.own) > 0)
	}
	if l.party != "" {
		return has(theirs, l.party)
	}
	if l.owner != "" {
		return slices.Contains(theirs, l.owner)
	}
	return len(l.other) == 0 || len(l.own) > 0 || !slices.ContainsFunc(l.other, func(o string) bool { return theirs[0] == o })
}

// isAbout reports whether a sentence or the headings above it have all that is asked about.
func (c candidate) isAbout(own []wanted) bool {
	for _, w := range own {
		if max(w.heldBy(c.stems), w.heldBy(c.context)) < present {
			return false
		}
	}
	return true
}

// behind reports whether sentence i stands right behind one that was quoted, and whether it was itself.
func (l *lapse) behind(all []candidate, i int) (behind, itself bool) {
	behind = i > 0 && all[i-1].n == all[i].n && slices.Contains(l.quoted, all[i-1].text)
	return behind, slices.Contains(l.quoted, all[i].text)
}

// follows reports whether sentence i stands somewhere behind one that was quoted, in its passage.
func (l *lapse) follows(all []candidate, i int) bool {
	for k := i - 1; k >= 0 && all[k].n == all[i].n; k-- {
		if slices.Contains(l.quoted, all[k].text) {
			return true
		}
	}
	return false
}

// inArticle reports whether a sentence of the same passage was quoted.
func (l *lapse) inArticle(all []candidate, i int) bool {
	return slices.ContainsFunc(all, func(c candidate) bool { return c.n == all[i].n && slices.Contains(l.quoted, c.text) })
}
