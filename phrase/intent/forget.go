package intent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// Patterns of messages that only ask what is remembered about their author, or to forget it. Korean is matched
// without spaces.
var (
	// deletesKo is a wish that something be deleted, "지워줘", "삭제해 주실 수 있어요": "삭제 요청은 어디에 해요?" and "지우지 마" are none.
	deletesKo   = `(?:(?:지워|잊어|없애)(?:버려)?|삭제(?:좀)?(?:해)?)(?:줘요?|줄래요?|주라|주세요|주십시오|주실래요?|(?:줄|주실)수있\S{1,4}|주시겠\S{1,4}|주시기바랍니다|주시면\S{1,8}|주면좋겠\S{1,4}|달라\S{0,3}|라)?|(?:지우|삭제하)고싶(?:어요?|습니다|은데요?)|삭제(?:할래요?|하자|부탁\S{1,5})`
	ownMemoryKo = pattern.New(`^(?:` +
		`(?:내|제|나의|저의|나에대한|저에대한)기억(?:을|들|좀|다|모두|전부|목록)*(?:보여|알려|말해|확인|지워|지우|삭제|잊|없애)\S{0,8}|` +
		`(?:(?:지금까지|여태까지|여태|그동안|네가|니가)*(?:나|저)에(?:대해서?|대한|관해서?|관한)?(?:아는|알고있는|저장한|저장된|저장해둔|모은)(?:거|것|걸|건|정보|내용|기록)(?:을|를|은|들|좀|다|모두|전부|싹)*(?:(?:보여|알려)\S{0,8}|` + deletesKo + `))|` +
		`(?:나에대한|저에대한|나의|저의|내|제)(?:개인)?(?:정보|데이터)(?:를|좀|다|모두|전부|싹)*(?:` + deletesKo + `)|` +
		`(?:내가|제가)(?:너한테|여기에?|지금까지)*(?:뭘|뭐|뭐라고|무엇을|어떤걸)(?:저장|기억(?:하라고|해달라고|시켜?)|적어두?|메모)(?:했|해뒀|해놨|시켰|뒀|놨)\S{0,6}|` +
		`(?:나|저)에(?:대해서?|대하여|관해서?)(?:뭘|뭐를|뭐|무엇을|어떤걸|어떤것을|얼마나)?(?:기억하|기억해|알고|아는|알아|아시)\S{0,12}|` +
		`(?:(?:나|저)에(?:대해서?|관해서?))?(?:지금까지)?기억(?:하는|한|하고있는|하고계신|해둔)(?:거|것|걸|게|건|내용)(?:을|이|들|좀|다|모두|전부)*(?:보여|알려|말해|뭐|무엇|있|지워|지우|삭제|잊)\S{0,8}|` +
		`(?:내가|제가)(?:지금까지|여태)?(?:한말|했던말|말한(?:거|것|걸|건))(?:을|은|들|좀)*(?:다|모두|전부)+(?:잊|지워|지우|삭제)\S{0,8}|` +
		`(?:나를|저를|나에대해|저에대해|나에대한(?:거|것|건)|저에대한(?:거|것|건)|그거|그건|그것은?|방금(?:말한|한말)(?:거|건|것|은)?)(?:이제|그냥|모두|다|전부)*(?:잊어|잊으)\S{0,6})$`)
	ownMemoryEn = pattern.New(`^(?:please |can you |could you )?(?:` +
		`what (?:do|can) you (?:remember|know) about me|what (?:have|did) you (?:saved?|stored?|kept|keep|noted?) (?:about|on) me|what (?:have|did) i (?:ask(?:ed)?|tell|told) you to (?:remember|save|keep)|what have you (?:learned|learnt|remembered) about me|` +
		`(?:show|tell|list)(?: me)? (?:what you (?:remember|know) (?:about|of) me|(?:my|your) memor(?:y|ies)(?: of me)?)|` +
		`(?:forget|delete|erase|clear|wipe|remove) (?:(?:everything|all|what)(?: that)?(?: you)? (?:know|remember|remembered|learned|learnt) (?:about|of) me|(?:all )?(?:my|your) memor(?:y|ies)(?: of me)?|` +
		`(?:everything|all)(?: that)? (?:about me|i(?:'ve| have)? (?:ever )?(?:said|told you)(?: so far)?)|(?:all )?(?:of )?my (?:personal )?(?:data|info|information))|` +
		`forget (?:me|that))(?: please| now| then)?$`)
)

