package answer

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"maru/phrase/pattern"
)

// Korean verbs change with what is said of them: 두나요, 둡니다, 둬. An index keeps words as they are
// written, so a question's verb is held against a sentence's words by its root.

var (
	// predicateKo ends a word that is a verb.
	predicateKo = pattern.New(`(?:^[사가내서써자타]도|\p{Hangul}면|[해아어여려와]도|[는은]데요?|[나까가]요|어요|아요|해요|[하되있없]나|세요|싶\p{Hangul}*|려고|[해어아려여]야|[했었았렸났겼졌됐](?:어|는데|나|다)?(?:요)?|습니까|습니다|니다)$`)
)

// endings end a verb, in jamo, the longest first.
var endings = sync.OnceValue(func() []string {
	list := strings.Fields(norm.NFD.String(`습니까 습니다 는지 는데 으려면 려면 려고 으면 아야 어야 여야 나 까 을까 던가 세 거나 아서 어서 면서 지 죠 고 니 냐 다 면 어 아 여 도 야 서 니다 니까`))
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
})

// withoutEnding removes the longest ending, and before 니다 and 니까 the ㅂ of 합니다.
func withoutEnding(verb string) string {
	for _, ending := range endings() {
		root, ok := strings.CutSuffix(verb, ending)
		if !ok {
			continue
		}
		if last, n := utf8.DecodeLastRuneInString(root); last >= firstFinal && last <= lastFinal && (ending == formal || ending == formalAsk) {
			root = root[:len(root)-n]
		}
		return root
	}
	return verb
}

// lightVerb reports whether a root goes with anything and says nothing of a question's subject.
func lightVerb(root string) bool {
	const light = "하 되 있 없 가 오 보 주 받 쓰 들 나오 이 싶 말하 알리 알 같"
	return root != "" && slices.Contains(strings.Fields(light), norm.NFC.String(root))
}

// Jamo that a verb's root may end in.
const (
	pastFinal  = "\u11bb" // ㅆ of 세웠
	laterFinal = "ᆯᆸᆫᆷ"   // of 둘, 둡, 둔, 둠

	firstFinal, lastFinal = '\u11a8', '\u11c2'
)

var formal, formalAsk = norm.NFD.String("니다"), norm.NFD.String("니까")

// rootOf returns the part of a Korean verb that its forms share, in jamo; "" where too little is left.
func rootOf(word string) string {
	if !isSyllable(word) {
		return ""
	}
	root := strings.TrimSuffix(norm.NFD.String(word), norm.NFD.String("요"))
	for range 2 {
		root = withoutEnding(root)
	}
	if before, ok := strings.CutSuffix(root, pastFinal); ok {
		root = before
		for _, p := range []string{"어", "아", "여", "겨"} {
			root = strings.TrimSuffix(root, norm.NFD.String(p))
		}
	}
	if last, n := utf8.DecodeLastRuneInString(root); strings.ContainsRune(laterFinal, last) {
		root = root[:len(root)-n]
	}
	if root = contracted(root); utf8.RuneCountInString(root) < 2 {
		return ""
	}
	return root
}

// contracted takes the ending out of a root's last vowel: 둬 is 두어, 열려 is 열리어, 해 is 하여.
func contracted(root string) string {
	last, n := utf8.DecodeLastRuneInString(root)
	vowel := map[rune]string{'ᅯ': "ᅮ", 'ᅪ': "ᅩ", 'ᅧ': "ᅵ"}[last]
	if last == 'ᅢ' && strings.HasSuffix(root, norm.NFD.String("해")) {
		vowel = "ᅡ"
	}
	if vowel == "" {
		return root
	}
	return root[:len(root)-n] + vowel
}

func isSyllable(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return r >= 0xAC00 && r <= 0xD7A3
}
