package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"maru/rag"
)

// words cuts s into lower-case runs of letters and digits; Hangul and other
// letters do not share a run, so "OKR은" is "okr" and "은". Latin letters lose their accents
// as in an index: who types cafe is answered from what says café.
func words(s string) []string {
	var out []string
	var cur strings.Builder
	kind := 0
	flush := func() {
		if cur.Len() > 0 {
			out = append(out, cur.String())
			cur.Reset()
		}
	}
	for _, r := range rag.Unaccented(norm.NFKC.String(s)) {
		k := 0
		switch {
		case unicode.Is(unicode.Hangul, r):
			k = 1
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' && kind == 2:
			k = 2
		}
		if k != kind {
			flush()
			kind = k
		}
		if k != 0 {
			cur.WriteRune(unicode.ToLower(r))
		}
	}
	flush()
	return out
}

// endings are what follows a Korean noun, longest first within a length. The
// stem keeps at least two syllables, so "휴가" and "회의" stay whole.
var endings = strings.Fields(`
이라고하나요 이라고했지 되어야하나요
해야하나요 할수있나요 이라고는 에서부터 으로부터 이었나요 였었나요 하시나요 되시나요 인가요 일까요 이에요 입니까 입니다 이라고 이란게
하나요 하려면 합니까 합니다 하는지 하려고 해야해 해주나 해줄래 해주세요 해줘요 되나요 됩니까 됩니다 되는지 되려면 받나요 이었지 이었어
에서는 에서도 까지는 까지도 부터는 으로는 에게는 한테는 이라는 이라도 이지요 인지요
했어요 했는데 됐어요 됐는데 하는데 되는데 되나 하려고요 하니까 해도 했나요 했는지 할까요 할까 하면 하는 해야 해줘 했던 했지 했어 하고 하지 하기 되면 되는 된다 한다 하다 인가 인지 일까 이야 이죠 이지 이니
예요 에요 에서 에게 에는 에도 으로 로는 까지 부터 보다 처럼 이나 이란 이라 라고 라는 한테 께서 마다 밖에 조차 이고 이며 들은 들이 들을 들의
나요 까요 네요 은 는 이 가 을 를 의 에 로 와 과 도 만 나 란 야 요 지 죠 니 들
`)

// stem takes a Korean word's ending or an English word's inflection away.
func stem(w string) string {
	if r, _ := utf8.DecodeRuneInString(w); unicode.Is(unicode.Hangul, r) {
		for _, e := range endings {
			if s, ok := strings.CutSuffix(w, e); ok && (utf8.RuneCountInString(s) >= 2 || e == "으로" && s != "") {
				return s
			}
		}
		return w
	}
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'")
	if base := irregular[w]; base != "" {
		return base
	}
	for _, e := range [...][2]string{{"ies", "y"}, {"sses", "ss"}, {"ing", ""}, {"ed", ""}, {"es", "e"}, {"s", ""}} {
		if s, ok := strings.CutSuffix(w, e[0]); ok && len(s) >= 3 && !strings.HasSuffix(w, "ss") {
			return s + e[1]
		}
	}
	return w
}

// irregular are English forms that no ending tells.
var irregular = func() map[string]string {
	m := map[string]string{}
	for _, group := range strings.Split(`lose lost|break broke broken|pay paid|buy bought|forget forgot forgotten|take took taken|
write wrote written|send sent|meet met|fall fell fallen|steal stole stolen|begin began begun|keep kept|spend spent|teach taught|
tell told|sell sold|choose chose chosen|drive drove driven|fly flew flown|eat ate eaten|feel felt|find found|build built|
child children|person people|wear wore worn|leave left|sit sat|speak spoke spoken|die died|lie lying|get got gotten`, "|") {
		forms := strings.Fields(group)
		for _, f := range forms[1:] {
			m[f] = forms[0]
		}
	}
	return m
}()

// matches reports whether a stem of the question stands in a word's stem:
// Korean compounds contain it ("연차휴가" has "연차"), English words share
// all but an ending.
func matches(q, w string) bool {
	if q == w {
		return true
	}
	if r, _ := utf8.DecodeRuneInString(q); unicode.Is(unicode.Hangul, r) {
		if utf8.RuneCountInString(q) == 1 {
			tail, ok := strings.CutPrefix(w, q)
			return ok && particles[tail] // "책" is in "책은", not in "책상"
		}
		return strings.Contains(w, q)
	}
	short, long := q, w
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) >= 3 && long == short+"e" { // moved, move
		return true
	}
	return len(short) >= 4 && len(long)-len(short) <= 3 && strings.HasPrefix(long, short)
}

