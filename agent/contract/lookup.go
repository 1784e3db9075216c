package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent/tool"
	"maru/phrase"
	"maru/rag"
	"maru/rag/article"
)

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
	for _, g := range b.groups() {
		for _, r := range refs {
			note, err := b.part(ctx, g, b.scopes, r, false)
			if err != nil {
				return "", err
			}
			if note != "" {
				notes = append(notes, note)
			}
		}
	}
	return strings.TrimSpace(strings.Join(notes, "\n") + "\n\n" + b.show()), nil
}

// refsOf parses the reference that a model wrote, including a bare number.
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
		People: phrase.Of("contract.no_number"),
	}
}

// part stores the numbered part of the first contract that has it. Otherwise it returns a message
// for the model and records one for people.
func (b *bench) part(ctx context.Context, in []Contract, scopes []string, ref string, standard bool) (string, error) {
	sorry := ""
	for _, c := range in {
		if sorry != "" && in[0].Asked && !c.Asked {
			break // the named contract lacks this part; another contract's would answer a different question
		}
		f, err := b.shelf.look.ByNumber(ctx, rag.Within{Scopes: scopes, Documents: []string{c.Document}}, ref)
		if err != nil {
			return "", err
		}
		if len(f.Articles) > 0 && !f.Missing {
			b.keepPart(f, standard)
			if sorry != "" { // found in another contract than the preferred one
				b.missed(sorry + " " + phrase.Say(b.language, "contract.from_other", c.Title))
			}
			return "", nil
		}
		if sorry != "" {
			continue
		}
		all, err := b.shelf.look.Outline(ctx, scopes, c.Document)
		if err != nil {
			return "", err
		}
		sorry = missing(b.language, c.Title, f, all)
		if f.Missing { // the article exists: show its paragraphs
			b.keep(f.Articles[0], standard)
		}
	}
	b.missed(sorry)
	return sorry, nil
}

// keepPart stores the result of a reference: the part asked for, or whole articles. If several
// articles share the number, all are kept and the answer shows them.
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

// without answers a look-up from the standard contract when the channel has none, and says so.
func (b *bench) without(ctx context.Context, topic string) (string, error) {
	b.missed(phrase.Say(b.language, "contract.from_standard"))
	text, err := inStandard(ctx, b, standardArgs{Topic: topic})
	return "The user has no contract here; this is from the standard contract.\n" + text, err
}

type titleArgs struct {
	Title string `json:"title"`
}

func byTitle(ctx context.Context, b *bench, a titleArgs) (string, error) {
	if len(b.own) == 0 {
		return b.without(ctx, a.Title)
	}
	for _, c := range slices.Concat(b.groups()...) {
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

// titled stores the articles of a contract whose title matches best.
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
			People: phrase.Of("contract.no_standard"),
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
