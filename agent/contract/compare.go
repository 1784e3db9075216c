package contract

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/lexicon"
)

// pair is an article of the user's contract with the best-matching article of the standard
// contract, by title.
type pair struct{ mine, standard rag.Article }

// minAlike is the least title similarity (0 to 1) of two articles on the same subject.
const minAlike = 0.6

// compared plans the look-ups for a comparison of two whole contracts ("what differs between my
// contract and the standard one?"): pairs of articles on the same subject, those with different
// figures first. It returns nothing for other questions; [kit.onTopic] compares one topic.
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

// betweenOwn plans the look-ups for a comparison of two of the user's contracts as a whole: the
// articles with similar titles. It returns nothing if the question names a topic, since a search
// finds that in each contract.
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

// maxOtherwise limits the articles found by a synonym of the topic in their title.
const maxOtherwise = 2

// onTopic plans the look-ups for a comparison of one topic ("our payment terms"): the standard
// contract's article on it, a search of the user's contract, and the user's articles with a
// synonym in their title ("Subscription charges"). It returns nothing if no title matches; the
// search alone is enough then.
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

// saysOtherwise reports whether a title contains a synonym of the topic.
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

// hasWord reports whether a text contains a word or phrase of the lexicon. Korean words match with
// any particle.
func hasWord(text, word string) bool {
	if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		return strings.Contains(squash(text), squash(word))
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Contains(" "+strings.Join(words, " ")+" ", " "+word+" ")
}

// pairs returns the articles on the same subject in both contracts, each once: those with
// different figures or, without any, those with similar titles.
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

// figure matches numbers as contracts write amounts, shares and periods.
var figure = pattern.New(`\d[\d,.]*\d|\d|\b(?i:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety)\b`)

// differs reports whether both articles have figures and the figures differ.
func (p pair) differs() bool {
	mine, standard := figures(p.mine), figures(p.standard)
	return len(mine) > 0 && len(standard) > 0 && !slices.Equal(mine, standard)
}

// figures returns the sorted numbers of an article's text without its heading.
func figures(a rag.Article) []string {
	text := a.Text()
	if _, behind, headed := strings.Cut(text, a.Title); headed {
		text = behind
	}
	out := figure.FindAllString(strings.ToLower(numberOnly.ReplaceAllString(text, " ")), -1)
	slices.Sort(out)
	return out
}
