package intent

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// Verdict is the decision in a short reply.
type Verdict int

// The verdicts. None stands for any other reply, Stop for a no to all that is going on.
const (
	None Verdict = iota
	Yes
	No
	Skip
	Undo
	Stop
)

// doing matches the endings of a noun or a Korean 하다 verb that agree or request: 진행해 주세요, 취소할게요, 승인이요.
const doing = `(?:(?:` + telling + `|합니다|할(?:게|래)|함)[요]?)`

// telling matches those of them that only tell somebody else to do it.
const telling = `해(?:줘|주세요|주십시오)?|하(?:자|죠|시죠|세요|십시오)|합시다|해도(?:돼|됩니다)|시켜(?:줘|주세요)?|이?`

// Whole phrases of each verdict, without spaces.
var verdicts = []struct {
	verdict Verdict
	phrase  *pattern.Pattern
}{
	{Yes, pattern.New(`^(?:네+|넵+|넹|예|응+|ㅇㅇ|(?:ㅇㅋ)+|ㄱㄱ|고고|(?:그래|좋아|맞아)요?|(?:좋|맞)습니다|오케이|` +
		`(?:승인|진행)` + doing + `|(?:그대로|이대로)(?:진행)?` + doing + `|그렇게` + doing + `|` +
		`i?approved?|accept(?:ed)?|yes|y[eu][ap]h?|y|sure|ok|okay|go(?:ahead|forit)?|do(?:it|so)|(?:looks|sounds)good(?:tome)?|surething|lgtm|proceed|confirm(?:ed)?|👍+|✅+)$`)},
	{Stop, pattern.New(`^(?:(?:ok|okay)?(?:stop|cancel|abort)(?:it|this|that)?(?:all|thewhole(?:thing|task))?|(?:됐어요?)?` +
		`(?:(?:그만|중지|중단|취소|정지|스톱|스탑)(?:좀|취소)?(?:` + doing + `|하고싶어|두자|둬|두세요|둘(?:게|래)|줘|주세요)요?|관두자|관둬|관둘래|멈춰(?:줘|주세요)?|멈추세요)요?)$`)},
	{No, pattern.New(`^(?:` + no + `|싫어|안(?:돼|됩니다|됨|할래|할게|하고싶어)|(?:필요없어?|됐어요?안할래)|(?:그건|이건)?아닌것같(?:아|네|습니다)|반대` + doing + `|betternot|don't|not(?:now|today|really)?|no(?:way|need)|never(?:mind)?|nvm|i(?:would|'d)ratheryou(?:not|didn't)|idisagree|(?:forget|leave)(?:about)?it|decline[d]?|👎|🚫|❌)요?$`)},
	{Skip, pattern.New(`^(?:(?:이건|이번(?:건|거|거는)|이단계는?)?(?:건너뛰(?:어(?:줘|주세요)?|자|기|고)|건너뛸(?:게|래)|(?:패스|스킵|생략)` + doing + `|(?:다음(?:단계로|으로))?넘어가(?:자|줘|주세요)?)요?|(?:skip|passon)(?:it|(?:this|that)(?:one|step)?)?(?:fornow)?|pass)$`)},
	{Undo, pattern.New(`^(?:(?:(?:지난|이전|예전|저번)번?(?:답변?|대답)(?:은|을)?)?되돌려(?:줘|주세요)?|(?:지난|이전|예전|저번)번?(?:답변?|대답)(?:은|을)?(?:빼(?:줘|주세요)?|쓰지마(?:요|세요)?)|undo(?:it|that|this)?|` +
		`(?:don't|donot)use(?:my|the)(?:last|old|earlier|previous)answers?)$`)},
}

// no matches a flat refusal: what follows it is about the refusal, with or without a comma.
const no = `(?:아니[요오야]?|아니에요|아닙니다|아뇨|아냐|ㄴㄴ?|노노?|nope|nah|no|n|(?:거절|반려)` + doing + `|i?reject(?:ed)?(?:it|this|that)?|den(?:y|ied))`

var flatNo = pattern.New(`^` + no + `$`)

