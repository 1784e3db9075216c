package naming

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
	"maru/rag/english"
)

// People write a foreign name as it sounds: 웨이크어게인 for WakeAgain. Both are compared by their consonants, in classes that Korean
// does not tell apart, and all but long ones by their vowels, too. A word that is not written as foreign ones are is none.

// sound is what a word is compared by.
type sound struct {
	consonants string // with ə before them where it begins with a vowel
	vowels     string // the first of each run, as Latin letters
	close      string // of a Korean word: the letters that its vowels are written for by the orthography of foreign words
	lax        bool   // it begins with b, d, g, j or the like, which that orthography tells from p, t, k and ch
	cluster    bool   // it is Latin and begins with two consonants
}

// Bounds of words that are compared. With fewer consonants than [fewestSounds] words are often alike by chance, from [manySounds] on
// their vowels may differ.
const (
	fewestSounds = 3
	manySounds   = 5

	fewestSyllables = 3 // of the Korean word
	longSyllables   = 5 // with these its last one is no particle
)

// Classes of the consonants of a Korean syllable, in the order of Unicode. A space is none.
var (
	initialSounds = []rune("kknttlmppss jjjktp ")
	finalSounds   = []rune(" kkknnntlkmlllplmppttŋttktp ")
)

// vowelSounds are the Latin letters that Korean vowels are written for, in the order of Unicode; none for ㅡ, which is between
// consonants of which foreign words have several in a row.
var vowelSounds = strings.Fields("aouiy aei aouiy aei aeoui aei aeoui aei oau aouiy aei aei ou uo aeoui aei ie ue - ie ie")

// closeVowels are the letters for which the orthography of foreign words writes Korean vowels, in the order of Unicode, and glidesTo those of
// vowels before an 이: 바이퍼, 케이트.
var (
	closeVowels = strings.Fields("ao ae a ae aeou e aeou e oa oa aeo o o uo aou e iu u - i iy")
	glidesTo    = map[rune]string{0: "aiy", 4: "aeou", 5: "aei"}
)

// laxInitials are ㄱ ㄷ ㅂ ㅈ, in the order of Unicode.
const laxInitials = "\x00\x03\x07\x0c"

// hangulSound is soundOf a Korean word that is written as foreign ones are.
func hangulSound(w string) sound {
	for _, r := range w {
		if !isHangul(r) {
			return sound{}
		}
		at := r - '가'
		native := strings.ContainsRune(nativeVowels, at/28%21) && at/588 != silentInitial && at/588 != hiss
		if native || strings.ContainsRune(nativeInitials, at/588) || strings.ContainsRune(nativeFinals, at%28) {
			return sound{}
		}
	}
	return soundOf(w)
}

// soundOf reads a Korean word; the vowels are those that may stand for each of its own, apart by spaces.
func soundOf(w string) (s sound) {
	var consonants []rune
	var vowels, closer []string
	open := false // a vowel was last
	runes := []rune(w)
	for i, r := range runes {
		if !isHangul(r) {
			return sound{}
		}
		at := r - '가'
		first, vowel, last := initialSounds[at/588], vowelSounds[at/28%21], ' '
		if final := at % 28; final > 0 {
			last = finalSounds[final]
		}
		if strings.ContainsRune(glides, at/28%21) && first == ' ' {
			first = 'w'
		}
		if i == 0 && at/588 == silentInitial && first == ' ' && vowel != "-" {
			first = 'ə'
		}
		if first != ' ' {
			consonants, open = beside(consonants, first, open), false
		}
		if vowel != "-" && !open {
			letters, glides := glidesTo[at/28%21]
			if !glides || at%28 > 0 || i+1 == len(runes) || !isHangul(runes[i+1]) || (runes[i+1]-'가')/28 != ('이'-'가')/28 {
				letters = closeVowels[at/28%21]
			}
			vowels, closer, open = append(vowels, vowel), append(closer, letters), true
		}
		if last != ' ' {
			consonants, open = beside(consonants, last, open), false
		}
	}
	s.consonants, s.vowels, s.close = singled(consonants), strings.Join(vowels, " "), strings.Join(closer, " ")
	s.lax = len(runes) > 0 && strings.ContainsRune(laxInitials, (runes[0]-'가')/588)
	return s
}

// silentInitial is the ㅇ of a syllable that begins with its vowel, in the order of Unicode's initials.
const silentInitial = 11

// What the orthography of foreign words has not: double consonants, finals other than ㄱ ㄴ ㄹ ㅁ ㅂ ㅅ ㅇ, and ㅑ ㅒ ㅕ ㅖ ㅛ ㅢ after
// a consonant but the [hiss] ㅅ of 쇼; in the orders of Unicode.
const (
	nativeInitials = "\x01\x04\x08\x0a\x0d"

	nativeFinals = "\x02\x03\x05\x06\x07\x09\x0a\x0b\x0c\x0d\x0e\x0f\x12\x14\x16\x17\x18\x19\x1a\x1b"
	nativeVowels = "\x02\x03\x06\x07\x0c\x13"
	hiss         = 9
)

