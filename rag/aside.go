package rag

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// piece is a clause of a sentence.
type piece struct {
	text  string
	aside bool
}

// maxAddress is the longest address before a colon, in characters.
const maxAddress = 80

// pieces separates the asked clause of a sentence from its asides: brackets (a reference, a remark), an address
// before a colon ("Hey, quick question from Zoltan: …", "질문: …"), and the owner of the rules ("우리 회사", "at our
// company"). Both are searched for, but an answering passage must hold only the asked clause.
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

// ofOurs matches phrases such as "at our company", which a team's own pages never repeat.
var ofOurs = pattern.New(`(?i)(?:^|\s)(?:우리|저희|울)\s?회사(?:에서는?|에선|에는?|는|은|의|도)?\s` +
	`|(?:^|\s)(?:here\s+)?(?:at|in|within)\s+(?:our|my|this)\s+(?:company|firm|organi[sz]ation|workplace)(?:\s*[?.!,]|\s*$)`)

// Asked returns a question without its asides and the form of its answer, or all of it if nothing else is left.
func Asked(question string) string {
	var b strings.Builder
	for _, s := range sentences(unmannered(question)) {
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

// bracket finds the first pair of brackets: its start and the offset after it; -1 if there is none. Brackets in a
// name, as in f(x), are part of it.
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

// addressEnd returns the end of a leading address, 0 if there is none: without a word of address it is a topic.
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

// addressWords are greetings and forms of address before a question.
var addressWords = []string{
	"hey", "hi", "hello", "question", "quick", "asking", "ask", "please", "help", "fyi", "maru",
	"질문", "문의", "질문이요", "문의드려요", "안녕하세요", "안녕", "마루", "마루야", "부탁", "도와줘", "급해요",
}