// Prohibitions, words apart: 보내지 말아 주세요, 보내면 안 돼, "do not send it". With an object they
// forbid one thing, which may be a part of what was asked about.
var (
	forbidsKo = pattern.New(`^(.*?)(?:(?:이건|그건|이거|그거) )*(?:(\p{Hangul}+)(?:지 ?(?:(?:마|말아|말자)(?:요|세요|줘|줘요)?|말아? ?(?:줘|줘요|주세요|주십시오|주실래요)|않(?:아도|았으면|는 ?(?:게|걸로|것으로))(?: ?\p{Hangul}+){1,2})|면 ?안 ?(?:돼|됩니다|될)\p{Hangul}*)|안 ?(\p{Hangul}+)(?:도 ?(?:돼|됩|될)\p{Hangul}*(?: \p{Hangul}+)?|는 ?(?:게|것이|편이) ?(?:(?:낫겠|좋겠|낫|좋)(?:어|습니다|네|다|아)|(?:나|좋)을 ?[것거] ?같\p{Hangul}+)요?))$`)
	forbidsEn = pattern.New(`^(?:please |i )?(?:do not|don't|never) (\w+)(?: (?:it|this|that|them|anything))?(?: at all)?((?: (?:the|an?|any|my|our|your|these|those|this|that))(?: [\w'-]+){1,2})?$`)
	// wanted matches verbs that one forbids to have the thing go on: "don't stop", 걱정하지 마.
	wanted = pattern.New(`^(?:wait|worry|hesitate|forget|mind|care|know|think|disagree|object|oppose|기다[려리]|걱정[하해]|망설[이여]|잊|빼|멈[추춰]|그만[두둬]|(?:취소|중지|중단|거절|생략)[하해]|건너뛰|stop|cancel|abort|reject|skip)$`)
)

// forbids reports whether a clause, its words apart by spaces, is a prohibition, what it names as
// its object, and whether it forbids something by which nothing would happen.
func forbids(clause string) (ok bool, object string, contrary bool) {
	verb := ""
	if m := forbidsKo.FindStringSubmatch(clause); m != nil {
		object, verb = strings.TrimSpace(m[1]), m[2]+m[3]
		ok = !aside.MatchString(object) && strings.Count(object, " ") < 3 && !questionKo(clause)
	} else if m := forbidsEn.FindStringSubmatch(clause); m != nil {
		ok, verb, object = true, m[1], m[2]
	}
	contrary = wanted.MatchString(verb) || must.MatchString(clause)
	return ok && !contrary, object, contrary
}

// must matches two noes that demand: 안 보내면 안 돼, 보내지 않으면 안 됩니다.
var must = pattern.New(`(?:^| )(?:안|못) ?\p{Hangul}+면 ?안 ?[돼됩될됨]|지 ?(?:않으|못하)면 ?안 ?[돼됩될됨]`)

// agreeable matches what begins with a no and objects to nothing: "no problem, go ahead".
var agreeable = pattern.New(`(?i)^(?:no|노)\s+(?:problems?|worries|doubts?|rush|hurry|objections?|concerns?|complaints?|issues?|sweat|biggie|questions|프라블럼|프라브럼)\b|^노\s?프[라러]블럼`)

// aside matches objects that single out one of several: a number, an addressee, a contrast.
var aside = pattern.New(`\d|(?:에게|한테|께|만|까지|부터|에는|에서|으?로)(?:는|도)?(?:\s|$)|고$|서$|면$`)

// emphasis words may accompany a no; a yes with them says more.
var emphasis = set(`절대 절대로 제발 진짜 정말 일단 그냥 이제 잠깐 야 now absolutely really let's i'd rather definitely hell`)

// hesitation words may come before a no or a word to stop: "아 잠깐, 취소", "oh wait, cancel that". A yes
// behind them is none.
var hesitation = set(`아 앗 어 음 흠 잠깐 잠깐만 잠깐만요 잠시 잠시만 잠시만요 역시 oh ah uh um umm hm hmm wait actually sorry`)

// all matches words that make a verdict one on all that is asked about, which it is anyway.
var all = set(`다 전부 모두 전체 all everything`)

// politeness words may accompany a verdict without changing it.
var politeness = set(`해줘 해주세요 해요 부탁 부탁해 부탁해요 부탁드려요 부탁드립니다 please pls thanks thx thank you 고마워 고마워요 감사해요 감사합니다 그럼 then`)

// Bounds of a reply that is read as a verdict.
const (
	maxVerdictWords = 8
	maxVerdictRunes = 80
	maxReplyRunes   = 300 // with a reason
)

// Reply is what a short reply says.
type Reply struct {
	Verdict Verdict
	Number  int    // of the question that it names ("승인 2번"), 0 for none
	Halt    bool   // a no that is also to stop ("아니 됐어 그만둬")
	Object  bool   // a no that names what it forbids ("메일은 보내지 마")
	Rest    string // after a leading no: its reason, or what is wished for instead; "" if the verdict is all
	Wish    bool   // Rest wishes for something else
}

// Read reads a reply: one that is nothing but a verdict ("네 진행해 주세요", "아니, 보내지 마"), or a no
// and what follows it ("아니, 너무 비싸"). It finds no yes in a reply that says more.
func Read(text string) Reply {
	text = laughter.ReplaceAllString(strings.TrimSpace(text), "$1")
	if n := utf8.RuneCountInString(text); n > maxReplyRunes {
		return Reply{}
	} else if n <= maxVerdictRunes {
		if v, number := Decide(text); v != None {
			return Reply{Verdict: v, Number: number, Halt: v == No && halts(fields(text))}
		}
		if ok, object, _ := forbids(strings.Join(fields(text), " ")); ok {
			return Reply{Verdict: No, Object: object != ""}
		}
	}
	v, rest, given := leadingNo(text)
	return Reply{Verdict: v, Rest: rest, Wish: v != None && !given && wishes(rest)}
}

