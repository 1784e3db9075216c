package extractive

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// deed.go finds what a question says that happens: the founding of "누가 세웠어?", the move of
// "언제 옮겼지?". A sentence about the same thing that tells of another deed does not
// say who did this one, or when.

// deed is a Korean verb as it begins in any of its forms.
type deed struct {
	noun string // of a verb with 하다: the stem of the word
	root string // of another verb: its first jamo, which every form has
	word string // its stem among the words that are wanted
}

var (
	// tailsKo end a Korean verb in a question, as jamo.
	tailsKo = expression(`(?:` + decomposed("습니까|ᆸ니까|는지|을까|ᆯ까|던가|더라|는가|나|니|냐|지|죠|어|아|여|대|래|까|음|ᆷ") + `)?(?:` + decomposed("요") + `)?$`)
	// pastKo is the past of what is left: 세웠 is 세우, 옮겼 is 옮기.
	pastKo = expression(`(?:` + decomposed("었|았|였|겠") + `|[\x{1161}-\x{1175}]\x{11bb})$`)
	// nominalKo ends a question whose predicate is a noun: "몇 명인가", "누구의 것이야".
	nominalKo = expression(`(?:인가요?|인지요?|야|이에요|예요|이지요?|이죠|입니까|일까요?|이었나요?|였나요?|였어요?|였지요?)$`)
	// withDo is a verb that a noun makes with 하다, 되다 and their like.
	withDo = expression(`^(\p{Hangul}{2,}?)(?:하|했|해|할|합|되|된|됐|돼|될|됩|시키|시켰|당하|당했|받았|받)\p{Hangul}*$`)
	// lightRoots are verbs that go with anything.
	lightRoots = set(`하 해 되 돼 가지 가ᄌ 갖 있 없 가 갔 오 와 왔 들어오 들어ᄋ 보 봐 주 줘 받 쓰 써 들 드 나오 나와 걸리 걸ᄅ 생기 생ᄀ 이 이야 인 같 어떻 괜찮 싶 알 말하 알리 가능 필요 시작 사용 이용 진행 처리 좋 크 많`)
	askedKo    = expression(`누구|누가|언제|어디|무엇|뭐|뭘|얼마|며칠|몇|어떻|어떤|무슨|왜`)
)

func decomposed(s string) string { return norm.NFD.String(s) }

// deedOf returns the deed of a Korean question; nil if it has none that tells.
func deedOf(question string) *deed {
	ws := words(question)
	for i, w := range ws {
		if (w == "수" || w == "때") && i > 0 && opensClause(ws[i-1]) {
			ws = ws[:i]
			break
		}
	}
	for len(ws) > 0 && !isSyllable(ws[len(ws)-1]) {
		ws = ws[:len(ws)-1]
	}
	if len(ws) < 2 {
		return nil
	}
	last := ws[len(ws)-1]
	if askedKo.MatchString(last) || nominalKo.MatchString(last) || empty[last] || empty[stem(last)] || aspects[stem(last)] {
		return nil
	}
	if m := withDo.FindStringSubmatch(last); m != nil && lightRoots[m[1]] {
		return nil
	} else if m != nil {
		return &deed{noun: m[1], word: stem(last)}
	}
	root := tailsKo.ReplaceAllString(decomposed(last), "")
	if bare := pastKo.ReplaceAllString(root, ""); utf8.RuneCountInString(bare) > 1 {
		root = bare
	} else {
		root = strings.TrimSuffix(root, "ᆻ") // 샀 is 사
	}
	if r, n := utf8.DecodeLastRuneInString(root); r == 'ᆯ' || r == 'ᆺ' || r == 'ᆸ' {
		root = root[:len(root)-n] // 만들다 is 만듭니다, 짓다 is 지었다
	}
	root = contracted(root)
	if utf8.RuneCountInString(root) < 2 || lightRoots[norm.NFC.String(root)] {
		return nil
	}
	return &deed{root: root, word: stem(last)}
}

// contracted takes the ending out of a root's last vowel: 둬 is 두어, 나눠 is 나누어. Of a verb in
// 리, 기 and their like the consonant is left, which every form has: 열려, 열렸, 열립니다.
func contracted(root string) string {
	switch r, n := utf8.DecodeLastRuneInString(root); {
	case r == 'ᅯ':
		return root[:len(root)-n] + "ᅮ"
	case r == 'ᅧ' && utf8.RuneCountInString(norm.NFC.String(root)) > 1:
		return root[:len(root)-n]
	}
	return root
}

// toldIn reports whether a text tells of the deed.
func (d *deed) toldIn(text string) bool {
	for _, w := range words(text) {
		if d.noun != "" && strings.Contains(w, d.noun) || d.begins(decomposed(w)) {
			return true
		}
	}
	return false
}

// begins reports whether a word, as jamo, is a form of the verb. Nouns begin with a root of one
// open syllable as well (사람 with 사), so behind it must stand an ending.
func (d *deed) begins(word string) bool {
	rest, ok := strings.CutPrefix(word, d.root)
	if !ok || d.root == "" {
		return false
	}
	return utf8.RuneCountInString(d.root) > 2 || shortKo.MatchString(rest)
}

