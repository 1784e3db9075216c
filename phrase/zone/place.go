package zone

import (
	"strings"
	"time"
	"unicode"

	"maru/phrase/pattern"
)

// words find words that may name a time zone: an abbreviation, an offset, "Berlin time", "뉴욕 시간으로". The groups hold the
// abbreviation, the offset of UTC, the word for time after them, the English place, and the Korean place with what follows it.
var words = pattern.New(`\b(KST|JST|HKT|SGT|IST|CET|CEST|EET|EEST|BST|MSK|AEST|AEDT|NZST|NZDT|HST|AKST|AKDT|EST|EDT|ET|CST|CDT|CT|MST|MDT|MT|PST|PDT|PT|(?:UTC|GMT|utc|gmt)(?:\s?([+-]\d{1,2}(?::?\d\d)?))?)` +
	`(?:(\s+time|(?:\s?(?:시간|시각))?\s?기준(?:으로)?|\s?(?:시간|시각)(?:으로|에|대로)?)|에|으로|로)?(?:$|[^\p{L}\d_:+-])|` +
	`(?i:\b(?:in\s+)?((?:\p{L}+\s)?\p{L}+)(?:\s+standard|\s+daylight)?\s+time\b)|` +
	`((?:\p{Hangul}+\s)?\p{Hangul}+)\s?(?:시간|시각)((?:으로|대로)?(?:\s?기준(?:으로)?)?|에)(?:$|[\s,)])`)

// workAbbreviations are abbreviations that Korean texts use for something else: a presentation, a trip of the team, a scan, a test, a
// service of Amazon, singers.
var workAbbreviations = map[string]bool{"PT": true, "MT": true, "CT": true, "ET": true, "IST": true, "CST": true, "MSK": true, "HST": true, "BST": true}

// rareZones are abbreviations that few texts mean as a zone where a noun follows them: "at 5pm MSK upgrade".
var rareZones = map[string]bool{
	"CEST": true, "EEST": true, "BST": true, "MSK": true, "AEST": true, "AEDT": true, "NZST": true, "NZDT": true, "HST": true, "AKST": true, "AKDT": true,
}

// plainWords are names of places that are everyday words beside 시간: an empty slot, details, good work.
var plainWords = map[string]bool{"빈": true, "세부": true, "선전": true}

// maxPlaces bounds the names of time zones that a text is read with.
const maxPlaces = 8

// Place is a time zone that a text names.
type Place struct {
	Zone     *time.Location // nil for an offset that no zone has
	From, To int            // bytes of the text
	Doubt    bool           // it may describe the noun after it
	Bare     bool           // Korean, without what ties it to a time: "9시에 런던 시간 알려줘" asks for London's time
}

// regions are the names of zones that are no places.
var regions = map[string]string{
	"pacific": "America/Los_Angeles", "mountain": "America/Denver", "central": "America/Chicago", "eastern": "America/New_York",
	"동부": "America/New_York", "서부": "America/Los_Angeles",
}

// smallZone matches an abbreviation in small letters after an hour, where it is no word: "9am est", "21:30 ist".
var smallZone = pattern.New(`(?i)(?:\d:\d\d\s?(?:[ap]\.?m\.?)?|\d\s?[ap]\.?m\.?)\s?\(?(kst|jst|hkt|sgt|ist|ce?st|cet|cdt|eest|eet|est|edt|mst|mdt|msk|pst|pdt|bst|aest|aedt|nzst|nzdt|hst|akst|akdt)(?:\.?\s*$|[^\pL\d_.])`)

// afterZone matches what follows a zone that says nothing of the word after it: the end, a sign, a day, what is to be done.
var afterZone = pattern.New(`(?i)^(?:\s*$|[^\s]|\s+(?:[^\pL]|(?:to|that|about|please|for|on|and|or|if|when|we|i|you|today|tonight|tomorrow|this|next|every|each|daily|weekdays|remind|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b|알려|말해|리마인드))`)