// Decide reads a reply that is nothing but a verdict. number is that of the named question
// ("승인 2번"), 0 for none.
func Decide(text string) (v Verdict, number int) {
	if utf8.RuneCountInString(text) > maxVerdictRunes {
		return None, 0
	}
	words := fields(laughter.ReplaceAllString(strings.TrimSpace(text), "$1"))
	if n := len(words); n > 1 {
		last := strings.TrimSuffix(strings.TrimPrefix(words[n-1], "#"), "번")
		if k, err := strconv.Atoi(last); err == nil && k > 0 {
			number, words = k, words[:n-1]
		}
	}
	if len(words) > maxVerdictWords {
		return None, 0
	}
	if v = row(words); v == None {
		return None, 0
	}
	return v, number
}

// row reads words as one or more verdicts of one or several words, with politeness and emphasis
// around them. They must agree; a no may say stop as well.
func row(words []string) Verdict {
	v, from := None, hesitates(words)
	stressed := from > 0
	for at := from; at < len(words); {
		here, end := longest(words, at)
		switch {
		case here == None && all[words[at]] && !slices.Contains(words, "not"): // "not all" is no verdict
			at++
			continue
		case here == None && !politeness[words[at]] && !emphasis[words[at]]:
			return None
		case here == None:
			stressed = stressed || emphasis[words[at]]
			at++
			continue
		case v == No && here == Stop || v == Stop && here == No:
			here = v
		case v != None && v != here:
			return None
		}
		v, at = here, end
	}
	if stressed && v == Yes {
		return None
	}
	return v
}

// hesitates returns the number of words with which a reply begins that say only that its author thinks.
func hesitates(words []string) (n int) {
	for n < len(words) {
		switch two := strings.Join(words[n:min(n+2, len(words))], ""); {
		case two == "holdon" || two == "생각해보니" || two == "생각해보니까":
			n += 2
		case strings.HasPrefix(strings.Join(words[n:], " "), "on second thought"):
			n += 3
		case hesitation[words[n]] || words[n] == "생각해보니" || words[n] == "생각해보니까":
			n++
		default:
			return n
		}
	}
	return n
}

// halts reports whether one of several verdicts of a reply is to stop.
func halts(words []string) bool {
	for at := range words {
		if v, _ := longest(words, at); v == Stop {
			return true
		}
	}
	return false
}

// longest returns the verdict of the longest phrase at a word, and its end.
func longest(words []string, at int) (Verdict, int) {
	for end := len(words); end > at; end-- {
		phrase := strings.Join(words[at:end], "")
		for _, o := range verdicts {
			if o.phrase.MatchString(phrase) {
				return o.verdict, end
			}
		}
		switch ok, object, contrary := forbids(strings.Join(words[at:end], " ")); {
		case contrary:
			return None, at
		case ok && object == "":
			return No, end
		}
	}
	return None, at
}

// laughter matches letters after a syllable, as in 네ㅋㅋ; ㅇㅇ alone is a word.
var laughter = pattern.New(`([가-힣][!.~ ]*)[ㅋㅎㅠㅜ]+$`)

// breaks matches what parts a refusal from its reason where the words alone do not.
var breaks = pattern.New(`^\s*(?:[,.!:;~–—-]+\s*|\n\s*|\s)((?i:because|since|as)\s+)?`)

// leadingNo splits a text into the no that it begins with and the rest. given says that the rest is
// given as its reason.
func leadingNo(text string) (v Verdict, rest string, given bool) {
	if agreeable.MatchString(text) {
		return None, "", false
	}
	for _, end := range ends(text) {
		words := fields(text[:end])
		if v = row(words); v != No && v != Stop {
			continue
		}
		rest = text[end:]
		part := breaks.FindStringSubmatch(rest)
		if part == nil || strings.TrimSpace(part[0]) == "" && !flatNo.MatchString(strings.Join(words, "")) {
			continue
		}
		rest = strings.TrimSpace(rest[len(part[0]):])
		if rest != "" && !takenBack(rest) {
			return v, rest, part[1] != ""
		}
	}
	return None, "", false
}

