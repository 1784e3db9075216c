package longterm

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"maru/phrase"
	"maru/phrase/correction"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
)

// Explicit extracts preferences that a person states outright, without a model: "remember that my team is data", "제
// 부서는 인사팀이에요", "앞으로 짧게 답해 줘". It ignores everything else.
func Explicit(words string) []PreferenceLesson {
	var out []PreferenceLesson
	said := sentences(words)
	for _, s := range said {
		if l, ok := read(hesitant.ReplaceAllString(s, "")); ok {
			if _, is, put := correction.Read(l.Value); put && l.Type == Fact {
				l.Value = is // "내 예산은 500만원이 아니라 700만원이야"
			}
			l.Quote = s
			out = append(out, l)
		}
	}
	return withManner(out, said)
}

// hesitant matches the start of a correction.
var hesitant = pattern.New(`(?i)^(?:(?:아니(?:요|야)?|아 참|참|no|sorry|actually|wait)[,.!]?\s+)+`)

// read parses a sentence. After "remember that" the rest is the statement; without a subject ("무료 도구를 선호한다고 기억해 줘")
// it is about the speaker.
func read(s string) (PreferenceLesson, bool) {
	body, reminded := intent.Remember(s)
	if !reminded {
		return readAs(s)
	}
	ways := []string{"나는 " + body, body}
	if ownKorean.MatchString(body) || phrase.Spoken(body, "ko") != "ko" {
		slices.Reverse(ways)
	}
	for _, text := range ways {
		if l, ok := readAs(text); ok {
			return l, true
		}
	}
	if n := utf8.RuneCountInString(body); n < minRemark || n > maxRemark {
		return PreferenceLesson{}, false
	}
	return remark([]string{s, body})
}

// readAs parses a sentence with the first matching form.
func readAs(s string) (PreferenceLesson, bool) {
	for _, f := range forms() {
		if m := f.shape.FindStringSubmatch(s); m != nil {
			return f.read(m)
		}
	}
	return PreferenceLesson{}, false
}

// ownKorean matches the start of a Korean sentence about the speaker.
var ownKorean = pattern.New(`^(?:저|나|난|전|내|제)`)

// Limits of a sentence that is kept verbatim, in characters.
const (
	minRemark = 3
	maxRemark = 200
)

var sentenceEnd = pattern.New(`[^.!?\n。]+[.!?。]*|\n`)

// sentences splits a text into sentences without questions, which state nothing.
func sentences(words string) []string {
	var out []string
	for _, s := range sentenceEnd.FindAllString(words, -1) {
		s = strings.TrimSpace(s)
		if s == "" || intent.Question(s) {
			continue
		}
		out = append(out, strings.TrimRight(s, ".!。 "))
	}
	return out
}

// form is a way of stating a preference.
type form struct {
	shape *pattern.Pattern
	read  func(m []string) (PreferenceLesson, bool)
}

// goesOn matches a second statement after a name: "my name is Bob and I sit in room 42".
const goesOn = `(?:,?\s+(?:and|but)\s+(?:I|I'm|my|we|our)\s.*|[,;]\s.*)?`

// forms are tried in order; the first match parses the sentence. They are compiled on first use, because their
// bounded repetitions make them large.
var forms = sync.OnceValue(func() []form {
	return []form{
		{pattern.New(`(?i)^(?:please\s+)?call me\s+(.{1,40}?)` + goesOn + `$`), fact("name")},
		{pattern.New(`(?i)^my name(?:'s| is)\s+(.{1,40}?)` + goesOn + `$`), fact("name")},
		{pattern.New(`(?i)^my goal is\s+(?:to\s+)?(.{3,200})$`), goal},
		{pattern.New(`(?i)^(?:my|our)\s+([a-z][a-z' -]{1,40}?)\s+(?:is|are)\s+(?:now\s+)?(.{1,200})$`), factOf},
		{pattern.New(`(?i)^I(?:'m| am)?\s+(?:now\s+)?(work(?:ing)?|liv(?:e|ing))\s+(?:in|at|for|as|on|with)\s+(?:the\s+)?(.{2,100})$`), workOrHome},
		{pattern.New(`(?i)^I(?:'d)?\s+(don't like|do not like|dislike|hate|prefer|like|love)\s+(?:to\s+(?:get|have|see)\s+)?(.{2,150})$`), likes},
		{pattern.New(`(?i)^(?:(?:please\s+)?(?:from now on|in future|next time|always|never)\b,?\s*.{3,200}|.{3,200}\s(?:from now on|in future))$`), wish},

		{pattern.New(`^(?:앞으로\s*)?(?:저를|나를|절|날)?\s*(.{1,20}?)(?:이)?라고\s*불러\s*(?:줘|줘요|주세요)(?:.*)$`), fact("이름")},
		{pattern.New(`^(?:내|제|나의|저의|우리|저희)\s*목표는\s*(.{2,150}?)(?:이에요|예요|이야|야|입니다)?(?:[,.]?\s*(?:꼭\s*)?기억해\s*.{0,6})?$`), goal},
		{pattern.New(`^(?:내|제|나의|저의)\s*이름은\s+([가-힣A-Za-z]{1,20}?)(?:이?고|이?며|인데),?\s.+$`), fact("이름")},
		{pattern.New(`^(?:내|제|나의|저의|우리|저희)\s*([가-힣A-Za-z ]{1,20}?)(?:은|는|이|가)\s+(?:이제\s+)?(.{1,100}?)(?:이에요|예요|이야|야|입니다|이고요|라는 걸)(?:[,.]?\s*(?:꼭\s*)?기억해\s*.{0,6})?$`), factOf},
		{pattern.New(`^(?:저는|나는|난|전)\s*(?:이제\s+)?(.{1,60}?)(?:에서|에)\s*(일해요|일해|일합니다|일하고 있어요?|근무해요|근무합니다|살아요|살아|삽니다)$`), workOrHomeKorean},
		{pattern.New(`^(?:저는|나는|난|전|내가|제가)\s*(?:(?:항상|언제나|늘|주로|보통|대체로)\s+)?(.{1,60}?)(?:을|를|이|가)\s*(?:더\s*|정말\s*|아주\s*)?(안 좋아해|안 좋아합|싫|좋|선호)\S*$`), likesKorean},
		{pattern.New(`^(?:앞으로|항상|언제나|늘|절대|다음부터|이제부터)(?:는|로|로는)?,?\s+(.{3,150})$`), wish},
	}
})

