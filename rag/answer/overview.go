package answer

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/rag"
)

// A question for a topic as a whole ("휴가 정책이 뭐야?", "tell me about remote work") names no value. What a document or a section on the
// topic says first is the answer; the sentence with the most words of the question is some detail.
var (
	// general matches such questions, and topicless the words that they ask with.
	general = pattern.New(`(?i)(?:정책|규정|규칙|제도|방침)(?:은|는|이|가|을|를|에)?\s*(?:좀\s*)?(?:뭐|뭔|무엇|어떻게|어떤|어때|대해|관해|알려|설명|소개|궁금|[?？.!~]*$)\p{Hangul}*|(?:에\s?(?:대해|관해)\p{Hangul}*|절차|설명|소개|[가-힣]{2,}(?:은|는)?)\s*(?:좀\s*)?(?:알려|설명|소개)\s?(?:해\s?)?(?:줘|주)\p{Hangul}*|어떻게\s(?:되나|돼|되|하고\s있|운영)\p{Hangul}*[\s?？.!~]*$|` +
		`\b(?:what(?:['’]s| is| are)|tell me|explain|describe|summari[sz]e)\b.*\b(?:polic(?:y|ies)|rules?|guidelines?)\b|^\W*(?:(?:our|the|company)\s+)?[\p{L} -]{3,40}\bpolic(?:y|ies)\W*$|^\W*(?:please\s+|can you\s+|could you\s+)?(?:tell me (?:more )?about|explain|describe|summari[sz]e|give me an overview of)\b|^\W*how (?:does|do)\s+[\p{L} -]{3,40}\s+work\b`)
	topicless = pattern.New(`(?i)(?:정책|규정|규칙|제도|방침|절차|안내)[은는이가을를에의]?|(?:설명|소개|대해|관해|운영)\p{Hangul}*|\b(?:tell|explain|describe|summari[sz]e|overview|give|works?|here|polic(?:y|ies)|rules?|guidelines?|about)\b`)
	// several joins the topics of a title: 비용과 출장, Expenses and travel.
	several = pattern.New(`(?i)\s(?:and|&|및)\s|[와과]\s|[·,/]`)
)

// Topic returns the topic of a question for a topic as a whole, to search for it; "" for any other question.
func Topic(question string) string {
	words := topicAsked(rag.Asked(fit.Cut(question, maxSubject)))
	said := make([]string, len(words))
	for i, w := range words {
		said[i] = w.Text
	}
	return strings.Join(said, " ")
}

// topicAsked returns the nouns of the topic that a general question is for, none if the question is another one.
func topicAsked(question string) []rag.Word {
	if kind := soughtBy(question); !general.MatchString(question) || kind.sought != nil && kind.figure || yesNo.MatchString(question) && !tells.MatchString(question) {
		return nil
	}
	return topicOf(topicless.ReplaceAllString(question, " "))
}

// OnTopic returns which titles are of documents on a topic, those with most of its names first: the ones that say nothing else, or else
// those of its kinds. "Annual leave" is vacation, and a kind of leave; "Leaving the company" is neither.
func OnTopic(topic string, titles []string) []int {
	return onTopic(topicOf(topic), titles)
}

func onTopic(topic []rag.Word, titles []string) []int {
	if len(topic) == 0 {
		return nil
	}
	topic = slices.Clone(topic)
	known := Holding(titles...)
	rag.Compounds(topic, func(term string) bool { return known[term] })
	rag.Synonyms(topic, func(term string) bool { return known[term] })
	var names []string
	for _, w := range topic {
		names = append(append(names, w.Text), w.Split...)
		for _, s := range w.Same {
			for _, o := range s.Words {
				names = append(names, o.Text)
			}
		}
	}
	named, held := Holding(names...), map[int]int{}
	var kinds, whole []int
	for i, title := range titles {
		words := topicOf(topicless.ReplaceAllString(title, " "))
		if len(words) == 0 || several.MatchString(title) || ofPlace.MatchString(title) || !holdsAll(title, topic) {
			continue
		}
		last := words[len(words)-1]
		if named.Match(last) < carried || strings.HasSuffix(last.Text, "ing") && !slices.Contains(names, last.Text) {
			continue
		}
		of := Holding(title)
		for _, w := range topic {
			for _, s := range w.Same {
				if !slices.ContainsFunc(s.Words, func(o rag.Word) bool { return of.Match(o) < 1 }) {
					held[i]++
				}
			}
		}
		if kinds = append(kinds, i); !slices.ContainsFunc(words, func(w rag.Word) bool { return named.Match(w) < carried }) {
			whole = append(whole, i)
		}
	}
	if len(whole) == 0 {
		whole = kinds
	}
	slices.SortStableFunc(whole, func(a, b int) int { return held[b] - held[a] })
	return whole
}