// AsksOwnMemory reports whether a message only asks what is remembered about its author,
// or to forget it.
func AsksOwnMemory(text string) bool {
	s := strings.ToLower(strings.Trim(strings.Join(strings.Fields(text), " "), " .!?~？！"))
	if len(s) > maxOwnMemory || keepsKo.MatchString(s) {
		return false
	}
	return ownMemoryEn.MatchString(s) || ownMemoryKo.MatchString(strings.ReplaceAll(s, " ", ""))
}

// maxOwnMemory bounds such a message, in bytes.
const maxOwnMemory = 120

const (
	// forgetKo is a wish at the end of a sentence that something be forgotten.
	forgetKo = `(?:은|는|을|를|도)?\s*(?:(?:이제|이젠|그만|좀|더\s?이상)\s*)*(?:잊어|지워|삭제|없애)\s*(?:버려\s*)?(?:해\s*)?` + koGives + `?$`
	// thingKo is a noun for what a clause says.
	thingKo  = `(?:거|것|걸|건|사실|내용|정보|기록|말)`
	forgetEn = `^(?:please\s+|(?:can|could)\s+you\s+(?:please\s+)?)?(?:forget|stop\s+remembering|don['’]?t\s+remember)\s+`
	endEn    = `(?:[,\s]+(?:please|anymore|any\s+more|now))*$`
)

var (
	// keepsKo is a wish that nothing be deleted, "지우지 마".
	keepsKo = pattern.New(`(?:지우|잊|없애|삭제하|삭제)지\s*(?:는|도|를)?\s*(?:마|말|않)`)
	// Wishes that one thing be forgotten that their author had said of themselves. The group holds it. A named one says that it is
	// remembered: its subject alone calls it.
	forgetsOne = []*pattern.Pattern{
		pattern.New(`(?i)` + forgetEn + `(?:that\s+|about\s+)?(?:i['’]?m|i\s+am|i|my)\s+(.+?)` + endEn),
		pattern.New(`(?i)^(?:i['’]?m|i\s+am|i)\s+(?:not|no\s+longer|don['’]?t)\s+(.+?)(?:\s+any\s?more)?[,.;]\s+(?:so\s+)?(?:please\s+)?forget\s+(?:that|it|about\s+(?:that|it))` + endEn),
		pattern.New(`^(?:(?:내가|제가|나는|난|저는|전|내|제|나|저)\s+)?(.+?)(?:이?라|다|인|은|는|한)(?:는\s?|\s?)` + thingKo + forgetKo),
	}
	forgetsNamed = []*pattern.Pattern{
		pattern.New(`(?i)` + forgetEn + `(?:what|everything|whatever)\s+(?:you\s+(?:know|remember(?:ed)?|saved|noted|stored|learn(?:ed|t))|i\s+(?:said|told\s+you))\s+about\s+my\s+(.+?)` + endEn),
		pattern.New(`(?i)^(?:please\s+|(?:can|could)\s+you\s+(?:please\s+)?)?(?:forget|delete|remove|erase|clear|wipe|drop)\s+my\s+(.+?)\s+(?:from\s+(?:your|the)\s+(?:memory|memories|notes)|(?:that\s+)?you\s+(?:remember(?:ed)?|saved|noted|stored))` + endEn),
		pattern.New(`^(?:내|제|나의|저의|나|저)\s+(.+?)(?:에\s?(?:대해서?|대한|관해서?|관한))?\s+(?:기억|저장|메모|등록)\s?(?:한|된|하는|해\s?(?:둔|놓은)|하고\s?있는)?(?:\s?` + thingKo + `)?` + forgetKo),
	}
	// mayAsk is a wish that may be put as a question: "Don't remember my manager?" is none.
	mayAsk = pattern.New(`(?i)^(?:please\s+)?(?:can|could)\s+you\s|줄래요?$|있(?:어요?|나요|을까요)$`)
)