// stems returns the stems of all words of s.
func stems(s string) []string {
	out := words(s)
	for i, w := range out {
		out[i] = stem(w)
	}
	return out
}

// maxTerms bounds how many words of a question are looked for.
const maxTerms = 48

// content returns the stems that carry the meaning of s, each once.
func content(s string) []string {
	var out []string
	seen := map[string]bool{}
	all := words(s)
	for i, w := range all {
		st := stem(w)
		if hollow(w) || i > 0 && ways[w] && opensClause(all[i-1]) || empty[st] || seen[st] || lonely(w) {
			continue
		}
		seen[st] = true
		if out = append(out, st); len(out) == maxTerms {
			break
		}
	}
	return out
}

// ways are what 수 of "할 수 있다" is fused to: behind a verb it is no water and no capital.
var ways = set(`수도 수는 수가 수만`)

// lonely reports a single letter, or a single syllable that may be a particle
// left after a foreign word. Other syllables are nouns (책, 불) or say little.
func lonely(w string) bool {
	return utf8.RuneCountInString(w) == 1 && !unicode.IsDigit([]rune(w)[0]) && !(isSyllable(w) && !particles[w])
}

// particles are the syllables that follow a noun.
var particles = set(`은 는 이 가 을 를 의 에 로 와 과 도 만 나 란 야 요 지 죠 니 들 랑 인 님 씨`)

// empty are words that say how something is asked, not what.
var empty = set(`
무엇 무엇인가 무엇인지 무엇이 뭐 뭐야 뭔가 뭔지 뭐지 뭐예요 뭔가요 뭡니까 뭐라고 무슨 어떤 어떻게 어떤가 어때 어때요 어디 어디야 어디서 어디에 어디로 언제 언제야 누구 누구야 누가 왜 몇 며칠 며칠이 몇일 몇개 몇시 몇번
얼마 얼마나 얼마야 알려 알려줘 알려줘요 알려주세요 알려줄래 말해 말해줘 가르쳐 가르쳐줘 설명 설명해 설명해줘 궁금 궁금해 궁금해요 궁금한데 찾아 찾아줘 보여줘 대해 대해서 대한 관해 관한 관련
있어 있나 있나요 있는 있어요 있는지 있습니까 있을까 있을까요 없어 없나요 없는지 되 돼 돼요 되나 되나요 됩니까 되는 되어 하나 하나요 합니까 하는 하는데 하면 해 해요 해야 해줘 해주세요 할 수 것 거 게 건 걸 데 데에 좀 제발 그럼 그러면 그리고 그런데 근데 혹시
나 나는 난 내 내가 나의 저 저는 제 제가 저의 우리 우리는 우리가 저희 회사 이 그 저거 이거 그거 그건 그게 그것 그때 이건 이게 이것 아까 방금 다 총 모두 전부 때 경우 및 또는 또한 등 더 잘 주 줘 주세요 받을 받나요 쓸 쓸수 인가요 인가 입니까 이야 야 지 죠 요
a an the is are was were be been am do does did done can could will would shall should may might must have has had having i i'm my me mine we our ours us you your yours he she it its they them their this that these those there here
old far tall soon of in on at to for from by with about into as and or but if then than so not no yes how many much what whats what's which who whom whose when where why whether please tell show explain describe give get let find know want need like any some all per say says said us also just really exactly
now today currently already still yet longer anymore
`)

// asksKo is a Korean question word with what may be fused to it: 언제까지야, 어디서예요, 얼마인지.
var asksKo = expression(`^(?:언제|어디|누구|무엇|뭐|얼마|며칠|몇\p{Hangul}?)(?:까지|부터|에서|에?다가|에?다|에게|한테|쯤|정도|서|에|로|를|은|는|이|가|의|랑)*` +
	`(?:이?야|이?예요|이에요|인가요?|인지요?|이?죠|이?지요?|일까요?|입니까|인데요?|이?래요?|이니|니|냐|(?:이었|였)(?:지|죠|더라|던가|나|어|는지)요?)?$`)

// hollow reports whether a word says how something is asked, not what.
func hollow(w string) bool { return empty[w] || asksKo.MatchString(w) }

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// squash is s in lower case without spaces and punctuation: how cues are found
// whatever way Korean is spaced.
func squash(s string) string {
	var b strings.Builder
	for _, r := range rag.Unaccented(norm.NFKC.String(s)) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// hasAny reports whether s holds one of the cues.
func hasAny(s string, cues ...string) bool {
	for _, c := range cues {
		if strings.Contains(s, c) {
			return true
		}
	}
	return false
}