// takenBack reports whether what follows a no takes it back, or shows that it was none: another verdict, an order to go on, or
// praise at its end, as in "아니 진짜 잘 썼네" and "no, that's great".
func takenBack(rest string) bool {
	if v, _ := Decide(rest); v != None {
		return true
	}
	if words := fields(rest); len(words) <= maxCommand && !slices.ContainsFunc(words, narrows.MatchString) {
		if _, objects, ok := ordered(words); ok && len(objects) == 0 {
			return true
		}
	}
	praised := false
	for _, c := range clause.Split(rest, -1) {
		c = strings.TrimSpace(c)
		if v, _ := Decide(c); v == Yes {
			return true
		}
		if good := praises.MatchString(c) && !denies.MatchString(c); good || c != "" && !Courtesy(c) {
			praised = good
		}
	}
	return praised
}

// praises matches a clause that finds something good. "That's fine", 괜찮아요 and "I'm good" decline.
var praises = pattern.New(`(?i)^(?:that|it)(?:['’]s|\s+is)\s+(?:really\s+|very\s+|so\s+|just\s+)?(?:good|great|perfect|nice|right|correct|excellent)$|` +
	`^(?:.*\s)?(?:잘\s?\p{Hangul}|좋|훌륭하|완벽하|멋지|맞)\s?\p{Hangul}*(?:네|네요|군|군요|구나|구만|는데|은데|는데요|은데요)$`)

// denies matches words with which praise is none: 잘 안 맞는데, 맞지 않네, 잘 모르겠는데.
var denies = pattern.New(`(?:^|\s)안(?:\s|[되돼됐된맞좋])|않|못|[모몰][르랐라]|별로`)

// ends returns where the first words of a text end, the longest beginning first.
func ends(text string) (out []int) {
	for i, r := range text {
		if (unicode.IsSpace(r) || strings.ContainsRune(".,!~;:…–—", r)) && len(fields(text[:i])) > 0 && len(out) < 2*maxVerdictWords {
			out = append(out, i)
		}
	}
	slices.Reverse(out)
	return out
}

// What follows a no wishes for something else if it asks for it, points at one of several,
// corrects, or, in English, begins a clause with a verb. All else is a reason.
var (
	wishKo = pattern.New(`(?:으?로|만|을|를|거|것|부터)\s?\p{Hangul}{1,3}$|자요?$|^\S+(?:이에요|예요|입니다|이야)$`)
	wishEn = pattern.New(`(?i)[?？\d]|번째|단계|\b(?:but|only|should|would|please|first|second|third|last|steps?)\b|\b(?:i|we)\s+(?:want|prefer|need\s+to)\b`)
	named  = pattern.New(`^(?i:it(?:['’]s|\s+is)|that(?:['’]s|\s+is))\s+(?:(?:on|in|at|for)\s+)?\p{Lu}\w*$`)
	states = pattern.New(`(?i)^(?:(?:too|not|no|never|nothing|nobody|because|since|as|already|still|\w+['’](?:s|m|re|ve|ll|t))\b|` + subject + `)`)
	clause = pattern.New(`[,.;:!]+`)
)

func wishes(rest string) bool {
	rest = strings.TrimRight(rest, ".!~ ")
	if Request(rest) || alters.MatchString(rest) || wishEn.MatchString(rest) || named.MatchString(rest) {
		return true
	}
	if hangul(rest) {
		return wishKo.MatchString(bare(rest))
	}
	for _, c := range clause.Split(rest, -1) {
		if !states.MatchString(strings.TrimSpace(c)) && !Courtesy(c) {
			return true
		}
	}
	return false
}

// Stops reports whether a message means only stop.
func Stops(text string) bool {
	v, number := Decide(strings.TrimRight(strings.TrimSpace(text), "?"))
	return v == Stop && number == 0
}

// Same reports whether two texts are the same words, but for case, spaces, quotes, punctuation
// and a polite ending.
func Same(a, b string) bool { return said(a) != "" && said(a) == said(b) }

func said(text string) string {
	words := fields(unquoted.Replace(text))
	for len(words) > 1 && politeness[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return strings.Join(words, "")
}

// plain matches an unambiguous decision word at the beginning of a text, unlike "yes".
var plain = pattern.New(`(?i)^\W*(?:승인|거절|반려|(?:i\s+)?approved?\b|rejected?\b|den(?:y|ied)\b)`)

// Ruling reports whether a text begins with an unambiguous decision word: "승인", "rejected".
func Ruling(text string) bool { return plain.MatchString(text) }

// yetKo matches a Korean yes that goes on: "승인하되 3번은 나중에".
var yetKo = pattern.New(`^(?:(?:승인|진행)(?:하되|하는데|하지만)|좋은데)[\s,.!]+`)

// AfterYes returns the text after an initial yes; the whole text if it has none.
func AfterYes(text string) string {
	for _, end := range ends(text) {
		if row(fields(text[:end])) == Yes {
			return strings.TrimLeft(text[end:], " \t\n,.!")
		}
	}
	return text[len(yetKo.FindString(text)):]
}
