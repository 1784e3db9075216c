package contract

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/phrase"
	"maru/phrase/pattern"
	"maru/rag/article"
)

// maxVerbatim is the maximum length, in characters, of articles that the program quotes itself.
// The model summarises longer ones.
const maxVerbatim = 4000

// verbatim returns the text of the articles if the question asks for nothing else, otherwise "".
func (k kit) verbatim(s graph.State, found []Found) string {
	if !lookedUp(k.st.question.Get(s), k.st.done.Get(s)) {
		return ""
	}
	if text := quotes(found); utf8.RuneCountInString(text) <= maxVerbatim {
		return text
	}
	return ""
}

// quotes returns passages verbatim.
func quotes(found []Found) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "**%s** [%d]\n> %s\n\n", place(f), f.Source.N, strings.ReplaceAll(f.Source.Quote, "\n", "\n> "))
	}
	return strings.TrimSpace(b.String())
}

// denies matches a sentence that says a part of a contract does not exist.
var denies = pattern.New(`(?i)(?:조|항|조항|조문|내용|규정|항목|정보)\P{L}{0,3}\p{Hangul}{0,4}\s+(?:\S+\s+){0,4}?(?:없\p{Hangul}*|(?:포함|존재|명시|기재|언급|규정|확인|제공)\p{Hangul}*(?:\s+있지)?\s*않\p{Hangul}*|나와\s*있지\s*않\p{Hangul}*|찾(?:을\s*수\s*없|지\s*못)\p{Hangul}*)|` +
	`\bno\s+(?:such\s+)?(?:article|clause|section|paragraph|provision)\b|` +
	`\b(?:article|clause|section|paragraph|provision)\b.{0,60}\b(?:(?:is|are|was|does|do|did|could|can)\s*(?:not|n['’]t)|cannot|missing|absent)\b.{0,30}(?:\bexist|\bfound\b|\binclud|\bpresent\b|\bcontain|\bthere\b|\bmention|\bprovided\b|[.!]|$)|` +
	`\b(?:not|n['’]t|cannot|unable to)\b.{0,30}\b(?:contain|include|have|has|find|locate|mention)\b.{0,40}\b(?:article|clause|section|paragraph|provision)\b`)

// added returns the sentences of a model's answer that add to the quoted articles: not repeated,
// and not denying that they exist.
func added(text, before string, found []Found) string {
	held := squash(before)
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		var kept strings.Builder
		for _, sentence := range sentence.FindAllString(line, -1) {
			bare := squash(citation.ReplaceAllString(sentence, ""))
			if utf8.RuneCountInString(bare) > 3 && (strings.Contains(held, bare) || denies.MatchString(sentence) && !ofAnother(sentence, found)) {
				continue
			}
			kept.WriteString(sentence)
		}
		if line == "" || utf8.RuneCountInString(squash(citation.ReplaceAllString(kept.String(), ""))) > 3 {
			out = append(out, strings.TrimRight(kept.String(), " "))
		}
	}
	return unframed(strings.TrimSpace(blank.ReplaceAllString(strings.Join(out, "\n"), "\n\n")))
}

// unframed removes the built-in model's words around quotes from a text that has no quote left.
func unframed(text string) string {
	if strings.Contains(text, "> ") {
		return text
	}
	for _, frame := range slices.Concat(phrase.Of("extractive.says").Everywhere(), phrase.Of("extractive.quoted").Everywhere()) {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "_"+frame+"_", ""), frame, "")
	}
	return strings.TrimSpace(text)
}

var (
	// sentence captures a sentence with its punctuation and citations.
	sentence = pattern.New(`.+?(?:[.!?。]+(?:\s*\[\d{1,3}\])*(?:\s+|$)|$)`)
	blank    = pattern.New(`\n{3,}`)
)

var citation = pattern.New(`\[\d{1,3}\]`)

// ofAnother reports whether a sentence names only parts that were not found.
func ofAnother(sentence string, found []Found) bool {
	named := references(sentence)
	for _, n := range named {
		for _, f := range found {
			if r, ok := article.Parse(f.Article); ok && r.Number == n.Number {
				return false
			}
		}
	}
	return len(named) > 0
}

// quoteFirst writes the articles first and then what the model adds.
func (k kit) quoteFirst(x *workflow.Exec, before, text string, found []Found) string {
	text = added(text, before, found)
	if text != "" {
		x.Emit(agent.Event{Kind: agent.EventToken, Text: "\n\n" + text})
	}
	return strings.TrimSpace(before + "\n\n" + text)
}