// glides are the vowels that begin with a w: ㅘ ㅙ ㅝ ㅞ ㅟ.
const glides = "\x09\x0a\x0e\x0f\x10"

// latinSounds are the classes of Latin consonants, pairs first.
var latinSounds = strings.NewReplacer("sch", "sk", "tch", "j", "ch", "j", "ck", "k", "sh", "s", "ph", "p", "th", "s", "wh", "w", "ng", "ŋ", "qu", "kw", "x", "ks",
	"ce", "se", "ci", "si", "cy", "si", "b", "p", "c", "k", "d", "t", "f", "p", "g", "k", "q", "k", "r", "l", "v", "p", "z", "j", "h", "", "y", "i")

// silent matches the re inside fire-fox.
var silent = pattern.New(`([aeiou])re([^aeiouy])`)

// latinSound reads a Latin word. An r is heard before a vowel only, a w too, and an e at the end not, as in 파이낸스; a ge there is 지.
func latinSound(w string) (s sound) { return latinSoundOf(w, false) }

// latinSoundOf is [latinSound], with every r heard (코르부스 for Corvus) if trilled.
func latinSoundOf(w string, trilled bool) (s sound) {
	switch {
	case strings.HasSuffix(w, "ce"):
		w = w[:len(w)-len("ce")] + "s"
	case strings.HasSuffix(w, "ge"):
		w = w[:len(w)-len("ge")] + "ji"
	}
	w = silent.ReplaceAllString(strings.TrimSuffix(w, "e"), "$1$2")
	s.lax = w != "" && strings.ContainsAny(w[:1], "bdgjvz")
	s.cluster = len(w) > 1 && !strings.ContainsAny(w[:2], "aeiouylrwh")
	var said strings.Builder
	for i, r := range w {
		next, _ := utf8.DecodeRuneInString(w[i+utf8.RuneLen(r):])
		if r > 'z' || r < 'a' {
			return sound{}
		}
		if r == 'r' && !trilled && i > 0 && !strings.ContainsRune("aeiouyr", next) || r == 'w' && !strings.ContainsRune("aeiouyh", next) {
			continue
		}
		said.WriteRune(r)
	}
	var consonants, vowels []rune
	open := false
	for i, r := range latinSounds.Replace(said.String()) {
		vowel := strings.ContainsRune("aeiou", r)
		switch {
		case !vowel:
			consonants = beside(consonants, r, open)
		case !open:
			if vowels = append(vowels, r); i == 0 && w[0] != 'h' {
				consonants = append(consonants, 'ə')
			}
		}
		open = vowel
	}
	s.consonants, s.vowels = singled(consonants), string(vowels)
	return s
}

// beside adds a consonant, one for two of the same without a vowel between them.
func beside(consonants []rune, c rune, vowel bool) []rune {
	if n := len(consonants); n > 0 && consonants[n-1] == c && !vowel {
		return consonants
	}
	return append(consonants, c)
}

// singled writes the ㅇㄱ of 싱글 as one consonant.
func singled(consonants []rune) string { return strings.ReplaceAll(string(consonants), "ŋk", "ŋ") }

// alike reports whether a Korean word may be a Latin one.
func alike(korean, latin sound) bool {
	n, vowels := utf8.RuneCountInString(strings.TrimPrefix(latin.consonants, "ə")), strings.Fields(korean.vowels)
	if n < fewestSounds || korean.consonants != latin.consonants {
		return false
	}
	if n >= manySounds {
		return max(len(vowels), len(latin.vowels))-min(len(vowels), len(latin.vowels)) <= 1
	}
	if sameVowels(vowels, latin.vowels) {
		return true
	}
	for i, v := range latin.vowels {
		if n > fewestSounds && v == 'e' && sameVowels(vowels, latin.vowels[:i]+latin.vowels[i+1:]) { // the first e of codegate is not heard
			return true
		}
	}
	return n > fewestSounds && latin.cluster && len(vowels) > 0 && sameVowels(vowels[1:], latin.vowels) // 티먹스 has a vowel more than tmux
}

// closely reports whether a Korean word that is [alike] a Latin one is written for it by the orthography of foreign words: 베를린 for Berlin,
// not 빌린. That of long ones varies.
func closely(korean, latin sound) bool {
	n, vowels := utf8.RuneCountInString(strings.TrimPrefix(latin.consonants, "ə")), strings.Fields(korean.close)
	if latin.cluster && len(vowels) > len(latin.vowels) {
		vowels = vowels[1:]
	}
	return n >= manySounds || korean.lax == latin.lax && sameVowels(vowels, latin.vowels)
}

