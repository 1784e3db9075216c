package naming

import (
	"slices"
	"strings"
	"unicode/utf8"
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

// fewestRoman is how many letters a Latin word has that is read as a Korean one.
const fewestRoman = 4

// roman writes a Korean word in Latin letters, those that are written for one another as one.
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
	return singleLetters(romanAlike.Replace(b.String()))
}

// singleLetters writes doubled letters as one.
func singleLetters(s string) string { return string(slices.Compact([]rune(s))) }

// romanised returns the one Korean word that names begin with and that a Latin word is written for, "" if there is none.
func romanised(d *Directory, w string) (with string) {
	if len(w) < fewestRoman || strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) || len(d.having(w)) > 0 {
		return ""
	}
	said := singleLetters(romanAlike.Replace(w))
	for _, p := range d.parts {
		korean := beginsRoman(p.word, said)
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
// name of two syllables with a foreign word behind it.
func beginsRoman(korean, said string) string {
	n := 0
	for at, r := range korean {
		if !isHangul(r) {
			return ""
		}
		if n++; n < shortest {
			continue
		}
		at += utf8.RuneLen(r)
		begun := roman(korean[:at])
		if begun == said {
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
