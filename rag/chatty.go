package rag

import (
	"strings"

	"maru/phrase/pattern"
)

var (
	// chattyEnd matches chat spellings of the polite 요: 있나여, 이에용, 인가염. Nouns such as 급여 and 내용 end alike, but not
	// behind these syllables.
	chattyEnd = pattern.New(`((?:에|예|해|가|나|까|세|어|아|줘)여|(?:에|예|해|나|까|세|인가)용|(?:에|예|까|인가)염)(\P{L}|$)`)
	// misspelt maps common misspellings of 며칠, and of 이에요 after a consonant.
	misspelt = strings.NewReplacer("몇일", "며칠", "이예요", "이에요")
)

// spacing restores spaces omitted in chats. A rule runs only if the question has one of its cues.
var spacing = []struct {
	cues string
	re   *pattern.Pattern
	to   string
}{
	// The verb before 때, 데 and the 수 of 있다: 퇴사할때, 세울데 있어, 할수있나. Nouns with this ending (필수, 실수, 일수) do not precede 있다
	// without a space.
	{"때", pattern.New(`(` + liquid + `)(때(?:는|도|만|에|에는|에도)?)($|[^가-힣])`), "$1 $2$3"},
	{"데", pattern.New(`(` + liquid + `)(데[가는도]?)($|[^가-힣])`), "$1 $2$3"},
	{"데수", pattern.New(`(` + liquid + `)([데수][가는도]?)([있없]\p{Hangul}+)`), "$1 $2 $3"},
	// The 거 of 것, after a verb: 남은거, 쓰는거, 잃어버린거같아. 근거 and 선거 are nouns.
	{"거", pattern.New(`(\p{Hangul}[은는던]|[린된한른])(거(?:는|도|를|야|예요|죠|지)?)($|[^가-힣])`), "$1 $2$3"},
	{"거", pattern.New(`(\p{Hangul}[은는던]|[린된한른])거(같\p{Hangul}*)`), "$1 거 $2"},
	// 해야돼, 이상이어야됨; 분야 and 시야 are nouns.
	{"야", pattern.New(`([어아여해와워줘돼려써쳐켜펴가나사타자서둬]야)((?:돼|되|됩|됨|하나|하는|하지|하죠|하니|하냐|할까|합니|해|함)\p{Hangul}*)`), "$1 $2"},
	// Question words fused to the next word: 얼마전에, 언제해, 몇글자.
	{"얼", pattern.New(`(얼마)((?:전|뒤|후|동안)(?:에|까지)?)($|[^가-힣])`), "$1 $2$3"},
	{"언어", pattern.New(`(언제|어디서|어디에|어떻게)((?:하|해|함|되|돼|됨|나와|나옴|들어|받아|받음|써|쉬)\p{Hangul}*)`), "$1 $2"},
	{"케캐", pattern.New(`(^|[^가-힣])어[케캐]\s?((?:하|해|함|할|되|돼|됨|써|쓰|받|가|들어|신청|나와)\p{Hangul}*)`), "${1}어떻게 $2"},
	{"케캐", pattern.New(`([가-힣])어[케캐]\s?((?:하|해|함|할|되|돼|됨|써|쓰|받)\p{Hangul}*)`), "$1 어떻게 $2"},
	{"몇", pattern.New(`([가-몆몈-힣])몇`), "$1 몇"},
	{"몇", pattern.New(`(^|[^몇])몇([가-몆몈-힣])`), "${1}몇 $2"},
}

// liquid is a syllable that ends with ㄹ, as a verb does before a noun.
var liquid = func() string {
	var b strings.Builder
	for r := rune(hangulFirst); r <= hangulLast; r++ {
		if final(r) == 8 {
			b.WriteRune(r)
		}
	}
	return "[" + b.String() + "]"
}()

var (
	// noteEnd matches note-style endings of a question: 들어옴, 됨, 있음, 신청함; askEnd matches them after a question word.
	noteEnd = pattern.New(`(\p{Hangul}*?)(옴|됨|줌|함|있음|없음|받음|않음|같음)([^가-힣A-Za-z]*)$`)
	askEnd  = pattern.New(`(얼마|언제|어디|누구|며칠|뭐|무엇)임([^가-힣A-Za-z]*)$`)
	unnoted = strings.NewReplacer("옴", "와", "됨", "돼", "줌", "줘", "함", "해", "음", "어")
	// boxes are nouns with a note-style ending.
	boxes = set(`포함 결함 명함 사물함 보관함 우편함 사서함 수거함 투표함 제안함 서류함 군함 전함 공구함 신발함 쓰레기함 소화전함 분전함`)
)

// Unchatty converts chat spelling in a Korean question to the spelling of the word lists: 몇일이에여 becomes 며칠이에요, 퇴사할때
// becomes 퇴사할 때, 들어옴? becomes 들어와? Documents are not converted.
func Unchatty(question string) string {
	if strings.ContainsAny(question, "여용염") {
		question = chattyEnd.ReplaceAllStringFunc(question, func(end string) string {
			last := strings.LastIndexAny(end, "여용염")
			return end[:last] + "요" + end[last+len("여"):]
		})
	}
	question = misspelt.Replace(question)
	for _, s := range spacing {
		if strings.ContainsAny(question, s.cues) {
			question = s.re.ReplaceAllString(question, s.to)
		}
	}
	if m := noteEnd.FindStringSubmatch(question); m != nil && !boxes[m[1]+m[2]] {
		question = strings.TrimSuffix(question, m[2]+m[3]) + unnoted.Replace(m[2]) + m[3]
	}
	question = askEnd.ReplaceAllString(question, "${1}야$2")
	return writtenOut(question)
}

// written are English chat abbreviations that are neither a name nor a unit.
var written = map[string]string{
	"ppl": "people", "u": "you", "ur": "your", "yrs": "years", "hrs": "hours", "mins": "minutes", "wks": "weeks", "mgr": "manager", "mgmt": "management",
	"dept": "department", "msg": "message", "appt": "appointment", "abt": "about", "tmrw": "tomorrow", "govt": "government", "acct": "account", "accts": "accounts", "cuz": "because", "bday": "birthday",
}

// writtenOut replaces the abbreviations of a question, which are whole words in lower case.
func writtenOut(question string) string {
	var out []byte
	done := 0 // what precedes is in out
	for i := 0; i < len(question); {
		end := i
		for end < len(question) && inWord(question[end]) {
			end++
		}
		if long, ok := written[question[i:end]]; ok {
			out = append(append(out, question[done:i]...), long...)
			done = end
		}
		i = max(end, i+1)
	}
	if done == 0 {
		return question
	}
	return string(append(out, question[done:]...))
}

// inWord is \w of regular expressions.
func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