// In finds the words of a text that name a time zone.
func In(text string) []Place {
	said := text
	for _, m := range smallZone.FindAllStringSubmatchIndex(text, -1) {
		text = text[:m[2]] + strings.ToUpper(text[m[2]:m[3]]) + text[m[3]:]
	}
	var out []Place
	for _, m := range words.FindAllStringSubmatchIndex(text, -1) {
		if len(out) == maxPlaces {
			break
		}
		name, at, bare := "", 0, false
		switch {
		case m[4] >= 0:
			name, at = offsetZone(text[m[4]:m[5]]), m[2]
		case m[2] >= 0:
			name, _ = Named(strings.ToLower(text[m[2]:m[3]]))
			at = m[2]
		case m[8] >= 0:
			name, at = placeName(text, m[8], m[9])
			if strings.HasPrefix(strings.ToLower(text[m[0]:m[8]]), "in") && at == m[8] {
				at = m[0]
			}
		default:
			name, at = placeName(text, m[10], m[11])
			bare = (m[12] == m[13] || text[m[12]:m[13]] == "에") && !strings.HasSuffix(text[m[10]:m[11]], "현지")
		}
		end := m[0] + len(strings.TrimRight(text[m[0]:m[1]], " ,.;:!?()\n"))
		bracketed := at > 0 && text[at-1] == '(' && strings.HasPrefix(text[end:], ")")
		last := strings.Trim(text[end:], " .!)\n") == ""
		if m[2] >= 0 && m[6] < 0 && !bracketed && !last && hangul(text) && workAbbreviations[text[m[2]:m[3]]] {
			continue // "9시 PT 준비"
		}
		if m[2] >= 0 && m[6] < 0 && !bracketed && text[end-1] < 0x80 && strings.HasSuffix(text[:at], "에 ") {
			continue // "9시에 AEST 팀과 통화"
		}
		doubt := m[2] >= 0 && (rareZones[text[m[2]:m[3]]] || said[m[2]:m[3]] != text[m[2]:m[3]]) && !bracketed && text[end-1] < 0x80 && !afterZone.MatchString(text[end:])
		if bracketed {
			at, end, bare = at-1, end+1, false
			if strings.HasPrefix(text[end:], "에 ") { // "9시(PST)에"
				end += len("에")
			}
		}
		z, err := time.LoadLocation(name)
		if err != nil || name == "" {
			if z = nil; m[4] < 0 {
				continue
			}
		}
		out = append(out, Place{z, at, end, doubt, bare})
	}
	return out
}

// placeName returns the zone of the one or two words of a range, and where its name begins.
func placeName(text string, from, to int) (string, int) {
	words := text[from:to]
	local := strings.HasSuffix(words, "현지")
	for at := 0; at >= 0; {
		key := strings.ToLower(strings.TrimSuffix(strings.ReplaceAll(words[at:], " ", ""), "현지"))
		if plainWords[key] && !local {
			break
		}
		if name, ok := regions[key]; ok {
			return name, from + at
		}
		if name, ok := Named(key); ok {
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

// partHours are zones without daylight saving time by their offsets of UTC that are no full hours.
var partHours = map[string]string{
	"+330": "Asia/Tehran", "+430": "Asia/Kabul", "+530": "Asia/Kolkata", "+545": "Asia/Kathmandu", "+630": "Asia/Yangon",
	"+845": "Australia/Eucla", "+930": "Australia/Darwin", "-930": "Pacific/Marquesas",
}

// offsetZone returns the zone of an offset east of UTC, "" if none has it: "+9" is Etc/GMT-9, whose sign counts the other way.
func offsetZone(offset string) string {
	sign := map[byte]string{'+': "-", '-': "+"}[offset[0]]
	digits := strings.ReplaceAll(offset[1:], ":", "")
	if hours := strings.TrimLeft(digits, "0"); len(digits) > 2 && !strings.HasSuffix(digits, "00") {
		return partHours[offset[:1]+hours]
	}
	if len(digits) > 2 {
		digits = digits[:len(digits)-2]
	}
	hours := strings.TrimLeft(digits, "0")
	if hours == "" {
		return "UTC"
	}
	return "Etc/GMT" + sign + hours
}

// hangul reports whether a text is Korean, at least in part.
func hangul(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
}

// Of returns the time zone that a text about one names, also by a place alone or its IANA name, "to New York", "뉴욕으로", "Asia/Seoul"; ""
// if it names none.
func Of(text string) string {
	for _, at := range In(text) {
		if at.Zone != nil {
			return at.Zone.String()
		}
	}
	words := strings.Fields(text)
	for i := range words {
		for n := min(maxWords, len(words)-i); n > 0; n-- {
			name := strings.Trim(strings.Join(words[i:i+n], ""), ".,!?")
			for _, end := range []string{"", "으로", "로"} {
				name := strings.TrimSuffix(name, end)
				if at, ok := Named(strings.ToLower(name)); ok {
					return at
				}
				if at, err := time.LoadLocation(name); err == nil && strings.Contains(name, "/") {
					return at.String()
				}
			}
		}
	}
	return ""
}

// maxWords bounds the words of a place: "Ho Chi Minh City".
const maxWords = 4