func sameVowels(korean []string, latin string) bool {
	for i, v := range korean {
		if i == len(latin) || !strings.Contains(v, latin[i:i+1]) {
			return false
		}
	}
	return len(korean) == len(latin)
}

// fewestLetters is how many letters a Latin word has that is compared by its sound.
const fewestLetters = 4

// heard is a run of Latin words in names with its sound.
type heard struct {
	text string
	sound
}

// noteSounds notes the Latin words of names, and two neighbours as one, by their consonants.
func noteSounds(d *Directory) {
	d.sounds = map[string][]heard{}
	for _, n := range d.names {
		words := wordsOf(n.text)
		for from := range words {
			for to := from + 1; to <= min(len(words), from+2); to++ {
				joined := strings.Join(words[from:to], "")
				if genres()[words[to-1]] > 0 || genres()[words[from]] > 0 || len(joined) < fewestLetters {
					continue
				}
				for _, sound := range []sound{latinSound(joined), latinSound(strings.ReplaceAll(joined, "th", "t")), latinSoundOf(joined, true)} { // also of git and hub
					said := heard{strings.Join(words[from:to], " "), sound}
					if same := d.sounds[said.consonants]; !slices.Contains(same, said) {
						d.sounds[said.consonants] = append(same, said)
					}
				}
			}
		}
	}
}

// Heard is a word of a question with the words of names that it sounds like.
type Heard struct{ Typed, Name string }

// foreign returns the words of a question that are in no name but sound like words of names in the other script: before a document
// noun two Korean ones as one, elsewhere Korean ones alone, and Latin ones for Korean ones.
func foreign(d *Directory, text string) (out []change) {
	before, after := around(text)
	words := append(before, after...)
	for at := range words {
		if at > 0 {
			if class, _, _ := genreOf(text[words[at].from:words[at].to]); class > 0 {
				for from := max(0, at-2); from < at; from++ {
					if c, ok := foreignAt(d, words[from:at], text); ok && words[from].clause == words[at].clause {
						out = append(out, c)
						break
					}
				}
			}
		}
		if c, ok := foreignAlone(d, words[at], text); ok {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b change) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	return slices.CompactFunc(out, func(a, b change) bool { return b.from < a.to })
}

// foreignAlone reads a word wherever it stands, without its particle. A Korean one is no common English word, and has three syllables:
// shorter ones sound like everyday words too often, 그럼 like claim, 뭔지 like Munich.
func foreignAlone(d *Directory, w word, text string) (c change, ok bool) {
	said := text[w.from:w.to]
	s := stem(said)
	switch {
	case !isKorean(said):
		if with := romanised(d, said); with != "" {
			return change{w.from, w.to, with}, true
		}
		return c, false
	case describes(said, s), len(d.having(s)) > 0, len(d.having(said)) > 0, utf8.RuneCountInString(s) < fewestSyllables:
		return c, false
	}
	for _, s := range []string{s, said} {
		if with := sounding(d, s, closely); with != "" && !slices.ContainsFunc(strings.Fields(with), english.Is) {
			return change{w.from, w.from + len(s), with}, true
		}
	}
	return c, false
}

// foreignAt reads words as one, without the 의 of the last. One with another particle is beside no document, a long one (웨이크어게인)
// only looks like it.
func foreignAt(d *Directory, words []word, text string) (c change, ok bool) {
	joined := ""
	for _, w := range words {
		said := text[w.from:w.to]
		s := stem(said)
		rest, long := utf8.RuneCountInString(said[len(s):]), utf8.RuneCountInString(said) >= longSyllables
		if rest > 1 || !long && (rest > 0 && said != s+"의" || describes(said, s)) {
			return c, false
		}
		joined += said
	}
	last := words[len(words)-1]
	if w := text[last.from:last.to]; w == stem(w)+"의" {
		joined = strings.TrimSuffix(joined, "의")
	}
	if len(d.having(joined)) > 0 || utf8.RuneCountInString(joined) < fewestSyllables {
		return c, false
	}
	with := sounding(d, joined, alike)
	return change{words[0].from, last.to, with}, with != ""
}

// sounding returns the one run of words in names that a Korean word sounds as, "" if there is none or may is against it.
func sounding(d *Directory, w string, may func(korean, latin sound) bool) (with string) {
	said := hangulSound(w)
	for _, h := range d.sounds[said.consonants] {
		switch {
		case !alike(said, h.sound) || !may(said, h.sound):
		case with != "" && with != h.text:
			return ""
		default:
			with = h.text
		}
	}
	return with
}
