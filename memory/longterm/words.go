package longterm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// KindWords is the kind of an unprocessed lesson: a person's words in a turn. After the reply it becomes preferences:
// the matches of [Explicit], and a model's proposals that [Vouched] confirms.
const KindWords = "words"

// Words is a lesson of [KindWords].
type Words struct {
	Text string `json:"text"`
}

// maxWords limits the text examined, in characters; a longer one is a pasted document.
const maxWords = 2000

// WordsLesson packs a person's words without secrets, personal numbers, quotations, code and questions; ok is false
// if nothing about the person is left.
func WordsLesson(text string) (l Lesson, ok bool, err error) {
	said := sentences(Own(text))
	text = strings.Join(said, "\n")
	if !tells.MatchString(text) && !corrects(text) && len(withManner(nil, said)) == 0 {
		return Lesson{}, false, nil
	}
	data, err := json.Marshal(Words{Text: text})
	if err != nil {
		return Lesson{}, false, fmt.Errorf("longterm: encode words: %w", err)
	}
	return Lesson{Kind: KindWords, Data: data}, true, nil
}

// Rest returns the sentences about the person that [Explicit] did not match, for a model; "" if there are none.
func Rest(words string, read []PreferenceLesson) string {
	var left []string
	for _, s := range sentences(words) {
		if !slices.ContainsFunc(read, func(l PreferenceLesson) bool { return l.Quote == s }) && tells.MatchString(s) {
			left = append(left, s)
		}
	}
	return strings.Join(left, "\n")
}

// tells matches words with which people speak of themselves or of how they want to be served. Sentences without
// any are skipped.
var tells = pattern.New(`(?i)\b(?:I|I'm|I'd|me|my|mine|we|our|remember|prefer|always|never|from now on|in future|next time|call me)\b` +
	`|(?:^|\s)(?:저|전|나|난|내|제|저희|우리)(?:는|은|의|가|를|도)?(?:\s|$)|기억해|앞으로|항상|언제나|절대|다음부터|선호|좋아[해하]|싫어[해하]|불러`)

var (
	fenced  = pattern.New("(?s)```.*?(?:```|$)")
	spanned = pattern.New("`[^`\n]*`")
)

// Own returns a person's own words in a message: without quoted lines and code, which belong to others, and without
// secrets and personal numbers. More than a page is a document and yields nothing.
func Own(text string) string {
	text = spanned.ReplaceAllString(fenced.ReplaceAllString(text, " "), " ")
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, ">") || strings.HasPrefix(line, "&gt;") {
			continue
		}
		lines = append(lines, oneLine(line))
	}
	return fit.Clip(Mask(strings.Join(lines, "\n")), maxWords)
}

// Vouched returns the proposals that the person's words support: the quote occurs in them outside of a question.
func Vouched(proposals []PreferenceLesson, words string) []PreferenceLesson {
	said := loose(words)
	var out []PreferenceLesson
	for _, p := range proposals {
		quote := loose(p.Quote)
		if len([]rune(quote)) < 4 || !strings.Contains(said, quote) || strings.HasSuffix(strings.TrimSpace(p.Quote), "?") {
			continue
		}
		out = append(out, p)
	}
	return out
}

// loose normalises text for comparison, without case, spaces and punctuation.
func loose(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n.,!?'\"“”‘’…·:;()", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}
