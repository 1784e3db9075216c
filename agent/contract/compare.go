package contract

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/lexicon"
)

// pair is an article of the user's contract and the one of the standard contract whose
// title fits it best.
type pair struct{ mine, standard rag.Article }

// minAlike is how much of a title must be the other's for both to be about the same.
const minAlike = 0.6

// compared plans the look-ups for a comparison of everything ("what differs between my
// contract and the standard one?"): pairs of articles about the same, those first whose
// figures differ; for one of a topic see [kit.onTopic]. Nothing if the question asks for something else.
func (k kit) compared(ctx context.Context, s graph.State, x *workflow.Exec, articles []rag.Article) ([]Call, error) {
	question := k.st.question.Get(s)
	if own := k.st.own.Get(s); asked(own) > 1 && asksOther.MatchString(question) && !asksStandard.MatchString(question) && len(references(question)) == 0 {
		return k.betweenOwn(ctx, s, x, articles)
	}
	if !asksStandard.MatchString(question) || !asksOther.MatchString(question) || len(articles) == 0 || len(k.st.own.Get(s)) == 0 ||
		len(references(question)) > 0 {
		return nil, nil
	}
	if topic := bareTopic(k.st.query.Get(s)); topic != "" {
		return k.onTopic(s, topic, articles), nil
	}
	c, ok, err := k.shelf.standard(ctx, x.Request.Language)
	if err != nil || !ok {
		return nil, err
	}
	pairs, err := k.pairs(ctx, c, []string{StandardScope}, articles)
	if err != nil {
		return nil, err
	}
	var wanted []llm.ToolCall
	for _, p := range pairs[:min(len(pairs), maxCalls/2)] {
		wanted = append(wanted,
			llm.ToolCall{Name: toolIndex, Arguments: arguments("index", p.mine.Ref.String())},
			llm.ToolCall{Name: toolStandard, Arguments: arguments("topic", p.standard.Ref.String())})
	}
	return k.fresh(s, wanted), nil
}

// betweenOwn plans the look-ups for a comparison of everything in two of the user's contracts: the articles
// whose titles are alike. Nothing if something of them is compared: a search of each finds it.
func (k kit) betweenOwn(ctx context.Context, s graph.State, x *workflow.Exec, articles []rag.Article) ([]Call, error) {
	own := k.st.own.Get(s)
	if bareTopic(howMany.ReplaceAllString(withoutNames(k.st.query.Get(s), own), " ")) != "" {
		return nil, nil
	}
	pairs, err := k.pairs(ctx, own[1], x.Request.Scopes, articles)
	if err != nil {
		return nil, err
	}
	var wanted []llm.ToolCall
	for _, p := range pairs {
		wanted = append(wanted, llm.ToolCall{Name: toolTitle, Arguments: arguments("title", p.mine.Title)})
	}
	return k.fresh(s, wanted), nil
}

// maxOtherwise bounds the articles that are looked up because their titles say a topic in other words.
const maxOtherwise = 2

// onTopic plans the look-ups for a comparison of one topic, "our payment terms": what the standard contract says
// of it, what a search finds in the user's, and the articles there whose titles say it in other words
// ("Subscription charges"). Nothing if no title does: then the search alone tells.
func (k kit) onTopic(s graph.State, topic string, articles []rag.Article) []Call {
	wanted := []llm.ToolCall{{Name: toolSearch, Arguments: arguments("query", fit.Cut(topic, 500))}}
	for _, a := range articles {
		if len(wanted) <= maxOtherwise && saysOtherwise(a.Title, topic) {
			wanted = append(wanted, llm.ToolCall{Name: toolIndex, Arguments: arguments("index", a.Ref.String())})
		}
	}
	if len(wanted) == 1 {
		return nil
	}
	return k.fresh(s, append(wanted, llm.ToolCall{Name: toolStandard, Arguments: arguments("topic", fit.Cut(topic, 500))}))
}

// saysOtherwise reports whether a title has another word for one of a topic.
func saysOtherwise(title, topic string) bool {
	for _, g := range lexicon.Groups() {
		for i, word := range g.Same {
			if hasWord(topic, word) && slices.ContainsFunc(g.Others(i), func(o lexicon.Other) bool { return hasWord(title, o.Text) }) {
				return true
			}
		}
	}
	return false
}

// hasWord reports whether a text has a word or a phrase of the lexicon, a Korean one with whatever particle.
func hasWord(text, word string) bool {
	if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		return strings.Contains(squash(text), squash(word))
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Contains(" "+strings.Join(words, " ")+" ", " "+word+" ")
}

// pairs are the articles about the same in both contracts, each once: those that say it with
// other figures, or if there are none those with like titles.
func (k kit) pairs(ctx context.Context, other Contract, scopes []string, articles []rag.Article) ([]pair, error) {
	var out []pair
	for _, a := range articles {
		if a.Title == "" {
			continue
		}
		list, err := k.shelf.look.ByTitle(ctx, rag.Within{Scopes: scopes, Documents: []string{other.Document}}, a.Title)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			taken := slices.ContainsFunc(out, func(p pair) bool { return p.standard.Ref.Key() == t.Ref.Key() })
			if t.Score >= minAlike && !taken {
				out = append(out, pair{a, t.Article})
				break
			}
		}
	}
	if other := slices.DeleteFunc(slices.Clone(out), func(p pair) bool { return !p.differs() }); len(other) > 0 {
		return other, nil
	}
	return out, nil
}

// figure is a number as contracts write sums, shares and periods.
var figure = regexp.MustCompile(`\d[\d,.]*\d|\d|\b(?i:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety)\b`)

// differs reports whether both articles have figures, and not the same ones.
func (p pair) differs() bool {
	mine, standard := figures(p.mine), figures(p.standard)
	return len(mine) > 0 && len(standard) > 0 && !slices.Equal(mine, standard)
}

// figures are the numbers of an article's text without its heading, sorted.
func figures(a rag.Article) []string {
	text := a.Text()
	if _, behind, headed := strings.Cut(text, a.Title); headed {
		text = behind
	}
	out := figure.FindAllString(strings.ToLower(numberOnly.ReplaceAllString(text, " ")), -1)
	slices.Sort(out)
	return out
}
