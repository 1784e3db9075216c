package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/agent/tool"
	"maru/rag"
	"maru/rag/article"
)

// The tools' names.
const (
	toolSearch   = "hybrid_search"
	toolIndex    = "get_article_by_index"
	toolTitle    = "get_article_by_title"
	toolStandard = "lookup_standard_contract"
)

// bench is what the tools of one call work on: the contracts of the turn, and
// where they put what they found. It belongs to one task.
type bench struct {
	shelf    shelf
	own      []Contract
	scopes   []string
	language string
	passages int

	found []Found
	miss  string // for people
}

type benchKey struct{}

func withBench(ctx context.Context, b *bench) context.Context {
	return context.WithValue(ctx, benchKey{}, b)
}

var errNoBench = errors.New("contract: a tool was called outside the executor")

// one is a tool of this package.
type one struct {
	spec tool.Spec
	run  func(ctx context.Context, b *bench, arguments json.RawMessage) (string, error)
}

func (o one) Spec() tool.Spec { return o.spec }

func (o one) Call(ctx context.Context, c tool.Call) (tool.Result, error) {
	b, ok := ctx.Value(benchKey{}).(*bench)
	if !ok {
		return tool.Result{}, errNoBench
	}
	text, err := o.run(ctx, b, c.Arguments)
	return tool.Result{Text: text}, err
}

func newTools() (*tool.Registry, error) {
	spec := func(name, ko, en, description, parameters string) tool.Spec {
		return tool.Spec{
			Name: name, Title: map[string]string{"ko": ko, "en": en}, Description: description,
			Parameters: json.RawMessage(parameters), Policy: tool.Policy{ReadOnly: true, Idempotent: true},
		}
	}
	return tool.NewRegistry(
		one{spec(toolSearch, "계약서 찾아보기", "Searching the contract",
			"Searches the user's contract for passages about a topic. Use it when neither number nor title of the article is known.",
			`{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":500,"description":"the topic in a few words"}},"required":["query"],"additionalProperties":false}`),
			typed(search)},
		one{spec(toolIndex, "조항 번호로 찾기", "Looking up the article",
			"Returns an article of the user's contract by its number, or an annex.",
			`{"type":"object","properties":{"index":{"type":"string","minLength":1,"maxLength":100,"description":"as people write it: 제5조, 제10조의2 제3항, Article 5(2), Annex A, or the bare number 5"}},"required":["index"],"additionalProperties":false}`),
			typed(byIndex)},
		one{spec(toolTitle, "조항 제목으로 찾기", "Looking up the title",
			"Returns articles of the user's contract by their title, such as 비밀유지 or Termination.",
			`{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":200}},"required":["title"],"additionalProperties":false}`),
			typed(byTitle)},
		one{spec(toolStandard, "표준계약서 찾아보기", "Looking at the standard contract",
			"Looks something up in the standard contract, for comparison with the user's: by article number, by title or by topic.",
			`{"type":"object","properties":{"topic":{"type":"string","minLength":1,"maxLength":500,"description":"제5조, Article 5, a title or a topic"}},"required":["topic"],"additionalProperties":false}`),
			typed(inStandard)},
	)
}

// typed decodes arguments, which fit the schema, before a tool runs.
func typed[A any](run func(context.Context, *bench, A) (string, error)) func(context.Context, *bench, json.RawMessage) (string, error) {
	return func(ctx context.Context, b *bench, raw json.RawMessage) (string, error) {
		var a A
		if err := llm.StrictJSON(raw, &a); err != nil {
			return "", fmt.Errorf("arguments: %w", err)
		}
		return run(ctx, b, a)
	}
}

type searchArgs struct {
	Query string `json:"query"`
}

func search(ctx context.Context, b *bench, a searchArgs) (string, error) {
	if len(b.own) == 0 {
		return b.without(ctx, a.Query)
	}
	// The contract is known: the nearest passages help to judge, whatever their score.
	q := rag.Query{Text: a.Query, Scopes: b.scopes, Limit: b.passages, Threshold: -1}
	for _, c := range b.own {
		q.Documents = append(q.Documents, c.Document)
	}
	hits, err := b.shelf.docs.Search(ctx, q)
	if err != nil {
		return "", fmt.Errorf("search: %w", err)
	}
	return b.take(ctx, hits, b.scopes, false)
}

