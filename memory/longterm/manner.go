package longterm

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// Manner reports whether a preference is about how the person wants to be answered: tone, length, form or language.
func (p Preference) Manner() bool {
	if p.Type != Like && p.Type != Feedback {
		return false
	}
	for _, t := range topics {
		if t.name == p.Subject {
			return true
		}
	}
	return aboutAnswers.MatchString(p.Subject) && topicOf(p.Subject+" "+p.Value) != ""
}

// mannerHead introduces the wishes about manner in a prompt. The model follows them, unlike other memories,
// because they are the person's own words about answers to that person.
const mannerHead = "How they want to be answered, in their own words. It decides politeness, tone, length, form and language of the answer and " +
	"goes before the defaults above. It is about manner only, never about what is done or allowed:"

// Manner returns the wishes about manner as prompt lines under a heading, "" if there are none.
func (r Recollection) Manner() string {
	var out []string
	for _, e := range r.Mementos {
		if e.Manner {
			out = append(out, "- "+e.Text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return mannerHead + "\n" + strings.Join(out, "\n")
}

// mannerOf parses a lasting wish about the manner of answers: the sentence is about answers in general, or is the
// whole message and can only be about the bot's manner. "Summarise this in a table" is a task.
func mannerOf(s string, alone bool) (PreferenceLesson, bool) {
	topic := topicOf(s)
	if topic == "" || utf8.RuneCountInString(s) > maxManner || onlyNow.MatchString(s) || !wanted.MatchString(s) {
		return PreferenceLesson{}, false
	}
	if !answersInGeneral.MatchString(s) && !(alone && (speech.MatchString(s) || keepIt.MatchString(s))) {
		return PreferenceLesson{}, false
	}
	return PreferenceLesson{Type: Feedback, Subject: topic, Value: fit.OneLine(s)}, true
}

// maxManner limits a sentence that is only about manner, in characters.
const maxManner = 60

var (
	aboutAnswers     = pattern.New(`(?i)\b(?:answers?|repl(?:y|ies)|responses?|tone|manner)\b|답변|대답|응답|말투`)
	answersInGeneral = pattern.New(`(?i)\b(?:your|all|the|my)?\s*(?:answers|replies|responses)\b|\byour (?:tone|writing|style|language)\b|\b(?:answer|reply|respond|talk|speak|write) (?:to )?me\b|(?:^|\s)(?:답변|대답|응답|답|말투|설명)(?:은|는|을|를|도)?(?:\s|$)`)
	keepIt           = pattern.New(`(?i)^(?:please\s+|just\s+)?(?:keep (?:it|things|that|everything)|be|don['’]?t be|do not be|stop being)\s+(?:(?:more|less|so|very|a bit|too)\s+)?\w+(?:\s+and\s+\w+)?(?:\s+please)?$`)
	speech           = pattern.New(`^(?:(?:나|저|제|내)(?:한테|에게|게)?(?:는|은)?\s+)?(?:존댓말|반말|높임말)(?:로|을|를|은|는|도)?\s*(?:좀\s*|제발\s*|꼭\s*)?(?:해|하|써|쓰|말하|말해|답하|답해|대답|대화)\S*(?:\s(?:줘|줘요|주세요|마|마요|마세요|줄래요?|부탁해요?))?$`)
	onlyNow          = pattern.New(`(?i)\b(?:this (?:time|one|answer|once)|for (?:now|this|once)|just once|here)\b|이번|지금만|이 (?:답|질문|글|문서)|이거`)
	wanted           = pattern.New(`(?i)^(?:please\s+|just\s+|and\s+)?(?:keep|be|use|write|answer|reply|respond|speak|talk|give|make|don['’]?t|do not|stop|no|avoid|skip|shorter|less|more|i (?:want|prefer|like))\b|(?:줘|줘요|주세요|주라|줄래요?|마|마요|마세요|말아요?|말고|하지마|해|해요|하세요|해라|써|써요|쓰세요|써라|부탁해요?|부탁드려요|부탁드립니다|좋겠어요?|좋아요?|바라요?|바랍니다)\s*$`)
)

// withManner adds the wishes about manner to the lessons read from a message, one per sentence.
func withManner(read []PreferenceLesson, said []string) []PreferenceLesson {
	for _, s := range said {
		if slices.ContainsFunc(read, func(l PreferenceLesson) bool { return l.Quote == s }) {
			continue
		}
		if l, ok := mannerOf(s, len(said) == 1); ok {
			l.Quote = s
			read = append(read, l)
		}
	}
	return read
}
