package rag

import "bytes"

// porter2 reduces an English word, lower-case a-z only, to its stem by the Porter2 ("English Snowball") rules. It
// works in place and returns a prefix of b, sometimes one byte longer where a rule restores an e; b needs two
// bytes of spare capacity to avoid an allocation. The algorithm's exceptions are in porterWhole.
func porter2(b []byte) []byte {
	if len(b) <= 2 {
		return b
	}
	if s, ok := porterWhole[string(b)]; ok {
		return append(b[:0], s...)
	}
	markConsonantY(b)
	r1, r2 := regions(b)
	b = step1a(b)
	if _, ok := porterKept[string(b)]; ok {
		return b
	}
	b = step1b(b, r1)
	b = step1c(b)
	b = step2(b, r1)
	b = step3(b, r1, r2)
	b = step4(b, r2)
	b = step5(b, r1, r2)
	for i, c := range b {
		if c == 'Y' {
			b[i] = 'y'
		}
	}
	return b
}

// porterWhole lists words whose stem no rule gives.
var porterWhole = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
	"idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli",
	"singly": "singl", "sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas",
	"cosmos": "cosmos", "bias": "bias", "andes": "andes",
}

// porterKept lists words that stay as they are after step 1a.
var porterKept = map[string]struct{}{
	"inning": {}, "outing": {}, "canning": {}, "herring": {}, "earring": {},
	"proceed": {}, "exceed": {}, "succeed": {},
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// markConsonantY writes Y where the letter is a consonant: first, or after a vowel.
func markConsonantY(b []byte) {
	for i, c := range b {
		if c == 'y' && (i == 0 || isVowel(b[i-1])) {
			b[i] = 'Y'
		}
	}
}

// regions returns where R1 and R2 begin: after the first consonant that follows a vowel, twice.
func regions(b []byte) (r1, r2 int) {
	r1 = -1
	for _, p := range []string{"gener", "commun", "arsen"} {
		if bytes.HasPrefix(b, []byte(p)) {
			r1 = len(p)
		}
	}
	if r1 < 0 {
		r1 = regionAfter(b, 0)
	}
	return r1, regionAfter(b, r1)
}

func regionAfter(b []byte, from int) int {
	for i := from + 1; i < len(b); i++ {
		if !isVowel(b[i]) && isVowel(b[i-1]) {
			return i + 1
		}
	}
	return len(b)
}

func hasSuffix(b []byte, s string) bool {
	return len(b) >= len(s) && string(b[len(b)-len(s):]) == s
}

func hasVowel(b []byte) bool {
	for _, c := range b {
		if isVowel(c) {
			return true
		}
	}
	return false
}

// endsShort reports a short syllable at the end: vowel between consonants, the last not w, x or Y.
func endsShort(b []byte) bool {
	n := len(b)
	if n == 2 {
		return isVowel(b[0]) && !isVowel(b[1])
	}
	if n < 3 {
		return false
	}
	c := b[n-1]
	return !isVowel(b[n-3]) && isVowel(b[n-2]) && !isVowel(c) && c != 'w' && c != 'x' && c != 'Y'
}

func step1a(b []byte) []byte {
	switch {
	case hasSuffix(b, "sses"):
		return b[:len(b)-2]
	case hasSuffix(b, "ied"), hasSuffix(b, "ies"):
		if len(b) > 4 {
			return b[:len(b)-2]
		}
		return b[:len(b)-1]
	case hasSuffix(b, "us"), hasSuffix(b, "ss"):
		return b
	case hasSuffix(b, "s"):
		if len(b) > 2 && hasVowel(b[:len(b)-2]) {
			return b[:len(b)-1]
		}
	}
	return b
}

func step1b(b []byte, r1 int) []byte {
	for _, s := range []string{"eedly", "eed"} {
		if hasSuffix(b, s) {
			if len(b)-len(s) >= r1 {
				return append(b[:len(b)-len(s)], "ee"...)
			}
			return b
		}
	}
	for _, s := range []string{"ingly", "edly", "ing", "ed"} {
		if !hasSuffix(b, s) {
			continue
		}
		stem := b[:len(b)-len(s)]
		if !hasVowel(stem) {
			return b
		}
		return afterIng(stem, r1)
	}
	return b
}

// afterIng repairs a stem that lost -ed or -ing: an e comes back, a doubled letter goes.
func afterIng(b []byte, r1 int) []byte {
	if hasSuffix(b, "at") || hasSuffix(b, "bl") || hasSuffix(b, "iz") {
		return append(b, 'e')
	}
	if n := len(b); n >= 2 && b[n-1] == b[n-2] && bytes.IndexByte([]byte("bdfgmnprt"), b[n-1]) >= 0 {
		return b[:n-1]
	}
	if r1 >= len(b) && endsShort(b) {
		return append(b, 'e')
	}
	return b
}

func step1c(b []byte) []byte {
	n := len(b)
	if n > 2 && (b[n-1] == 'y' || b[n-1] == 'Y') && !isVowel(b[n-2]) {
		b[n-1] = 'i'
	}
	return b
}

// suffixRule replaces one suffix; the first that fits decides, whether or not it lies in the region.
type suffixRule struct{ from, to string }

var step2Rules = []suffixRule{
	{"ization", "ize"}, {"ational", "ate"}, {"fulness", "ful"}, {"ousness", "ous"}, {"iveness", "ive"},
	{"tional", "tion"}, {"biliti", "ble"}, {"lessli", "less"}, {"entli", "ent"}, {"ation", "ate"},
	{"alism", "al"}, {"aliti", "al"}, {"ousli", "ous"}, {"iviti", "ive"}, {"fulli", "ful"},
	{"enci", "ence"}, {"anci", "ance"}, {"abli", "able"}, {"izer", "ize"}, {"ator", "ate"}, {"alli", "al"},
	{"bli", "ble"},
}

func step2(b []byte, r1 int) []byte {
	for _, r := range step2Rules {
		if hasSuffix(b, r.from) {
			if at := len(b) - len(r.from); at >= r1 {
				return append(b[:at], r.to...)
			}
			return b
		}
	}
	n := len(b)
	switch {
	case hasSuffix(b, "ogi"):
		if n-3 >= r1 && n > 3 && b[n-4] == 'l' {
			return b[:n-1]
		}
	case hasSuffix(b, "li"):
		if n-2 >= r1 && n > 2 && bytes.IndexByte([]byte("cdeghkmnrt"), b[n-3]) >= 0 {
			return b[:n-2]
		}
	}
	return b
}

var step3Rules = []suffixRule{
	{"ational", "ate"}, {"tional", "tion"}, {"alize", "al"}, {"icate", "ic"}, {"iciti", "ic"},
	{"ical", "ic"}, {"ness", ""}, {"ful", ""},
}

func step3(b []byte, r1, r2 int) []byte {
	for _, r := range step3Rules {
		if hasSuffix(b, r.from) {
			if at := len(b) - len(r.from); at >= r1 {
				return append(b[:at], r.to...)
			}
			return b
		}
	}
	if hasSuffix(b, "ative") && len(b)-5 >= r1 && len(b)-5 >= r2 {
		return b[:len(b)-5]
	}
	return b
}

var step4Suffixes = []string{
	"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
	"al", "er", "ic",
}

func step4(b []byte, r2 int) []byte {
	for _, s := range step4Suffixes {
		if hasSuffix(b, s) {
			if len(b)-len(s) >= r2 {
				return b[:len(b)-len(s)]
			}
			return b
		}
	}
	if n := len(b); hasSuffix(b, "ion") && n-3 >= r2 && n > 3 && (b[n-4] == 's' || b[n-4] == 't') {
		return b[:n-3]
	}
	return b
}

func step5(b []byte, r1, r2 int) []byte {
	n := len(b)
	if n == 0 {
		return b
	}
	switch b[n-1] {
	case 'e':
		if n-1 >= r2 || (n-1 >= r1 && !endsShort(b[:n-1])) {
			return b[:n-1]
		}
	case 'l':
		if n-1 >= r2 && n > 1 && b[n-2] == 'l' {
			return b[:n-1]
		}
	}
	return b
}