// ForgetsOne returns the one thing that a message asks to have forgotten, which its author had said of themselves: "forget that I'm
// vegetarian", "부산에서 일한다는 거 잊어줘". named reports that it says what is remembered: "내 생일 기억한 거 지워줘".
func ForgetsOne(text string) (about string, named, ok bool) {
	text = strings.Join(strings.Fields(text), " ")
	said := strings.Trim(text, " .!?~？！")
	asked := strings.ContainsAny(text[len(strings.TrimRight(text, " .!?~？！")):], "?？")
	if keepsKo.MatchString(said) || asked && !mayAsk.MatchString(said) {
		return "", false, false
	}
	for _, p := range forgetsNamed {
		if m := p.FindStringSubmatch(said); m != nil {
			return m[1], true, true
		}
	}
	for _, p := range forgetsOne {
		if m := p.FindStringSubmatch(said); m != nil {
			return m[1], false, true
		}
	}
	return "", false, false
}

// ownEnds are a Korean sentence's words for its speaker, and the copula at its end.
var ownEnds = pattern.New(`(?i)^(?:저는|나는|난|전|내가|제가|i['’]?m\s+(?:an?\s+)?|i\s+am\s+(?:an?\s+)?)\s*|(?:이에요|예요|이야|야|입니다|이다)$`)

// nounEnd matches what may be a noun's particle, or its last syllable.
var nounEnd = pattern.New(`(?:을|를|은|는|이|가)$`)

// MeansFact reports whether words call a statement of their author by all they say: its subject and value are known, and quote is how
// it was said. A verb is called in any of its forms. A named fact is called by its subject alone.
func MeansFact(about string, named bool, subject, value, quote string) bool {
	if noun := nounEnd.ReplaceAllString(about, ""); named && noun != about && MeansFact(noun, named, subject, value, quote) {
		return true // 생일이, but 나이
	}
	if _, sure := Calls(subject+" "+value+" "+quote, about); !sure && (!hangul(about) || !echoes(about, subject, value, quote)) {
		return false
	}
	if value = strings.TrimSpace(ownEnds.ReplaceAllString(value, "")); len(strings.Fields(about)) > 1 {
		return true
	}
	_, whole := Calls(about, value)
	_, subjects := Calls(about, subject)
	return whole || named && subjects
}

// echoes reports whether each of some Korean words is in texts, the last, their verb, also as another form of the verb at the end of
// one. 안 in only one of both denies it.
func echoes(about, subject string, texts ...string) bool {
	words, has := wordsOf(about), wordsOf(subject)
	var verbs []rune
	for _, text := range texts {
		if all := wordsOf(text); len(all) > 0 {
			has, verbs = append(has, all...), append(verbs, stem(all[len(all)-1]))
		}
	}
	if slices.Contains(has, "안") != slices.Contains(words, "안") {
		return false
	}
	for i, word := range words {
		same := func(h string) bool { return strings.HasPrefix(h, word) || strings.HasPrefix(word, h) }
		if !slices.ContainsFunc(has, same) && (i < len(words)-1 || !slices.Contains(verbs, stem(word))) {
			return false
		}
	}
	return true
}

// stem returns the first syllable of a word without its final consonant: of 산다 and 살아요 the same.
func stem(word string) rune {
	r, _ := utf8.DecodeRuneInString(word)
	if !hangul(string(r)) {
		return r
	}
	return r - final(string(r))
}
