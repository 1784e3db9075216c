package plain

import (
	"cmp"
	"io"
	"iter"
	"mime/quotedprintable"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding/htmlindex"

	"maru/phrase"
	"maru/rag/load/charset"
	"maru/rag/load/outline"
)

// property is a line of a calendar: "DTSTART;TZID=Asia/Seoul:20260303T090000".
type property struct{ name, params, value string }

// maxEvent bounds the lines of an event.
const maxEvent = 1000

// Calendar reads iCalendar (RFC 5545) and vCalendar 1.0: each event, task and journal entry below its name, with its times, place and
// people. The title is the calendar's name. Other text is read as it is.
func Calendar(text string, add outline.Add) (title string, err error) {
	var open []string // components
	var event []property
	found := false
	emit := func() error {
		for _, b := range entry(event) {
			if found = found || b.Text != ""; b.Text == "" {
				continue
			}
			if err := add(b); err != nil {
				return err
			}
		}
		event = nil
		return nil
	}
	for p := range properties(text) {
		switch {
		case p.name == "BEGIN":
			open = append(open, strings.ToUpper(p.value))
			if entries[open[len(open)-1]] {
				event = append(event, p)
			}
		case p.name == "END" && len(open) > 0:
			kind := open[len(open)-1]
			if open = open[:len(open)-1]; !entries[kind] {
				continue
			}
			if err := emit(); err != nil {
				return title, err
			}
		case p.name == "X-WR-CALNAME" || p.name == "NAME" && len(open) == 1:
			title = unescaped.Replace(p.value)
		case len(open) > 0 && entries[open[len(open)-1]] && len(event) < maxEvent:
			event = append(event, p)
		}
	}
	if err := emit(); err != nil { // the file ends within it
		return title, err
	}
	if !found {
		return "", Source(text, add)
	}
	return title, nil
}

