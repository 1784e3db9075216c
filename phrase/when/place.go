package when

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"maru/phrase/zone"
)

// places find words that may name a time zone: an abbreviation, an offset, "Berlin time", "뉴욕 시간으로". The groups hold the
// abbreviation, the offset of UTC, the English and the Korean place.
var places = regexp.MustCompile(`\b(KST|JST|HKT|SGT|IST|CET|EET|EST|EDT|ET|CST|CDT|CT|MST|MDT|MT|PST|PDT|PT|(?:UTC|GMT|utc|gmt)(?:\s?([+-]\d{1,2}))?)(?:\s+time)?(?:$|[^\w:+-])|` +
	`(?i:\b(?:in\s+)?((?:\p{L}+\s)?\p{L}+)(?:\s+standard|\s+daylight)?\s+time\b)|` +
	`((?:\p{Hangul}+\s)?\p{Hangul}+)\s?(?:현지\s?)?(?:시간|시각)(?:으로|에|대로|기준으로|기준)?(?:\s?기준(?:으로)?)?(?:$|[\s,)])`)

// regions are the names of zones that are no places.
var regions = map[string]string{
	"pacific": "America/Los_Angeles", "mountain": "America/Denver", "central": "America/Chicago", "eastern": "America/New_York",
	"미국동부": "America/New_York", "동부": "America/New_York", "미국서부": "America/Los_Angeles", "서부": "America/Los_Angeles",
}

// placeIn finds a time zone in a text, and the range of its words; nil if there is none.
func placeIn(text string) (z *time.Location, from, to int) {
	for _, m := range places.FindAllStringSubmatchIndex(text, -1) {
		name, at := "", 0
		switch {
		case m[4] >= 0:
			name, at = offsetZone(text[m[4]:m[5]]), m[2]
		case m[2] >= 0:
			name, _ = zone.Named(strings.ToLower(text[m[2]:m[3]]))
			at = m[2]
		case m[6] >= 0:
			name, at = placeName(text, m[6], m[7])
			if strings.HasPrefix(strings.ToLower(text[m[0]:m[6]]), "in") && at == m[6] {
				at = m[0]
			}
		default:
			name, at = placeName(text, m[8], m[9])
		}
		if z, err := time.LoadLocation(name); err == nil && name != "" {
			end := m[0] + len(strings.TrimRight(text[m[0]:m[1]], " ,.;)\n"))
			if at > 0 && text[at-1] == '(' && end < len(text) && text[end] == ')' {
				at, end = at-1, end+1
				if strings.HasPrefix(text[end:], "에 ") { // "9시(PST)에"
					end += len("에")
				}
			}
			return z, at, end
		}
	}
	return nil, 0, 0
}

// placeName is the zone of the one or two words of a range, and where its name begins.
func placeName(text string, from, to int) (string, int) {
	words := text[from:to]
	for at := 0; at >= 0; {
		key := strings.ToLower(strings.ReplaceAll(words[at:], " ", ""))
		if name, ok := regions[key]; ok {
			return name, from + at
		}
		if name, ok := zone.Named(key); ok {
			return name, from + at
		}
		next := strings.IndexFunc(words[at:], unicode.IsSpace)
		if next < 0 {
			break
		}
		at += next + 1
	}
	return "", from
}

// offsetZone is the zone of full hours east of UTC: "+9" is Etc/GMT-9, whose sign counts the other way.
func offsetZone(offset string) string {
	sign := map[byte]string{'+': "-", '-': "+"}[offset[0]]
	hours := strings.TrimLeft(offset[1:], "0")
	if hours == "" {
		return "UTC"
	}
	return "Etc/GMT" + sign + hours
}

// blank replaces a range of a text by spaces, so that positions stay.
func blank(text string, from, to int) string {
	return text[:from] + strings.Repeat(" ", to-from) + text[to:]
}