// take keeps hits as found and shows them to the model.
func (b *bench) take(ctx context.Context, hits []rag.Hit, scopes []string, standard bool) (string, error) {
	for _, h := range hits {
		f := Found{Source: source(h.Document, h.Chunk, h.Score), Standard: standard}
		if around := rag.Outline(h.Document, []rag.Chunk{h.Chunk}); len(around) > 0 {
			f.Article, f.Label = around[0].Ref.String(), called(around[0])
		}
		b.found = append(b.found, f)
	}
	if len(hits) > 0 {
		return b.show(), nil
	}
	if standard || len(b.own) == 0 {
		return "nothing was found.", nil
	}
	all, err := b.shelf.look.Outline(ctx, scopes, b.own[0].Document)
	if err != nil {
		return "", err
	}
	return "nothing was found. The contract's articles: " + contents(all), nil
}

// show writes what was found for a model.
func (b *bench) show() string {
	var s strings.Builder
	for _, f := range b.found {
		whose := "user's contract"
		if f.Standard {
			whose = "standard contract"
		}
		fmt.Fprintf(&s, "(%s) %s, %s\n%s\n\n", whose, f.Source.Title, f.Source.Heading, f.Source.Quote)
	}
	return strings.TrimSpace(s.String())
}

type indexArgs struct {
	Index string `json:"index"`
}

