package naming

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/rag/english"
)

// People write a Korean name in Latin letters: daehan for 대한포장, HanbitSoft for 한빛소프트. Spellings vary (Daesung, Daeseong), so that
// letters which are written for one another count as one.

// Romanisation of the parts of a syllable, in the order of Unicode.
var (
	romanInitials = strings.Fields("g kk n d tt r m b pp s ss - j jj ch k t p h")
	romanVowels   = strings.Fields("a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i")
	romanFinals   = strings.Fields("- k k k n n n t l k m l l l p l m p p t t ng t t k t p t")
)

// romanAlike writes letters that stand for one another as one.
var romanAlike = strings.NewReplacer("eo", "o", "eu", "o", "oo", "o", "ee", "i", "ae", "e", "ch", "j", "sh", "s", "u", "o", "g", "k", "d", "t", "b", "p", "r", "l", "v", "p", "f", "p")

// Bounds of the letters of a Latin word that is read as a Korean one. One shorter than [looseRoman] is by its own letters: no mongo as 문구.
const (
	fewestRoman = 4
	looseRoman  = 6
)

// looseLetters writes letters that are written for one another as one.
func looseLetters(w string) string { return singleLetters(romanAlike.Replace(w)) }

// roman writes a Korean word in Latin letters.
func roman(w string) string {
	var b strings.Builder
	for _, r := range w {
		if !isHangul(r) {
			return ""
		}
		at := int(r - '가')
		for _, part := range []string{romanInitials[at/588], romanVowels[at/28%21], romanFinals[at%28]} {
			b.WriteString(strings.Trim(part, "-"))
		}
	}
	return b.String()
}

// singleLetters writes doubled letters as one.
func singleLetters(s string) string { return string(slices.Compact([]rune(s))) }

// romanised returns the one Korean word that names begin with and that a Latin word is written for, "" if there is none. A common English
// word is written for none: into is no 인도.
func romanised(d *Directory, w string) (with string) {
	if len(w) < fewestRoman || strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) || len(d.having(w)) > 0 || english.Is(w) {
		return ""
	}
	said := looseLetters(w)
	for _, p := range d.parts {
		korean := beginsRoman(p.word, w, said)
		switch {
		case korean == "" || korean == with:
		case with == "" || strings.HasPrefix(korean, with):
			with = korean
		case !strings.HasPrefix(with, korean):
			return ""
		}
	}
	return with
}

// beginsRoman returns the beginning of a Korean word, of two syllables and more, for which a Latin word is written: as it is said, or a
// name of two syllables with a foreign word after it.
func beginsRoman(korean, w, said string) string {
	n := 0
	for at, r := range korean {
		if !isHangul(r) {
			return ""
		}
		if n++; n < shortest {
			continue
		}
		at += utf8.RuneLen(r)
		written := roman(korean[:at])
		begun := looseLetters(written)
		if written == w || begun == said && len(w) >= looseRoman {
			return korean[:at]
		}
		rest, ok := strings.CutPrefix(said, begun)
		if !ok || len(rest) < fewestSounds || at == len(korean) {
			continue
		}
		if foreign := hangulSound(korean[at:]); foreign.consonants != "" && alike(foreign, latinSound(rest)) {
			return korean
		}
	}
	return ""
}

// Hangul returns the Korean words for which a Latin one may be written, letter by letter, the likeliest first: 수원 for Suwon.
func Hangul(w string) []string {
	out := []string{""}
	rest := strings.ToLower(w)
	for rest != "" {
		initial, n := longestOf(romanInitials, rest)
		if n == 0 {
			initial = silentInitial
		}
		vowel, m := longestOf(romanVowels, rest[n:])
		if m == 0 {
			return nil
		}
		var finals []int
		rest, finals = finalsOf(rest[n+m:])
		var longer []string
		for _, head := range out {
			for _, final := range finals {
				longer = append(longer, head+string(rune('가'+initial*588+vowel*28+final)))
			}
		}
		out = longer[:min(len(longer), mostHangul)]
	}
	if utf8.RuneCountInString(out[0]) < shortest {
		return nil
	}
	return out
}

// mostHangul bounds the words that [Hangul] returns.
const mostHangul = 8

// longestOf returns the longest of parts that a text begins with, and its length.
func longestOf(parts []string, text string) (at, n int) {
	for i, p := range parts {
		if len(p) > n && p != "-" && strings.HasPrefix(text, p) {
			at, n = i, len(p)
		}
	}
	return at, n
}

// finalsOf reads the consonants before the next vowel as the end of a syllable, all but the last of them, and returns the rest.
func finalsOf(text string) (rest string, finals []int) {
	run := strings.IndexAny(text+"a", "aeiouwy")
	own := run
	if run < len(text) {
		if own = max(0, run-1); run > 1 && (strings.HasSuffix(text[:run], "ch") || text[run-1] == text[run-2]) {
			own = run - 2
		}
	}
	if own == 0 {
		return text[own:], []int{0}
	}
	for i, p := range romanFinals {
		if p == text[:own] || p == strings.NewReplacer("g", "k", "d", "t", "b", "p", "r", "l").Replace(text[:own]) && own < len("ng") {
			finals = append(finals, i)
		}
	}
	if len(finals) == 0 {
		return "?", []int{0} // no Korean syllable ends so
	}
	return text[own:], finals
}
