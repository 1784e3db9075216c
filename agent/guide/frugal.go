package guide

import (
	"context"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/memory/longterm"
	"maru/phrase/pattern"
)

// Words for free services, and words that revoke the wish. The catalogue knows which services are
// free, so this preference works without a model.
var (
	freeWords = pattern.New(`(?i)\bfree (?:tools?|services?|apps?|software|plans?|programs?|ones|options)\b|\b(?:only|just) free\b|\bfor free\b|무료\s?(?:인\s|도구|서비스|앱|툴|프로그램|플랜|버전|로|만)|공짜`)
	againstIt = pattern.New(`(?i)\bnot\b|n't\b|\bno\b|\bnever\b|싫|말고|않|안 `)
)

func wantsFree(text string) bool { return freeWords.MatchString(text) && !againstIt.MatchString(text) }

// frugalLessons returns the wishes for free services in a person's words, as lessons. It serves
// endpoints without structured output.
func frugalLessons(words []string) []agent.Lesson {
	for _, said := range words {
		for _, sentence := range strings.FieldsFunc(said, func(c rune) bool { return strings.ContainsRune(".!?\n", c) }) {
			if sentence = strings.TrimSpace(sentence); !wantsFree(sentence) {
				continue
			}
			if l, ok := lesson(noted{longterm.Like, "service price", "only free services", sentence}, words); ok {
				return []agent.Lesson{l}
			}
		}
	}
	return nil
}

// frugal reports whether the person wants free services, according to this turn or to memory.
func (k kit) frugal(ctx context.Context, s graph.State, x *workflow.Exec) (bool, error) {
	if slices.ContainsFunc(k.said(s), func(words string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(words, func(c rune) bool { return strings.ContainsRune(".!?\n", c) }), wantsFree)
	}) || slices.ContainsFunc(k.st.known.Get(s), wantsFree) {
		return true, nil
	}
	if !k.remembers(x) || k.tokens >= 0 {
		return false, nil
	}
	// With memory in prompts disabled, nothing was recalled yet.
	return graph.Repeatable(ctx, "frugal", func(ctx context.Context, _ string) (bool, error) {
		got, err := k.memory.Recall(ctx, ownerOf(x.Request), "free 무료", 0)
		if err != nil {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			k.log.WarnContext(ctx, "recall failed, answering without memory", "run", x.Request.Run, "err", err)
			return false, nil
		}
		for _, m := range got.Mementos {
			if wantsFree(m.Text) {
				x.Knew("", []agent.Known{{ID: m.ID, Kind: string(m.Kind), Text: m.Text, Why: m.Why().In(x.Request.Language)}})
				return true, nil
			}
		}
		return false, nil
	})
}
