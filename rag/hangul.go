package rag

import "strings"

// josa lists the particles and copulas of Korean nouns, longest first within each final syllable. "b" ones follow
// a syllable with a final consonant, "v" ones a vowel, "l" ones a vowel or ㄹ, the rest follow either.
var josa = []struct {
	text string
	need byte
}{
	{"으로부터는", 'b'}, {"에서부터는", 0}, {"으로써는", 'b'}, {"으로서는", 'b'},
	{"으로부터", 'b'}, {"에서부터", 0}, {"이라고는", 'b'}, {"에게서는", 0}, {"에서조차", 0}, {"입니까", 0}, {"이란", 'b'},
	{"으로써", 'b'}, {"으로서", 'b'}, {"으로는", 'b'}, {"으로도", 'b'}, {"으로만", 'b'}, {"이라는", 'b'}, {"이라고", 'b'}, {"이라도", 'b'},
	{"이라며", 'b'}, {"이라면", 'b'}, {"이었던", 0}, {"이었다", 0}, {"이지만", 0}, {"이면서", 0},
	{"에서는", 0}, {"에서도", 0}, {"에서의", 0}, {"에서만", 0}, {"에게는", 0}, {"에게서", 0}, {"에게도", 0}, {"로부터", 'l'}, {"로써", 'l'}, {"로서", 'l'},
	{"까지는", 0}, {"까지의", 0}, {"까지도", 0}, {"부터는", 0}, {"부터의", 0}, {"한테서", 0}, {"이며", 'b'}, {"이다", 0}, {"이고", 0}, {"이나", 'b'}, {"이든", 'b'}, {"이야", 'b'},
	{"들에게", 0}, {"들이", 0}, {"들은", 0}, {"들을", 0}, {"들의", 0}, {"들과", 0}, {"들도", 0},
	{"라는", 'v'}, {"라고", 'v'}, {"라도", 'v'}, {"라며", 'v'}, {"라면", 'v'}, {"인가", 0}, {"인지", 0}, {"예요", 'v'}, {"에요", 0}, {"입니다", 0},
	{"에서", 0}, {"에게", 0}, {"에는", 0}, {"에도", 0}, {"에만", 0}, {"으로", 'b'}, {"로는", 'l'}, {"로도", 'l'}, {"로만", 'l'}, {"로의", 'l'}, {"와는", 'v'}, {"과는", 'b'}, {"과의", 'b'}, {"와의", 'v'},
	{"까지", 0}, {"부터", 0}, {"마다", 0}, {"조차", 0}, {"처럼", 0}, {"보다", 0}, {"밖에", 0}, {"한테", 0}, {"께서", 0}, {"하고", 0}, {"만을", 0}, {"만의", 0}, {"만이", 0},
	{"은", 'b'}, {"는", 'v'}, {"이", 'b'}, {"가", 'v'}, {"을", 'b'}, {"를", 'v'}, {"과", 'b'}, {"와", 'v'}, {"의", 0}, {"에", 0}, {"도", 0}, {"만", 0}, {"로", 'l'}, {"나", 'v'}, {"란", 'v'}, {"랑", 'v'}, {"들", 0}, {"인", 0}, {"야", 'v'},
}

// josaByLast groups the particles by their last syllable, so that a word is compared with few of them.
var josaByLast = func() map[rune][]int {
	m := map[rune][]int{}
	for i, j := range josa {
		r := []rune(j.text)
		m[r[len(r)-1]] = append(m[r[len(r)-1]], i)
	}
	return m
}()

// sure are the particles of two and more syllables that may leave a one-syllable noun (집으로), since no word ends in
// them. Other particles are ambiguous (결과는 is not 결, 종이라고 not 종) or leave function words (전에는, 중에서): adding 에서, 까지
// and 이라고 lowers recall on KorQuAD.
var sure = set(`으로 으로는 으로도 으로만 으로써 으로써는 으로서 으로서는 으로부터 으로부터는`)

// seeming are words whose ending merely looks like a one-syllable noun's particle: the 로 of 도로. Without the list 도로
// and 도로를 would be two words.
var seeming = set(`가로 세로 새로 서로 바로 따로 별로 홀로 도로 대로 차로 수로 주로 피로 과로 미로 위로 기로 철로 활로 제로 프로 유로
휴가 허가 추가 여가 대가 주가 고가 저가 유가 시가 화가 부가 재가 처가 외가 결과 성과 통과 경과 학과 일과 전과 불과
하나 누나 소란 대란 사랑 자랑 기와 시야 길이 높이 깊이 넓이 놀이 종이 먹이 벌이 풀이 맏이`)

