package quantity

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// Forms of the numbers of records, directly after the noun of one. Others are words of a report: a standard, a version, a sum.
const (
	opened   = "[*" + "`" + `\[(]*`
	prefixed = `#\d{2,}|#?[A-Z]{2,10}-\d{2,}`
)

var (
	codes = []*pattern.Pattern{
		pattern.New(`\b(?i:tickets?|issues?|bugs?|PR|pull request)(?i:\s+(?:number|no\.?|id)(?:\s+is|\s*:)?)?\s*` + opened + `(` + prefixed + `)\b`),
		pattern.New(`(?:\b(?i:tickets?|PR|pull request)|티켓)\s*[:：]\s*` + opened + `(` + prefixed + `)\b`),
		pattern.New(`\b(?i:created|opened|filed|raised|logged)\s+(?i:the\s+|a\s+)?(?i:new\s+)?` + opened + `(` + prefixed + `)\b`),
		pattern.New(`\b(` + prefixed + `)[*` + "`" + `\])]*(?:을|를)\s*(?:만들|생성|등록|열었)`),
		pattern.New(`(?:티켓|이슈|버그)\s?(?:(?:번호|ID)(?:은|는|이|가)?\s*:?)?\s*` + opened + `(` + prefixed + `)\b`),
		pattern.New(`(?i)\b(?:ticket|issue|order|invoice|reservation|booking|confirmation|tracking)\s+(?:number|no\.?|id)(?:\s+is|\s*:)?\s*` + opened + `(\d{4,})\b`),
		pattern.New(`(?i)\b(?:created|opened|filed|raised)\s+(?:the\s+)?ticket\s+` + opened + `(\d{4,})\b`),
		pattern.New(`(?:티켓|이슈|접수|주문|예약|송장)\s?번호(?:은|는|이|가)?\s*:?\s*` + opened + `(\d{4,})`),
		pattern.New(`티켓\s` + opened + `(\d{4,})[*` + "`" + `\])]*(?:을|를)\s*(?:만들|생성|등록|열었)`),
	}
	// standard matches what has letters and a number as codes of records do.
	standard = pattern.New(`^(?:AES|ANSI|CIS|COVID|CVE|CWE|DIN|EN|FIPS|FY|GMT|GPT|HTTP|HTTPS|IEC|IEEE|ISO|ISMS|KS|MD|NIST|PEP|RFC|RSA|SHA|SOC|SSL|TLS|USB|UTC|UTF|WCAG)-`)
)

// Records returns the numbers in a text that stand for records, such as tickets and orders, and for nothing else. It rather misses
// one than takes the number of something else: "SHA-512", "CVE-2021-44228".
func Records(text string) (out []string) {
	for _, p := range codes {
		for _, at := range p.FindAllStringSubmatchIndex(text, -1) {
			found, rest := text[at[2]:at[3]], text[at[3]:]
			if !standard.MatchString(strings.TrimPrefix(found, "#")) && !goesOn(rest) && !slices.Contains(out, found) {
				out = append(out, found)
			}
		}
	}
	return out
}

// counted matches what makes a flight or a seat of a number: KE-123편, unlike "ABC-123 열었어요" and "ABC-123 편집".
var counted = pattern.New(`^\s?(?:편(?:[^집]|$)|석|열(?:[\s,.에은이]|$)|호실|호선)`)

// goesOn reports whether a number goes on in the text after it: 2021-44228, 12.5.
func goesOn(rest string) bool {
	if counted.MatchString(rest) {
		return true
	}
	mark, size := utf8.DecodeRuneInString(rest)
	return strings.ContainsRune("-.,:/", mark) && size < len(rest) && rest[size] >= '0' && rest[size] <= '9'
}
