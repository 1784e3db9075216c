package rag

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// piece is a part of a sentence.
type piece struct {
	text  string
	aside bool
}

// maxAddress is the longest address before a colon, in characters.
const maxAddress = 80

// pieces tells what a sentence asks from what is said beside it: what stands in
// brackets (a reference, a remark), an address before a colon ("Hey, quick
// question from Zoltan: …", "질문: …"), and whose rules are meant ("우리 회사",
// "at our company"). Passages are searched for both, but only
// what is asked has to be in the one that answers.
func pieces(sentence string) []piece {
	var out []piece
	if at := addressEnd(sentence); at > 0 {
		out, sentence = append(out, piece{sentence[:at], true}), sentence[at:]
	}
	for sentence != "" {
		from, to := bracket(sentence)
		if from < 0 {
			break
		}
		out = append(out, piece{sentence[:from], false}, piece{sentence[from:to], true})
		sentence = sentence[to:]
	}
	if at := ofOurs.FindStringIndex(sentence); at != nil {
		return append(out, piece{sentence[:at[0]], false}, piece{sentence[at[0]:at[1]], true}, piece{sentence[at[1]:], false})
	}
	return append(out, piece{sentence, false})
}

// ofOurs says that what holds here is asked for, which no page of a team's own says of itself.
var ofOurs = regexp.MustCompile(`(?i)(?:^|\s)(?:우리|저희|울)\s?회사(?:에서는?|에선|에는?|는|은|의|도)?\s` +
	`|(?:^|\s)(?:here\s+)?(?:at|in|within)\s+(?:our|my|this)\s+(?:company|firm|organi[sz]ation|workplace)(?:\s*[?.!,]|\s*$)`)

// Asked returns a question without what is said beside it, or all of it where
// nothing else is left.
func Asked(question string) string {
	var b strings.Builder
	for _, s := range sentences(question) {
		for _, p := range pieces(s) {
			if !p.aside {
				b.WriteString(p.text)
			}
		}
	}
	if asked := strings.TrimSpace(b.String()); asked != "" {
		return asked
	}
	return question
}

// bracket finds the first pair of brackets: where it begins and what follows it;
// -1 if there is none. Those of a name, as in f(x), are part of it.
func bracket(s string) (from, to int) {
	for i := 0; i < len(s); i++ {
		end := strings.IndexByte("([", s[i])
		if end < 0 || i > 0 && s[i-1] != ' ' {
			continue
		}
		if n := strings.IndexByte(s[i:], ")]"[end]); n > 0 {
			return i, i + n + 1
		}
	}
	return -1, 0
}

// addressEnd returns where an address ends that a sentence begins with, 0 if it
// begins with none: without a word that speaks to somebody it is a topic.
func addressEnd(s string) int {
	at := strings.Index(s, ": ")
	if at < 0 || utf8.RuneCountInString(s[:at]) > maxAddress {
		return 0
	}
	spoken := slices.ContainsFunc(strings.FieldsFunc(lower(s[:at]), func(r rune) bool { return r == ' ' || r == ',' }), func(w string) bool {
		return slices.Contains(addressWords, w)
	})
	if !spoken {
		return 0
	}
	return at + 1
}

// addressWords are words with which people turn to somebody before they ask.
var addressWords = []string{
	"hey", "hi", "hello", "question", "quick", "asking", "ask", "please", "help", "fyi", "maru",
	"질문", "문의", "질문이요", "문의드려요", "안녕하세요", "안녕", "마루", "마루야", "부탁", "도와줘", "급해요",
}
