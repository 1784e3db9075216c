package contract

import (
	"slices"
	"strings"
	"unicode"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/article"
)

// comparing matches words that compare two contracts.
const comparing = `비교|차이|다른|달라|다르|견주|대비|비해|보다|compar|differ|versus|\bvs\b|\bthan\b`

var (
	asksStandard = pattern.New(`(?i)표준\s*(?:용역\s*)?(?:계약|약관)|(?:^|\s)표준(?:이랑|하고|과|은|이|보다|에)(?:$|[\s?,])|standard\s+(?:services?\s+)?(?:contract|agreement|terms|one|form)|\b(?:with|from|to|than|vs\.?|versus)\s+the\s+standard\b`)
	asksBoth     = pattern.New(`(?i)` + comparing + `|우리|내\s|제\s*계약|이\s*계약|\bour\b|\bours\b|\bmy\b|\bmine\b|\bthis contract`)
	namesTitle   = pattern.New(`(?i)([\p{L}\p{N} ·]{2,40}?)\s*(?:에\s*관한|에\s*대한|관련)?\s*(?:조항|조문)|\b(?:the\s+)?([\p{L} -]{3,60}?)\s+(?:clause|article|section|provision)\b`)
	sameOne      = pattern.New(`(?i)그\s*조(?:항|문)|이\s*조항|해당\s*조(?:항|문)|\bthat (?:article|clause|section)\b`)
	pointsBack   = pattern.New(`(?i)그\s*조|이\s*조항|해당|\bthat (?:article|clause|section)\b|^(?:and|그럼|그러면).{0,12}$`)
)

// suggest plans by rule: article numbers, the standard contract, article titles.
func (k kit) suggest(s graph.State, articles []rag.Article) []Call {
	question, query := k.st.question.Get(s), k.st.query.Get(s)
	refs := k.named(s, articles)
	standard := asksStandard.MatchString(question)
	mine, theirs := sides(question, refs)
	var wanted []llm.ToolCall
	if len(refs) > 0 && (!standard || asksBoth.MatchString(question)) {
		for _, r := range mine {
			wanted = append(wanted, llm.ToolCall{Name: toolIndex, Arguments: arguments("index", r)})
		}
	}
	if beyond := beyondNumber(question, k.st.own.Get(s)); beyond != "" && len(wanted) > 0 && !standard {
		wanted = append(wanted[:min(len(wanted), maxCalls-1)], llm.ToolCall{Name: toolSearch, Arguments: arguments("query", fit.Cut(beyond, 500))})
	}
	if standard {
		for _, topic := range standardTopics(query, theirs) {
			wanted = append(wanted, llm.ToolCall{Name: toolStandard, Arguments: arguments("topic", topic)})
		}
		if len(refs) == 0 && asksBoth.MatchString(question) { // both sides of a comparison
			wanted = append(wanted, llm.ToolCall{Name: toolSearch, Arguments: arguments("query", fit.Cut(topicOf(query), 500))})
		}
	}
	if len(wanted) == 0 {
		if m := namesTitle.FindStringSubmatch(query); m != nil {
			if words := strings.TrimSpace(m[1] + m[2]); titleThere(articles, words) {
				wanted = append(wanted, llm.ToolCall{Name: toolTitle, Arguments: arguments("title", words)})
			}
		}
	}
	calls := k.fresh(s, wanted)
	for i := range calls {
		calls[i].Asked = true // also what is named without its number, as in "그럼 9항은?"
	}
	return calls
}

var ofContract = pattern.New(`(?i)(?:우리|저희|내|제|이|올린)\s*(?:용역\s*)?계약|\b(?:our|my|this)\s+(?:services?\s+)?(?:contract|agreement)|` + asksStandard.String())