// fact returns a parser for a value of a known subject.
func fact(subject string) func([]string) (PreferenceLesson, bool) {
	return func(m []string) (PreferenceLesson, bool) {
		return PreferenceLesson{Type: Fact, Subject: subject, Value: m[1]}, true
	}
}

// factOf parses subject and value.
func factOf(m []string) (PreferenceLesson, bool) {
	return PreferenceLesson{Type: Fact, Subject: m[1], Value: m[2]}, len(strings.Fields(m[1])) <= 4
}

func goal(m []string) (PreferenceLesson, bool) {
	return PreferenceLesson{Type: Goal, Subject: "goal", Value: m[1]}, true
}

func workOrHome(m []string) (PreferenceLesson, bool) {
	subject := "work"
	if strings.HasPrefix(strings.ToLower(m[1]), "liv") {
		subject = "home"
	}
	return PreferenceLesson{Type: Fact, Subject: subject, Value: m[2]}, true
}

func workOrHomeKorean(m []string) (PreferenceLesson, bool) {
	subject := "직장"
	if strings.HasPrefix(m[2], "살") || strings.HasPrefix(m[2], "삽") {
		subject = "사는 곳"
	}
	return PreferenceLesson{Type: Fact, Subject: subject, Value: m[1]}, true
}

// likes parses a taste; a taste in answers becomes an answer preference.
func likes(m []string) (PreferenceLesson, bool) {
	verb := strings.ToLower(m[1])
	against := verb != "prefer" && verb != "like" && verb != "love"
	if topic := topicOf(m[2]); topic != "" && !against {
		return PreferenceLesson{Type: Like, Subject: topic, Value: m[2]}, true
	}
	value := "likes it"
	if against {
		value = "does not like it"
	}
	return PreferenceLesson{Type: Like, Subject: fit.Clip(m[2], maxWord), Value: value}, true
}

func likesKorean(m []string) (PreferenceLesson, bool) {
	against := strings.HasPrefix(m[2], "안") || strings.HasPrefix(m[2], "싫")
	if topic := topicOf(m[1]); topic != "" && !against {
		return PreferenceLesson{Type: Like, Subject: topic, Value: m[1]}, true
	}
	value := "좋아함"
	if against {
		value = "싫어함"
	}
	return PreferenceLesson{Type: Like, Subject: fit.Clip(m[1], maxWord), Value: value}, true
}

// wish parses a request about future answers.
func wish(m []string) (PreferenceLesson, bool) {
	topic := topicOf(m[0])
	if topic == "" {
		topic = fit.Clip(m[0], maxWord)
	}
	return PreferenceLesson{Type: Feedback, Subject: topic, Value: m[0]}, true
}

// remark stores a statement verbatim.
func remark(m []string) (PreferenceLesson, bool) {
	return PreferenceLesson{Type: Fact, Subject: fit.Clip(m[1], maxWord), Value: m[1]}, true
}

// topics are the topics of answer preferences: a new preference replaces the old one on its topic.
var topics = []struct {
	name  string // key of the preference, also used in prompts
	words string // for people
	shape *pattern.Pattern
}{
	{"answer language", "bot.memory.topic.answer_language", pattern.New(`(?i)\b(?:in\s+)?(?:english|korean|japanese|chinese)\b|영어|한국어|한글|일본어|중국어|우리말`)},
	{"answer length", "bot.memory.topic.answer_length", pattern.New(`(?i)\b(?:short|shorter|brief|briefly|concise|long|longer|detail(?:ed|s)?|one line)\b|짧|간단|간결|길게|자세|상세|한 줄`)},
	{"answer format", "bot.memory.topic.answer_format", pattern.New(`(?i)\b(?:tables?|bullets?|bullet points?|lists?|numbered|markdown)\b|표로|목록|글머리|번호`)},
	{"tone", "bot.memory.topic.tone", pattern.New(`(?i)\b(?:formal|informal|casual|polite|friendly)\b|존댓말|반말|정중|친근|높임말`)},
}

func topicOf(text string) string {
	for _, t := range topics {
		if t.shape.MatchString(text) {
			return t.name
		}
	}
	return ""
}