var (
	entries   = map[string]bool{"VEVENT": true, "VTODO": true, "VJOURNAL": true}
	unescaped = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\"`, `"`, `\\`, `\`)
)

// properties yields the properties of a calendar, unfolded and decoded.
func properties(text string) iter.Seq[property] {
	return func(yield func(property) bool) {
		var whole []byte
		quoted, soft := false, false // in quoted-printable, a line of which ends in "=" if the next continues it
		for line := range strings.SplitSeq(text, "\n") {
			switch folded := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); {
			case soft:
				whole = append(whole, line...)
			case folded:
				whole = append(whole, line[1:]...)
			default:
				if p, ok := propertyOf(string(whole)); ok && !yield(p.decoded()) {
					return
				}
				p, _ := propertyOf(line)
				whole, quoted = append(whole[:0], line...), p.quoted()
			}
			if soft = quoted && strings.HasSuffix(line, "="); soft {
				whole = whole[:len(whole)-1]
			}
		}
		if p, ok := propertyOf(string(whole)); ok {
			yield(p.decoded())
		}
	}
}

// propertyOf splits a line at the colon that is not quoted.
func propertyOf(line string) (p property, ok bool) {
	quoted := false
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ':' && !quoted:
			name, params, _ := strings.Cut(line[:i], ";")
			return property{strings.ToUpper(strings.TrimSpace(name)), params, strings.TrimSpace(line[i+1:])}, true
		}
	}
	return p, false
}

// param returns the value of a property's parameter.
func (p property) param(name string) string {
	for one := range strings.SplitSeq(p.params, ";") {
		if key, value, ok := strings.Cut(one, "="); ok && strings.EqualFold(key, name) {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

// quoted reports whether the value is in quoted-printable, as vCalendar 1.0 writes other letters than those of ASCII.
func (p property) quoted() bool {
	return strings.Contains(strings.ToUpper(p.params), "QUOTED-PRINTABLE")
}

// decoded returns the property with its value as text, in the charset that it names or else in the one its bytes are in.
func (p property) decoded() property {
	if !p.quoted() {
		return p
	}
	raw, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(p.value)))
	if err != nil {
		return p
	}
	text, err := charset.Decode(raw)
	if enc, unknown := htmlindex.Get(p.param("CHARSET")); unknown == nil {
		var named []byte
		named, err = enc.NewDecoder().Bytes(raw)
		text = string(named)
	}
	if err == nil {
		p.value = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	}
	return p
}

var (
	// labels are the properties of an event that have a label of their own, in the order in which they are written.
	labels = []struct{ name, key string }{
		{"DTSTART", "load.event.when"}, {"DURATION", "load.event.duration"}, {"DUE", "load.event.due"}, {"RRULE", "load.event.repeats"}, {"RDATE", "load.event.also"},
		{"EXDATE", "load.event.except"}, {"RECURRENCE-ID", "load.event.instead"}, {"LOCATION", "load.event.where"}, {"ORGANIZER", "load.event.organizer"},
		{"ATTENDEE", "load.event.people"}, {"STATUS", "load.event.state"}, {"CATEGORIES", "load.event.category"}, {"URL", "load.event.link"},
	}
	// apart are the properties that are the heading, the text or part of another line, and what programs keep for themselves.
	apart = map[string]bool{
		"BEGIN": true, "SUMMARY": true, "DESCRIPTION": true, "DTEND": true, "UID": true, "DTSTAMP": true, "CREATED": true, "DCREATED": true, "LAST-MODIFIED": true,
		"SEQUENCE": true, "TRANSP": true, "CLASS": true, "REQUEST-STATUS": true, "AALARM": true, "DALARM": true, "MALARM": true, "PALARM": true,
	}
)

// entry returns the blocks of an event: its name, what is known of it, and its description. A property without a label stands
// under its own name.
func entry(list []property) []outline.Block {
	of := map[string]string{}
	var other []string
	for _, p := range list {
		text := p.text()
		switch before := of[p.name]; {
		case text == "" || strings.HasPrefix(p.name, "X-") || strings.Contains(strings.ToUpper(p.params), "BASE64"):
		case before != "":
			of[p.name] = before + ", " + text
		default:
			of[p.name] = text
			other = append(other, p.name)
		}
	}
	name := cmp.Or(of["SUMMARY"], of["DTSTART"], of["DUE"], of["UID"], of["BEGIN"])
	if end, when := of["DTEND"], of["DTSTART"]; end != when && (len(end) > len("2026-03-09") || end > when) {
		if day, hour, ok := strings.Cut(end, " "); ok && strings.HasPrefix(when, day+" ") {
			end = hour
		}
		of["DTSTART"] += " – " + end
	}
	lang := phrase.Spoken(of["SUMMARY"]+" "+of["DESCRIPTION"]+" "+of["LOCATION"], "")
	var lines []string
	for _, l := range labels {
		text := of[l.name]
		switch l.name {
		case "RRULE":
			text = repeats(text, lang)
		case "DURATION":
			text = lasting(text, lang)
		}
		if text != "" {
			lines = append(lines, phrase.Say(lang, l.key, text))
		}
		other = slices.DeleteFunc(other, func(name string) bool { return name == l.name || apart[name] })
	}
	for _, name := range other {
		lines = append(lines, name+": "+of[name])
	}
	return []outline.Block{{Kind: outline.Heading, Level: 1, Text: name}, {Text: strings.Join(lines, "\n")}, {Text: of["DESCRIPTION"]}}
}

// text returns a property's value as people read it.
func (p property) text() string {
	switch p.name {
	case "DTSTART", "DTEND", "DUE", "RDATE", "EXDATE", "RECURRENCE-ID", "COMPLETED":
		var all []string
		for one := range strings.SplitSeq(p.value, ",") {
			all = append(all, p.time(one))
		}
		return strings.Join(all, ", ")
	case "ORGANIZER", "ATTENDEE":
		return p.person()
	}
	return strings.TrimSpace(unescaped.Replace(p.value))
}

// person returns a name with its address.
func (p property) person() string {
	address := p.value
	if i := len("mailto:"); len(address) > i && strings.EqualFold(address[:i], "mailto:") {
		address = address[i:]
	}
	if name := p.param("CN"); name != "" && name != address {
		return name + " <" + address + ">"
	}
	return address
}

// time returns one of a property's times as "2026-03-03 09:00 (Asia/Seoul)", one of another form as it is written. Where days alone
// are given, an event ends before its DTEND (RFC 5545, 3.6.1).
func (p property) time(value string) string {
	day, clock, timed := strings.Cut(value, "T")
	at, err := time.Parse("20060102", day)
	if err != nil || len(clock) > len("090000Z") {
		return value
	}
	if !timed && p.name == "DTEND" {
		at = at.AddDate(0, 0, -1)
	}
	out := at.Format(time.DateOnly)
	if !timed || len(clock) < 4 {
		return out
	}
	out += " " + clock[:2] + ":" + clock[2:4]
	if zone := p.param("TZID"); zone != "" {
		return out + " (" + zone + ")"
	}
	if strings.HasSuffix(clock, "Z") {
		out += " UTC"
	}
	return out
}