// overview returns what documents or sections on the topic of a general question say first, none if the question is another one or
// no document's title and no heading is its topic.
func overview(question string, passages []Passage) []sentence {
	topic := topicAsked(question)
	if len(topic) == 0 {
		return nil
	}
	headed := slices.DeleteFunc(slices.Clone(passages), func(p Passage) bool { // "Parental leave" of "Birth and parenting", not its "Maternity leave"
		_, headings, _ := strings.Cut(p.Title, " › ")
		return headings == "" || !holdsAll(headings, topic)
	})
	if len(headed) > 0 && len(topic) > 1 {
		passages = headed
	}
	titles := make([]string, len(passages))
	for i, p := range passages {
		titles[i], _, _ = strings.Cut(p.Title, " › ")
	}
	about := onTopic(topic, titles)
	whole, parts := map[string][]Passage{}, map[string][]Passage{}
	var documents []string // on the topic as a whole, as they were ranked, then those with a section on it
	for i, p := range passages {
		_, headings, _ := strings.Cut(p.Title, " › ")
		key := p.Document + "\n" + titles[i]
		switch {
		case slices.Contains(about, i):
			whole[key] = append(whole[key], p)
		case headings == "" && holdsAll(titles[i], topic), holdsAll(headings, topic[len(topic)-1:]) && holdsAll(p.Title, topic):
			parts[key] = append(parts[key], p)
		default:
			continue
		}
		if !slices.Contains(documents, key) {
			documents = append(documents, key)
		}
	}
	sections := len(whole) == 0
	if sections {
		whole = parts
	}
	documents = slices.DeleteFunc(documents, func(key string) bool { return len(whole[key]) == 0 })
	var out []sentence
	for _, key := range documents[:min(len(documents), MaxSentences)] {
		first := slices.MinFunc(whole[key], func(a, b Passage) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
		text := ""
		if first.Ordinal == 0 || sections && strings.Contains(first.Title, " › ") {
			text = beginning(first.Text, max(1, MaxSentences-len(documents)+1))
		}
		switch {
		case text != "":
			out = append(out, sentence{text: text, n: first.N})
		case len(out) == 0:
			return nil // what is nearest has no beginning to quote
		}
	}
	return out
}

// topicOf returns the nouns of a topic, none if the text says or asks more: that something is done, or a value. Whose rules are meant
// is said of none, nor is the kind of text: 정보 보안 is 보안.
func topicOf(text string) []rag.Word {
	words := slices.DeleteFunc(Subject(text), func(w rag.Word) bool {
		return w.Aside || ours.MatchString(w.Text) || w.Weight > verbWeight && w.Weight < nounWeight
	})
	if slices.ContainsFunc(words, func(w rag.Word) bool {
		return w.Weight < nounWeight || predicateKo.MatchString(w.Text) || measures.MatchString(w.Text) || measures.MatchString(w.Terms[0])
	}) {
		return nil
	}
	return words
}

// ours are words for the asker's own workplace.
var ours = pattern.New(`^(?i:회사|사내|우리|저희|company|workplace)`)

// ofPlace is a title whose last noun only says where or whose: Dogs in the office.
var ofPlace = pattern.New(`(?i)\s(?:in|at|on|for|of|from|to|with)\s`)

func holdsAll(text string, topic []rag.Word) bool {
	held := Holding(text)
	return !slices.ContainsFunc(topic, func(w rag.Word) bool {
		lacks := func(part string) bool { return !held[part] }
		return held.Match(w) < carried && (len(w.Split) == 0 || slices.ContainsFunc(w.Split, lacks))
	})
}

// headMatter tells of the document and not of its topic: its number, its owner, its dates.
var headMatter = pattern.New(`(?im)^\W*(?:문서\s?번호|작성(?:자|일|부서)|최종\s?(?:수정|개정|업데이트)|(?:수정|개정|시행|제정|승인)일|버전\s*[:：\d]|(?:담당(?:자|\s?부서)?|승인자)\s*[:：]|(?:(?:document|policy)\s)?(?:owner|author|version|status|number|no\.?|id)\s*[:：]|(?:effective|issued?|revised|review(?:ed)?)(?:\s(?:date|on|by))?\s*[:：]|date\s*[:：]|last\s(?:updated|modified|reviewed|revised)|approved\sby)`)

// beginning returns the first sentences of a text, "" if it begins with a table or with the document's head matter.
func beginning(text string, most int) string {
	out := ""
	for _, s := range prose.Sentences(Clean(text)) {
		switch {
		case strings.HasPrefix(s, "|"):
			return out
		case most == 0 || out != "" && utf8.RuneCountInString(out)+utf8.RuneCountInString(s) > MaxSentence:
			return out
		case headMatter.MatchString(s):
			return ""
		case prose.IsHeading(s):
			continue
		}
		out, most = strings.TrimSpace(out+" "+s), most-1
	}
	return out
}
