package answer

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// A question of a plain form asks for one thing and names it: "what is the laptop stipend?", "사무실 주소가 어디야?". A passage that
// lacks one of the name's nouns is about another thing, however alike: the coworking stipend.
var (
	// beEn and doEn match an English question with "be" and with "do", and the thing after it.
	beEn = pattern.New(`(?i)^\W*(?:(?:hi|hello|hey|so|and|please|ok|okay)\b[ ,.!]*)*(?:what|when|where|who|how (?:much|long|often|big|large|high|old|late))(?:['’]s| is| are| was| were)\s+(?:(?:the|our|your|my|an?)\s+)?(.+)$`)
	doEn = pattern.New(`(?i)^\W*(?:(?:hi|hello|hey|so|and|please|ok|okay)\b[ ,.!]*)*(?:what|when|where|who|how (?:much|long|often|soon|late|many))(?: time| \p{L}+)? (?:does|do|did|will|would)\s+(?:the|our|your|my|an?)\s+(\p{L}+)`)
	// isKo matches a Korean question whose only verb is "to be", and the thing before it.
	isKo = pattern.New(`^(.*?)\s*(?:얼마|언제|어디|누구|며칠|몇\s?\p{Hangul}+?)(?:이에요|예요|에요|인가요|인지\p{Hangul}*|입니까|이야|야|죠|지|니|임|까지야|까지예요|까지인가요)?\s*[?？.!~]*$`)
	// topicKo is the topic of a Korean question.
	topicKo = pattern.New(`(?:^|\s)(\p{Hangul}{2,}[은는])\s`)
	// measures are nouns for the value itself and adjectives beside it, which sentences leave to the value: 한도는 5만 원. So is the asker's own
	// workplace (회사 창립일), which its pages do not name.
	measures = pattern.New(`^(?i:limit|cap|requirements?|amount|price|cost|rate|ratio|number|length|duration|period|time|date|day|deadline|name|nickname|title|word|term|address|location|place|size|population|hours|fee|meaning|definition|reason|purpose|type|kind|` +
		`maximum|minimum|max|min|total|average|approximate|exact|current|usual|official|main|major|new|whole|` + inWords + `|` +
		`회사|사내|company|workplace|하루|한번|총|전체|모두|한도|상한|하한|최대|최소|금액|가격|비용|요금|기간|기한|시간|날짜|횟수|개수|인원|이름|주소|위치|장소|이유|뜻|의미|단위|기준|일수|금리|정도)$`)
	phraseEnd  = pattern.New(`(?i)\s(?:for|of|on|in|at|to|per|if|when|while|during|after|before|with|without|and|or|by|from|that|which|who|as|than|between|about|under|over|until|since|due|paid)\b.*$|[?!.,;].*$`)
	participle = pattern.New(`(?i)ed$|^(?:be(?:en|ing)|born|built|done|due|found|given|gone|held|kept|known|left|lost|made|paid|said|seen|sent|set|shown|sold|taken|won|written)$`)
)

// thing returns the nouns by which a question of a plain form names what it asks for; none if it has another form.
func thing(question string) []string {
	if question = strings.TrimSpace(question); soughtBy(question).asksTerm() {
		return nil // see [sentence.ofTerm]
	}
	if m := beEn.FindStringSubmatch(question); m != nil {
		ws := Words(phraseEnd.ReplaceAllString(" "+m[1], ""))
		return slices.DeleteFunc(ws, participle.MatchString)
	}
	if m := doEn.FindStringSubmatch(question); m != nil {
		return Words(m[1])
	}
	if m := isKo.FindStringSubmatch(question); m != nil {
		if ws := Words(m[1]); !slices.ContainsFunc(ws, predicateKo.MatchString) {
			return withoutVerbs(ws)
		}
	}
	if list := topicKo.FindAllStringSubmatch(strings.ReplaceAll(question, " ", "  "), 2); len(list) == 1 && AsksValue(question) {
		return Words(list[0][1])
	}
	return nil
}

// withoutVerbs removes the words in 는 before another topic: they are verbs beside the noun (들어가는 회의실은), and where they are topics
// of their own (회사는 식대는) no passage need say them.
func withoutVerbs(words []string) []string {
	last := -1
	for i, w := range words {
		if strings.HasSuffix(w, "는") || strings.HasSuffix(w, "은") {
			last = i
		}
	}
	var out []string
	for i, w := range words {
		if i >= last || !strings.HasSuffix(w, "는") {
			out = append(out, w)
		}
	}
	return out
}

// lacksThing reports whether the passage of a sentence, with its headings, lacks a noun of the thing that a question asks for.
func (s sentence) lacksThing(things []string, list []wanted) bool {
	for k, w := range list {
		if s.about[k] < leastNamed && w.share >= leastShare && w.Weight >= nounWeight && slices.Contains(things, w.Text) &&
			!measures.MatchString(w.Terms[0]) && !measures.MatchString(w.Text) {
			return true
		}
	}
	return false
}

const (
	nounWeight = 0.5  // of a noun that a passage about the thing has: verbs, and nouns for the kind of text (policy, 규정), weigh less
	leastNamed = 0.45 // of a noun, that a passage about it has
	leastShare = 0.3  // of the question, that a noun carries without which it is another question
)