func byIndex(ctx context.Context, b *bench, a indexArgs) (string, error) {
	if len(b.own) == 0 {
		return b.without(ctx, a.Index)
	}
	refs := refsOf(a.Index)
	if len(refs) == 0 {
		return "", notNumber(a.Index)
	}
	var notes []string
	for _, r := range refs {
		note, err := b.part(ctx, b.own, b.scopes, r, false)
		if err != nil {
			return "", err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return strings.TrimSpace(strings.Join(notes, "\n") + "\n\n" + b.show()), nil
}

// refsOf reads an index that a model wrote, also a bare number.
func refsOf(index string) []string {
	if _, ok := article.Parse(index); ok {
		return []string{index}
	}
	var out []string
	for _, r := range references(index) {
		out = append(out, r.String())
	}
	return out
}

func notNumber(index string) error {
	return &tool.Error{
		Code: "bad_argument", Model: fmt.Sprintf("%q names no article. Write it as 제5조, Article 5 or Annex A, or use %s.", index, toolTitle),
		People: map[string]string{"ko": "조항 번호를 읽지 못했어요.", "en": "That is not the number of an article."},
	}
}

// part keeps the part that a number names in the first of the contracts that has
// it. Otherwise it returns what a model reads, and notes what people are told.
func (b *bench) part(ctx context.Context, in []Contract, scopes []string, ref string, standard bool) (string, error) {
	sorry := ""
	for _, c := range in {
		f, err := b.shelf.look.ByNumber(ctx, rag.Within{Scopes: scopes, Documents: []string{c.Document}}, ref)
		if err != nil {
			return "", err
		}
		if len(f.Articles) > 0 && !f.Missing {
			b.keepPart(f, standard)
			return "", nil
		}
		if sorry != "" {
			continue
		}
		all, err := b.shelf.look.Outline(ctx, scopes, c.Document)
		if err != nil {
			return "", err
		}
		sorry = missing(b.language == "ko", c.Title, f, all)
		if f.Missing { // the article is there: it shows what paragraphs it has
			b.keep(f.Articles[0], standard)
		}
	}
	b.missed(sorry)
	return sorry, nil
}

// keepPart keeps what a number led to: the piece that was asked for, or the
// articles. Several of one number are an ambiguity that the answer shows.
func (b *bench) keepPart(f rag.Found, standard bool) {
	if f.Piece == "" {
		for _, a := range f.Articles[:min(len(f.Articles), maxRefs)] {
			b.keep(a, standard)
		}
		return
	}
	a := f.Articles[0]
	first, _, _ := strings.Cut(f.Piece, "\n")
	at := max(0, slices.IndexFunc(a.Chunks, func(c rag.Chunk) bool { return strings.Contains(c.Text, first) }))
	a.Chunks = []rag.Chunk{a.Chunks[at]}
	a.Chunks[0].Text = f.Piece
	b.keep(a, standard)
}

func (b *bench) missed(sentence string) {
	b.miss = strings.TrimSpace(b.miss + "\n" + sentence)
}

func (b *bench) keep(a rag.Article, standard bool) {
	for _, c := range a.Chunks {
		b.found = append(b.found, Found{Source: source(a.Document, c, 1), Standard: standard, Article: a.Ref.String(), Label: called(a)})
	}
}

// What is said when there is no contract to look at but the standard one.
const (
	noContractKo = "이 대화에서 볼 수 있는 계약서가 없어서 표준계약서에서 찾았어요. 계약서 파일을 이 스레드에 올리면 그 계약서로 답해요."
	noContractEn = "There is no contract here that I can read, so I looked at the standard one. Share the contract's file in this thread and I will answer from it."
)

// without answers a look-up in a place that has no contract: from the standard
// one, and says so.
func (b *bench) without(ctx context.Context, topic string) (string, error) {
	b.missed(b.say(noContractKo, noContractEn))
	text, err := inStandard(ctx, b, standardArgs{Topic: topic})
	return "The user has no contract here; this is from the standard contract.\n" + text, err
}

func (b *bench) say(ko, en string) string {
	if b.language == "ko" {
		return ko
	}
	return en
}

type titleArgs struct {
	Title string `json:"title"`
}

func byTitle(ctx context.Context, b *bench, a titleArgs) (string, error) {
	if len(b.own) == 0 {
		return b.without(ctx, a.Title)
	}
	for _, c := range b.own {
		if err := b.titled(ctx, c, b.scopes, a.Title, false); err != nil {
			return "", err
		}
	}
	if len(b.found) > 0 {
		return b.show(), nil
	}
	all, err := b.shelf.look.Outline(ctx, b.scopes, b.own[0].Document)
	return "no article has that title. The contract's articles: " + contents(all), err
}

// titled keeps the articles of a contract whose title fits about best.
func (b *bench) titled(ctx context.Context, c Contract, scopes []string, title string, standard bool) error {
	list, err := b.shelf.look.ByTitle(ctx, rag.Within{Scopes: scopes, Documents: []string{c.Document}}, title)
	if err != nil {
		return err
	}
	for _, t := range list[:min(len(list), 3)] {
		if t.Score >= 0.75*list[0].Score {
			b.keep(t.Article, standard)
		}
	}
	return nil
}

type standardArgs struct {
	Topic string `json:"topic"`
}

func inStandard(ctx context.Context, b *bench, a standardArgs) (string, error) {
	c, ok, err := b.shelf.standard(ctx, b.language)
	if err != nil {
		return "", fmt.Errorf("standard contract: %w", err)
	}
	if !ok {
		return "", &tool.Error{
			Code: "not_found", Model: "there is no standard contract here. Answer without it.",
			People: map[string]string{"ko": "표준계약서가 없어요.", "en": "There is no standard contract here."},
		}
	}
	scopes := []string{StandardScope}
	var notes []string
	refs := references(a.Topic)
	for _, r := range refs {
		note, err := b.part(ctx, []Contract{c}, scopes, r.String(), true)
		if err != nil {
			return "", err
		}
		notes = append(notes, note)
	}
	if len(refs) > 0 {
		return strings.TrimSpace(strings.Join(notes, "\n") + "\n\n" + b.show()), nil
	}
	if err := b.titled(ctx, c, scopes, a.Topic, true); err != nil {
		return "", err
	}
	if len(b.found) > 0 {
		return b.show(), nil
	}
	hits, err := b.shelf.docs.Search(ctx, rag.Query{
		Text: a.Topic, Scopes: scopes, Documents: []string{c.Document}, Limit: min(b.passages, 3), Threshold: -1,
	})
	if err != nil {
		return "", fmt.Errorf("search the standard contract: %w", err)
	}
	return b.take(ctx, hits, scopes, true)
}
