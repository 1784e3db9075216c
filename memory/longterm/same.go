package longterm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
	"maru/rag"
)

// SameTask reports whether two requests ask for the same thing, so that the answers of one apply to the other: the
// same words in the same order and number, ignoring politeness, articles, object particles, case and punctuation, and
// the spacing of Korean: 회의실 1번 is 회의실1번, but neither is 1 2 12 nor "to day" "today".
// Any other difference may be a month, a person, an amount, another action or a negation, which no word list can
// rule out. The person decides about similar requests.
func SameTask(a, b string) bool {
	a, b = request(a), request(b)
	return a != "" && a == b
}

// request normalises a request.
func request(text string) string {
	text = strings.ToLower(oneLine(text))
	for before := ""; before != text; { // a greeting may precede a form of address, and that "could you"
		before, text = text, asks.ReplaceAllString(text, "")
	}
	text = spelled.ReplaceAllString(text, "${1}iz$2")
	var out strings.Builder
	last := ""
	words := tokens(text)
	for i, w := range words {
		w = bare(w)
		article := w != "a" || i+1 < len(words) && latin(firstOf(words[i+1])) // room A is a name
		if idle[w] && article || politeness[w] {
			continue
		}
		if spaced(last, w) {
			out.WriteByte(' ')
		}
		out.WriteString(w)
		last = w
	}
	return strings.TrimSuffix(out.String(), "해") // 정리해 주세요 is 정리해줘
}

// spaced reports whether the space between two words tells requests apart: between numbers, between words of Latin letters, and
// before a name such as a2 after a number.
func spaced(a, b string) bool {
	if a == "" {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(a)
	begin := firstOf(b)
	switch {
	case unicode.IsDigit(end):
		return unicode.IsDigit(begin) || latin(begin) && strings.ContainsFunc(b, unicode.IsDigit)
	case latin(end):
		return latin(begin)
	}
	return false
}

func latin(r rune) bool { return unicode.Is(unicode.Latin, r) }

// tokens splits a text at spaces and drops punctuation without meaning; "1.5", "-3", "1~2", "50%" and "$20" stay.
func tokens(text string) []string {
	letters := []rune(text)
	digit := func(i int) bool { return i >= 0 && i < len(letters) && unicode.IsDigit(letters[i]) }
	for i, r := range letters {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Sc, r), strings.ContainsRune("%+#@/&", r):
		case strings.ContainsRune(".,:", r) && digit(i-1) && digit(i+1), (r == '-' || r == '~') && digit(i+1):
		case r == '\'' || r == '’':
			letters[i] = '\''
		default:
			letters[i] = ' '
		}
	}
	return strings.Fields(string(letters))
}

// bare removes a request ending and an object particle from a word: 을 after a final consonant, 를 after a vowel, so
// that 가을 stays.
func bare(word string) string {
	word = plainForm(word)
	for particle, closed := range map[string]bool{"을": true, "를": false} {
		if s, ok := strings.CutSuffix(word, particle); ok && s != "" {
			if last, _ := utf8.DecodeLastRuneInString(s); last < '가' || last > '힣' || ((last-'가')%28 != 0) == closed {
				return s
			}
		}
	}
	return word
}

func firstOf(word string) rune {
	r, _ := utf8.DecodeRuneInString(word)
	return r
}

// asks matches the politeness around a request: greetings, forms of address and polite endings.
var asks = pattern.New(`^(?:\s|(?:hey|hi|hello|ok|okay|so|안녕(?:하세요)?|저기(?:요)?|혹시|그럼|자|maru|마루(?:야|님)?|@\S+)(?:[\s,.!~:]+|$))+` +
	`|^(?:please\s+|kindly\s+)?(?:(?:can|could|would|will)\s+you(?:\s+please|\s+kindly)?|i(?:['’]d|\s+would)\s+like\s+you\s+to|i\s+(?:want|need)\s+you\s+to|help\s+me(?:\s+to)?|let['’]?s)\s+` +
	`|[\s,]+(?:thanks|thank you|if you can|고마워요?|감사(?:합니다|해요))[\s.!?~]*$` +
	`|\s*(?:줄|주실)\s*수\s*(?:있어요?|있나요?|있을까요?|있으세요|있으신가요|있겠어요?)[\s.!?~]*$|\s*주(?:시)?면\s*(?:좋겠어요?|좋겠습니다|고맙겠어요?|감사하겠습니다|돼요?|됩니다)[\s.!?~]*$` +
	`|\s*(?:줘요?|주세요|주십시오|주라|줄래요?|주실래요|주시겠어요|주렴|봐요?|보세요|부탁해요?|부탁드려요|부탁드립니다|바라요|바랍니다)[\s.!?~ㅎㅋㅠㅜ^]*$`)

// idle are words without meaning in a request: articles and fillers. "me" is a person, 하나 an amount, and "just" leaves out all
// others.
var idle = map[string]bool{
	"a": true, "an": true, "the": true, "please": true, "kindly": true,
	"좀": true, "혹시": true, "그냥": true, "얼른": true, "한번": true, "해": true, "부탁": true,
}

// SameQuestions reports whether two lists have the same questions in any order. A model rewords its questions, so
// two are equal if they have the same question words and numbers and most of their other words.
func SameQuestions(a, b []string) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	taken := make([]bool, len(b))
	for _, q := range a {
		found := false
		for i, r := range b {
			if !taken[i] && sameQuestion(q, r) {
				taken[i], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func sameQuestion(a, b string) bool {
	if request(a) == request(b) {
		return true
	}
	askA, aboutA := parts(a)
	askB, aboutB := parts(b)
	if len(askA) != len(askB) || len(aboutA) == 0 || len(aboutB) == 0 {
		return false
	}
	for w := range askA {
		if !askB[w] {
			return false
		}
	}
	both := 0
	for w := range aboutA {
		if aboutB[w] {
			both++
		}
	}
	return 2*both > len(aboutA)+len(aboutB)-both
}

// parts splits a question into what must be equal (question words, numbers, negations) and its other words.
func parts(question string) (ask, about map[string]bool) {
	ask, about = map[string]bool{}, map[string]bool{}
	var a rag.Analyzer
	for _, w := range a.Query(asksEnd.ReplaceAllString(strings.ToLower(question), "")) {
		switch {
		case asksWith.MatchString(w.Text), strings.ContainsFunc(w.Text, unicode.IsDigit):
			ask[w.Text] = true
		case w.Weight > 0 && len(w.Terms) > 0:
			about[w.Terms[0]] = true
		}
	}
	if denied.MatchString(question) {
		ask["!"] = true
	}
	return ask, about
}

var (
	asksWith = pattern.New(`^(?:who|whom|whose|when|where|which|what|why|how)$|^(?:누구|누가|언제|어디|몇|얼마|무엇|뭐|뭘|무슨|어떤|어느|왜|어떻게)`)
	asksEnd  = pattern.New(`(?:이|인)?(?:ㄹ까요|일까요|까요|인가요|나요|은가요|한가요|에요|예요|습니까|ㅂ니까|입니까|죠|요)?[\s?.!]*$`)
)