// shortKo is what follows the root of a short verb, as jamo: 샀습니다, 사는, 사서, 사면.
var shortKo = expression(`^(?:[ᆻᆫᆯᆷᆸᆮ]|ᅥ|ᅡ|` + decomposed("서|고|며|면|는|려|러|게|기|니|던|도록|야|세|시|어|아|여|었|았") + `|` + decomposed("지") + `(?:$|` + decomposed("만|도|는|요|않|못") + `)|` + decomposed("다") + `?$)`)

// factKo and factEn ask for one fact of a deed or a thing.
var (
	factKo     = expression(`누가|누구|왜|어디|언제|몇|얼마`)
	looseKo    = expression(`언제|몇|얼마`)
	howKo      = expression(`어떻게`) // how a deed is done is said of that deed alone
	factEn     = expression(`(?i)^\W*(?:so\s+|and\s+|but\s+)?(?:who|whose|whom|why|where|when|how\s+many)\b`)
	namedThing = expression(`(?i)\b(?:the|an?|my|our|your|how\s+many)\s+([a-z][a-z'-]+)`)
	namedWho   = expression(`(?i)\bwho\s+([a-z]{3,})`)
	properName = expression(`\s([A-Z][a-zA-Z'-]+|\d{4})\b`)
)

// sparse reports whether a question names so few things that a sentence about them may
// as well say something else of them.
func sparse(want []wanted) bool { return firm(want) <= maxSparse }

// firm counts the words of a question that are no mere predicates.
func firm(want []wanted) int {
	n := 0
	for _, w := range want {
		if w.weight == 1 {
			n++
		}
	}
	return n
}

const (
	maxSparse   = 4 // words, the deed among them
	maxReasoned = 7
)

// untold returns what tells of a sentence whether something that the question asks
// about is said neither in it, nor in its neighbours, nor in the headings above it.
func untold(question string, want []wanted, all []candidate) func(i int) bool {
	other := otherParty(question)
	otherwise := otherDeed(question)
	said := func(i int) bool { return other(all[i].text) || otherwise(all[i].text) }
	if !sparse(want) {
		return said
	}
	d, must, role := deedOf(question), mustEn(question), mustKo(question)
	maps.Copy(must, mustBeSaid(question))
	inCase := inCase(question)
	alone := onlyNoun(want)
	if d != nil && !(d.noun == "" && whetherKo(question) && firm(want) <= 1) && (!factKo.MatchString(question) && !(d.noun != "" && howKo.MatchString(question)) || d.noun == "" && looseKo.MatchString(question)) {
		d = nil
	}
	if d == nil && len(must) == 0 && len(inCase) == 0 && role == "" && alone == nil {
		return said
	}
	return func(i int) bool {
		told, around := d == nil, slices.Clone(all[i].context)
		for _, k := range []int{i, i + 1, i - 1} {
			if k >= 0 && k < len(all) && all[k].n == all[i].n {
				told = told || d.toldBy(all[k], want)
				around = append(around, all[k].stems...)
			}
		}
		if alone != nil && alone.heldBy(around) < halfSaid {
			return true
		}
		return !told || lacks(around, want, must) || lacks(all[i].inCase(around), want, inCase) || lacksRole(around, want, role) || said(i)
	}
}

// halfSaid is how much of the only noun of a question a sentence and its surroundings must hold: 근무 alone
// is no 재택근무.
const halfSaid = 0.5

// maxNoun bounds a noun in syllables: what is longer is a question written without spaces.
const maxNoun = 6

// onlyNoun is the one word that a question is about; nil if there are more.
func onlyNoun(want []wanted) *wanted {
	if firm(want) != 1 {
		return nil
	}
	for i := range want {
		if want[i].weight == 1 && utf8.RuneCountInString(want[i].stem) <= maxNoun {
			return &want[i]
		}
	}
	return nil
}

// inCase are the stems among which the words of a case must stand: those of the condition and the headings
// of a sentence that has one, else all around it.
func (c candidate) inCase(around []string) []string {
	if cond := conditionOf(c.text); cond != "" {
		out := append(stems(cond), c.context...)
		for _, s := range around {
			if partyWord.MatchString(s) { // whose condition it is is not told by words, see [otherParty]
				out = append(out, s)
			}
		}
		return out
	}
	return around
}

// mustEn returns the stems of what an English question for a fact names: the word behind
// an article or a possessive, names, and what somebody did behind "who".
func mustEn(question string) map[string]bool {
	out := map[string]bool{}
	if !factEn.MatchString(question) {
		return out
	}
	for _, re := range []*pattern{namedThing, namedWho, properName} {
		for _, m := range re.FindAllStringSubmatch(question, -1) {
			if w := strings.ToLower(m[1]); !empty[w] && !weak[w] && !lightEn[w] && !aspects[stem(w)] {
				out[stem(w)] = true
			}
		}
	}
	return out
}

// toldBy reports whether a sentence or the headings above it tell of the deed, in its
// own word or in another for it.
func (d *deed) toldBy(c candidate, want []wanted) bool {
	if d.toldIn(c.text) || d.toldIn(strings.Join(c.context, " ")) {
		return true
	}
	for _, w := range want {
		if w.stem == d.word {
			return w.heldBy(c.stems) >= present || w.heldBy(c.context) >= present
		}
	}
	return false
}