// sides assigns the parts that a question names to a contract: "제7조 of ours and 제11조 of the
// standard one". A part without an owner belongs to both.
func sides(question string, refs []string) (mine, theirs []string) {
	said := map[bool][]string{}
	note := func(standard bool, text string) {
		for _, r := range references(text) {
			said[standard] = append(said[standard], r.String())
		}
	}
	marks := ofContract.FindAllStringIndex(question, -1)
	for i, m := range marks {
		next, standard := len(question), asksStandard.MatchString(question[m[0]:m[1]])
		if i+1 < len(marks) {
			next = marks[i+1][0]
		}
		if before := question[:m[0]]; behindIts.MatchString(before) { // "Article 5 of our contract"
			from := 0
			if i > 0 {
				from = marks[i-1][1]
			}
			note(standard, before[from:])
			continue
		}
		note(standard, question[m[1]:next])
	}
	if len(said[true]) == 0 || len(said[false]) == 0 {
		return refs, refs
	}
	side := func(standard bool) []string {
		return slices.DeleteFunc(slices.Clone(refs), func(r string) bool {
			return slices.Contains(said[!standard], r) && !slices.Contains(said[standard], r)
		})
	}
	return side(false), side(true)
}

// behindIts matches the words between a part and the contract named after it.
var behindIts = pattern.New(`(?i)\b(?:of|in|from)\s+(?:the\s+)?$`)

// titleThere reports whether an article has this title, ignoring spaces.
func titleThere(articles []rag.Article, words string) bool {
	want := squash(words)
	return slices.ContainsFunc(articles, func(a rag.Article) bool {
		title := squash(a.Title)
		return title != "" && (title == want || strings.HasSuffix(want, title))
	})
}

// squash keeps letters and digits, in lower case.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// named returns the articles that the question names or, without any, refers to.
func (k kit) named(s graph.State, articles []rag.Article) []string {
	question := k.st.question.Get(s)
	refs := references(question)
	if k.st.leans.Get(s) && len(refs) == 0 {
		refs = k.leantOn(s, articles)
	}
	var out []string
	for _, r := range refs {
		out = append(out, r.String())
	}
	return out
}

// leantOn resolves a question that names no article: the neighbour of the last answer's article,
// those named by the rewritten question, or those of the last answer.
func (k kit) leantOn(s graph.State, articles []rag.Article) []article.Ref {
	question, last := k.st.question.Get(s), k.st.last.Get(s)
	if len(last) > 0 {
		if next, ok := neighbour(question, last[0], articles); ok {
			return []article.Ref{next}
		}
	}
	if refs := references(made(k.st.query.Get(s), question)); len(refs) > 0 || len(last) == 0 {
		return refs
	}
	paragraph, item := innerOnly(question)
	r, ok := article.Parse(last[0])
	if !ok || (paragraph == "" && !pointsBack.MatchString(question)) {
		return nil
	}
	r.Paragraph, r.Item = paragraph, item
	return []article.Ref{r}
}

// made returns the rewritten query, or "" if it only prepends the previous question.
func made(query, question string) string {
	if strings.HasSuffix(query, "\n"+question) {
		return question
	}
	return query
}

// standardTopics returns the topics to look up in the standard contract.
func standardTopics(query string, refs []string) []string {
	if len(refs) > 0 {
		return refs
	}
	return []string{fit.Cut(topicOf(query), 500)}
}

// aroundTopic matches the words of a comparison that name the contracts or the comparison, not its
// topic.
var aroundTopic = pattern.New(`(?i)(?:` + ofContract.String() + `)\p{Hangul}*|표준\p{Hangul}*|(?:` + comparing + `)[\p{Hangul}a-z]*(?:\s*점\p{Hangul}*)?|` +
	`(?:용역\s*)?계약서?\p{Hangul}*|(?:^|\s)(?:우리|저희|내|제|서로|무엇\p{Hangul}*|뭐\p{Hangul}*|뭔\p{Hangul}*|어떻게|어때\p{Hangul}*|있\p{Hangul}*|하면|(?:해\s*)?(?:줘|주세요|줄래|줘요|볼래|봐)\p{Hangul}*|알려\s*줘\p{Hangul}*|좀)|` +
	`'s\b|\b(?:what|how|where|does|do|did|is|are|the|a|an|in|of|with|from|to|and|between|our|ours|my|mine|this|that|one|standard|contracts?|agreements?|terms|me|tell|show|say|says|about)\b`)

// topicOf returns the topic of a comparison, or the whole question if it names none.
func topicOf(query string) string {
	if topic := bareTopic(query); topic != "" {
		return topic
	}
	return query
}

// bareTopic returns the topic of a comparison, or "" if it compares everything.
func bareTopic(query string) string {
	return strings.Trim(strings.Join(strings.Fields(aroundTopic.ReplaceAllString(query, " ")), " "), " ?.,!")
}
