package planedit

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// titleForms are the forms of requests about titles, beside [forms].
var titleForms = sync.OnceValue(func() []form {
	return compiled([]request{
		{`^` + oneRef + `(?:은|는|을|를)?\s*(?:대신에?|말고)\s+(?P<text>.+?)(?:으로|로|을|를)?(?:\s+(?:바꿔|바꾸|변경|만들어|넣어|` + doKo + `)\S*)?$`, edit.replace},
		{`^(?:rather\s+|make\s+it\s+|do\s+)?(?:an?\s+|the\s+)?(?P<text>.+?)\s+instead\s+of\s+(?:an?\s+|the\s+)?` + oneRef + `$`, edit.replace},
		{`^(?:replace|swap|change)\s+(?:the\s+)?` + oneRef + `(?:with|by|to|for|into)\s+(?:an?\s+)?(?P<text>.+?)$`, edit.replace},
		{`^(?:also\s+)?(?:add|include)\s+(?:(?:also|an?|the|some|another)\s+)*(?P<text>.+?)(?:\s+(?:too|as\s+well|to\s+(?:it|the\s+(?:plan|list))))*$`, edit.add},
		{`^(?:(?:i|we)\s+)?also\s+(?:(?:need|want)\s+)?(?:(?:an?|the|some)\s+)?(?P<text>.+?)$`, edit.add},
		{`^(?P<text>.+?)(?:은|는|을|를|도)?\s*(?:(?:좀|더|하나)\s*)*(?:포함|더해|붙여|넣어)\S*` + endKo, edit.add},
		{`^(?P<text>.+?)도요?$`, edit.add},
		{`^.+?` + topic + `(?:` + off + endKo + `|` + noKo + `)|^` + offEn + `\s+.+$`, func(e edit, _ map[string]string) ([]Line, bool) { return e.lines, true }},
	})
})

// alsoKo is the ending of "that too": it belongs to the request, not to what is added.
var alsoKo = pattern.New(`(?:도|(?:\s+(?:좀|더|하나))+)$`)

// anArticle begins a new title that was said within a sentence.
var anArticle = pattern.New(`(?i)^an?\s+`)

// ofStepKo is a step's number as [edit.numbered] writes it.
var ofStepKo = pattern.New(`\d번`)

// Spans of words that may be a title's, and endings of them that belong to the sentence.
var (
	spanWord   = pattern.New(`\S+`)
	particleKo = pattern.New(`(?:은|는|을|를|도|만|이|가|이랑|랑|과|와|하고|보다|부터|의)$`)
	article    = pattern.New(`(?i)\bthe\s+$`)
	emptyWords = pattern.New(`(?i)^(?:(?:the|an?|and|or|to|of|for|with|it|in|on|step|task|one|make|write|단계|만들기|하기)\s*)+$`)
)

const maxTitleWords = 4

// numbered writes words of a title as the number of its step: first all that are found, then
// each by itself, as the others may belong to a new text.
func (e edit) numbered(text string) []string {
	type found struct{ from, to, step int }
	var all []found
	words := spanWord.FindAllStringIndex(text, -1)
	for i := 0; i < len(words); i++ {
		for n := min(maxTitleWords, len(words)-i); n > 0; n-- {
			from, to := words[i][0], words[i+n-1][1]
			if step, end := e.titled(text[from:to]); step > 0 {
				from, end = from-len(article.FindString(text[:from])), from+end
				all, i = append(all, found{from, end, step}), i+n-1
				break
			}
		}
	}
	replace := func(list []found) string {
		out := text
		for _, f := range slices.Backward(list) {
			out = out[:f.from] + strconv.Itoa(f.step) + "번" + out[f.to:]
		}
		return out
	}
	var out []string
	if len(all) > 0 {
		out = append(out, replace(all))
	}
	if len(all) > 1 {
		for i := range all {
			out = append(out, replace(all[i:i+1]))
		}
	}
	return out
}

// titled returns the number of the only step whose title holds the words, and where they end in
// span; 0 if there is none or several may be meant.
func (e edit) titled(span string) (step, end int) {
	bare := strings.TrimRight(span, ".,!?")
	for _, words := range []string{bare, particleKo.ReplaceAllString(bare, "")} {
		part := strings.ToLower(words)
		if len(part) > 4 {
			part = strings.TrimSuffix(part, "s") // "the videos" of "edit the video"
		}
		if utf8.RuneCountInString(part) < 2 || len(part) < 3 || emptyWords.MatchString(part) {
			continue
		}
		for i, title := range e.have {
			if !strings.Contains(strings.ToLower(title), part) {
				continue
			}
			if step > 0 {
				return 0, 0
			}
			step, end = i+1, len(words)
		}
		if step > 0 {
			return step, end
		}
	}
	return 0, 0
}
