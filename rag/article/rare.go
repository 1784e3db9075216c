package article

import (
	"slices"
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

// mention parses a ref at text[i]: the forms of [At], which indexes call at every word, and the rare ones: 제1관, 붙임 1,
// Attachment 2, ARTICLE SIX.
func mention(text string, i int) (Ref, int) {
	if r, n := At(text, i); n > 0 {
		if r.Kind == Annex {
			r.Word = annexWord(text[i : i+n])
		}
		return r, n
	}
	rest := text[i:]
	switch {
	case ordinal(rest) > 0:
		if m := subdivision.FindStringSubmatch(rest); m != nil {
			return Ref{Kind: Subdivision, Number: inFigure(m[1]), Korean: true}, len(m[0])
		}
	case rest[0] >= 0x80:
		if word, n := koreanAnnexWord(rest); n > 0 {
			if m := annexNumber.FindStringSubmatch(rest[n:]); m != nil {
				number := trimZeros(m[1])
				if m[2] != "" {
					number += "-" + m[2]
				}
				return annexOf(word, number), n + len(m[0])
			}
		}
	case !wordBefore(text, i):
		if m := spelledPart.FindStringSubmatch(rest); m != nil {
			kinds := map[string]Kind{"article": Article, "section": Section, "chapter": Chapter, "part": Part}
			return Ref{Kind: kinds[strings.ToLower(m[1])], Number: strconv.Itoa(1 + slices.Index(numbersEn, strings.ToLower(m[2])))}, len(m[0])
		}
		if m := attachment.FindStringSubmatch(rest); m != nil {
			return Ref{Kind: Annex, Number: strings.ToLower(m[1]), Word: "attachment"}, len(m[0])
		}
	}
	return Ref{}, 0
}

var (
	subdivision = pattern.New(`^[제第]\s?(\d{1,3}|[` + hanja + `]{1,4})\s?[관款]`)
	annexNumber = pattern.New(`^\s*(?:제\s?)?(\d{1,3})(?:\s?호)?(?:의\s?(\d{1,2}))?`)
	attachment  = pattern.New(`^(?i:attachment)\s+(?:No\.?\s*)?(\d{1,3}|[A-Z])\b`)
	spelledPart = pattern.New(`^(?i:(article|section|chapter|part))\s+(?i:(` + strings.Join(numbersEn, "|") + `))\b`)
)

// koreanAnnexWord returns the annex word that s starts with, if any.
func koreanAnnexWord(s string) (string, int) {
	for _, w := range []string{"별표", "별지", "별첨", "붙임", "첨부", "부록"} {
		if strings.HasPrefix(s, w) {
			return w, len(w)
		}
	}
	return "", 0
}

func annexOf(word, number string) Ref {
	return Ref{Kind: Annex, Number: number, Korean: true, Word: annexWord(word)}
}

// annexWord maps an annex word to its ref name; 별표 and annex cover all.
func annexWord(written string) string {
	if word, n := koreanAnnexWord(written); n > 0 {
		return strings.TrimPrefix(word, "별표")
	}
	word, _, _ := strings.Cut(strings.ToLower(written), " ")
	return strings.TrimPrefix(word, "annex")
}