// verbEndings lists the endings of 하다 and 되다 after a noun, so that "신청하려면", "신청해야" and "신청" share a stem.
var verbEndings = []string{
	"하였습니다", "되었습니다", "하겠습니다", "했습니다", "됐습니다", "합니다", "됩니다", "하려면", "되려면", "하십시오", "하나요", "되나요", "하는가", "되는가", "하세요",
	"하였다", "되었다", "하였던", "되었던", "하면서", "되면서", "하도록", "되도록", "하여야", "되어야", "하지만", "되지만", "시켰다", "시키는", "시킨",
	"했는데요", "됐는데요", "하는데요", "되는데요", "했는데", "됐는데", "하는데", "되는데", "했어요", "됐어요", "했어", "됐어", "했나요", "됐나요", "할까요", "될까요", "할게요", "하려고", "되려고", "해도", "돼도", "했으면", "됐으면", "했다면", "됐다면", "하니까", "되니까", "할래요", "하고싶어", "할래",
	"했다", "됐다", "했던", "됐던", "한다", "된다", "하는", "되는", "하고", "되고", "하여", "되어", "하며", "되며", "하면", "되면", "해야", "돼야", "하기", "되기", "하지", "되지", "했을", "됐을", "하게", "되게", "해서", "돼서", "해요", "돼요", "하다", "되다", "할까", "될까", "하자", "되자", "당한", "당했",
	"었으며", "았으며", "였으며", "었지만", "았지만", "었는가", "았는가", "였는가", "었던", "았던", "였던", "었다", "았다", "였다", "면서", "지만", "는가", "으며", "며",
	"한", "된", "할", "될", "함", "됨", "해", "돼", "했", "됐",
}

const hangulFirst, hangulLast = 0xAC00, 0xD7A3

func isHangul(r rune) bool { return r >= hangulFirst && r <= hangulLast }

// final returns the final consonant of a syllable: 0 for none, 8 for ㄹ.
func final(r rune) rune { return (r - hangulFirst) % 28 }

// stem removes the particles, or else the verb ending of 하다 and 되다, from a Korean word. It keeps at least two
// syllables, or one before an unambiguous particle: see [sure].
func stem(word string) string {
	n := len(word) / syllable
	if n < 2 || seeming[word] {
		return word
	}
	if s, ok := stripJosa(word, n); ok {
		if len(s)/syllable >= 3 {
			if s2, ok := stripVerb(s); ok {
				return s2
			}
		}
		return s
	}
	if s, ok := stripVerb(word); ok {
		return s
	}
	return word
}

// IsParticle reports whether a Korean word consists of a particle alone.
func IsParticle(word string) bool {
	for _, j := range josa {
		if j.text == word {
			return true
		}
	}
	return false
}

func stripJosa(word string, n int) (string, bool) {
	last := []rune(word[len(word)-3:])[0]
	for _, i := range josaByLast[last] {
		j := josa[i]
		if !strings.HasSuffix(word, j.text) {
			continue
		}
		rest := word[:len(word)-len(j.text)]
		if len(rest) < 3 || len(rest) < 6 && (n > 2 || j.need == 0) && !sure[j.text] {
			continue
		}
		before := final([]rune(rest[len(rest)-3:])[0])
		switch j.need {
		case 'b':
			if before == 0 {
				continue
			}
		case 'v':
			if before != 0 {
				continue
			}
		case 'l':
			if before != 0 && before != 8 {
				continue
			}
		}
		return rest, true
	}
	return word, false
}

// verbsByLast groups the verb endings by their last syllable, in their order.
var verbsByLast = func() map[string][]string {
	m := map[string][]string{}
	for _, e := range verbEndings {
		last := e[len(e)-syllable:]
		m[last] = append(m[last], e)
	}
	return m
}()

func stripVerb(word string) (string, bool) {
	for _, e := range verbsByLast[word[len(word)-syllable:]] {
		if strings.HasSuffix(word, e) && len(word)-len(e) >= 6 {
			return word[:len(word)-len(e)], true
		}
	}
	return word, false
}
