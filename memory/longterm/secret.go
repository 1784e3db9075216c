package longterm

import (
	"errors"
	"strings"

	"maru/phrase/pattern"
)

// ErrSensitive reports a secret or a personal number in a text; neither is stored.
var ErrSensitive = errors.New("it holds a secret or a personal number")

// masked replaces redacted text.
const masked = "[•••]"

// detector is a pattern of a secret, with an optional check of a match.
type detector struct {
	name  string
	shape *pattern.Pattern
	check func(string) bool
}

// detectors is built once and never changed.
var detectors = []detector{
	{"private key", pattern.New(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), nil},
	{"token", pattern.New(`\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]{16,}|\bxox[a-z]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{8,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bA[KS]IA[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}|\btvly-[A-Za-z0-9-]{16,}|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{20,}`), nil},
	{"JWT", pattern.New(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), nil},
	{"Discord token", pattern.New(`\b[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`), nil},
	{"bearer", pattern.New(`(?i)\bbearer\s+[A-Za-z0-9._~+/=-]{12,}`), nil},
	{"URL with password", pattern.New(`\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@\S+`), nil},
	{"password", pattern.New(`(?i)(?:\b(?:password|passwd|passphrase|passcode|pwd|pw|pin(?:\s*(?:code|number))?|secret(?:[ _-]?key)?|api[ _-]?key|access[ _-]?key|token)\b|비밀\s*번호|비번|암호|패스워드|핀\s*번호|인증\s*번호|토큰|(?:API|에이피아이)\s*키)\s*(?:은|는|이|가|를|을)?\s*(?:(?:is|are|was)\b|[:=])?\s*["'“‘` + "`" + `]?[^\s"'”’` + "`" + `]{4,}`), saysSecret},
	{"resident number", pattern.New(`\b\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\s?[-–—~]?\s?[0-9]\d{6}\b`), nil},
	{"card", pattern.New(`\b\d(?:[ -]?\d){12,18}\b`), luhn},
	{"Korean phone", pattern.New(`(?:\+?82[-.\s]?(?:\(0\))?|\b0)(?:1[016789]|2|[3-6][1-5]|70|50\d?)[-.\s)]{0,2}\d{3,4}[-.\s]?\d{4}\b`), nil},
	{"phone", pattern.New(`\+\d{1,3}[-.\s]?(?:\(?\d{1,4}\)?[-.\s]?){2,4}\d{2,4}\b|\(\d{3}\)\s?\d{3}[-.\s]\d{4}\b|\b\d{3}[-.]\d{3}[-.]\d{4}\b`), nil},
	{"random", pattern.New(`[A-Za-z0-9+/_=-]{24,}`), random},
}

// Sensitive reports whether a text holds what is never stored: a key, a token, a
// password, a card's number (by Luhn's check), a 주민등록번호, a phone number.
func Sensitive(text string) bool { return Mask(text) != text }

// Mask replaces keys, tokens and personal numbers, which are never stored.
func Mask(text string) string {
	for _, d := range detectors {
		text = d.shape.ReplaceAllStringFunc(text, func(found string) string {
			if d.check != nil && !d.check(found) {
				return found
			}
			return masked + found[len(strings.TrimRight(found, ".,;!?")):] // keep trailing punctuation
		})
	}
	return text
}

// saysSecret tells a password from a sentence about passwords: its last word mixes letters with digits or
// punctuation, or is assigned with "=", ":" or "is".
func saysSecret(found string) bool {
	fields := strings.Fields(found)
	last := strings.Trim(fields[len(fields)-1], `"'`)
	if strings.Contains(last, masked) {
		return false
	}
	if i := strings.LastIndexAny(last, ":="); i >= 0 && i < len(last)-1 {
		return true
	}
	if strings.ContainsAny(found, ":=") || len(fields) > 1 && strings.EqualFold(fields[len(fields)-2], "is") {
		return !plainWord(last)
	}
	return strings.ContainsAny(last, "0123456789") || strings.ContainsAny(last, "!@#$%^&*")
}

// plainWord reports whether a word cannot be a password: it may follow "is" in a sentence about one.
func plainWord(s string) bool {
	switch strings.ToLower(strings.TrimRight(s, ".,!?")) {
	case "wrong", "needed", "required", "expired", "missing", "invalid", "incorrect", "changed", "reset", "correct", "important", "lost", "forgotten", "unknown", "secret":
		return true
	}
	return false
}

// luhn validates a card number: 13 to 19 digits with a correct check digit.
func luhn(found string) bool {
	sum, n := 0, 0
	for i := len(found) - 1; i >= 0; i-- {
		c := found[i]
		if c < '0' || c > '9' {
			continue
		}
		d := int(c - '0')
		if n%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		n++
	}
	return n >= 13 && n <= 19 && sum%10 == 0
}

// random tells a key from a long word or name: it mixes letters and digits as no word or date does.
func random(found string) bool {
	digits, upper, lower, changes := 0, 0, 0, 0
	last := 0
	for _, r := range found {
		class := 0
		switch {
		case r >= '0' && r <= '9':
			digits++
			class = 1
		case r >= 'A' && r <= 'Z':
			upper++
			class = 2
		case r >= 'a' && r <= 'z':
			lower++
			class = 3
		}
		if class != last {
			changes++
		}
		last = class
	}
	return digits >= 4 && upper+lower >= 4 && changes*4 >= len(found)
}
