package plain

import (
	"cmp"
	"strings"

	"maru/phrase"
	"maru/rag/load/outline"
)

// property is a line of a calendar: "DTSTART;TZID=Asia/Seoul:20260303T090000".
type property struct{ name, params, value string }

// maxEvent bounds the lines of an event.
const maxEvent = 1000

// Calendar reads iCalendar (RFC 5545): each event, task and journal entry below its name, with its times, place and people. The title
// is the calendar's name. Other text is read as it is.
func Calendar(text string, add outline.Add) (title string, err error) {
	var open []string // components
	var event []property
	found := false
	for line := range strings.SplitSeq(unfolded.Replace(text), "\n") {
		p, ok := propertyOf(line)
		if !ok {
			continue
		}
		switch {
		case p.name == "BEGIN":
			open = append(open, strings.ToUpper(p.value))
		case p.name == "END" && len(open) > 0:
			kind := open[len(open)-1]
			if open = open[:len(open)-1]; !entries[kind] {
				continue
			}
			for _, b := range entry(event) {
				if found = found || b.Text != ""; b.Text == "" {
					continue
				}
				if err := add(b); err != nil {
					return title, err
				}
			}
			event = nil
		case p.name == "X-WR-CALNAME" || p.name == "NAME" && len(open) == 1:
			title = unescaped.Replace(p.value)
		case len(open) > 0 && entries[open[len(open)-1]] && len(event) < maxEvent:
			event = append(event, p)
		}
	}
	if !found {
		return "", Source(text, add)
	}
	return title, nil
}

var (
	entries   = map[string]bool{"VEVENT": true, "VTODO": true, "VJOURNAL": true}
	unfolded  = strings.NewReplacer("\n ", "", "\n\t", "")
	unescaped = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\"`, `"`, `\\`, `\`)
)

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

// entry returns the blocks of an event: its name, what is known of it, and its description.
func entry(list []property) []outline.Block {
	of := map[string]property{}
	var people []string
	for _, p := range list {
		if p.name == "ATTENDEE" {
			people = append(people, p.person())
		} else if _, twice := of[p.name]; !twice {
			of[p.name] = p
		}
	}
	said := func(name string) string { return strings.TrimSpace(unescaped.Replace(of[name].value)) }
	when := cmp.Or(of["DTSTART"].time(), of["RDATE"].value)
	if end := of["DTEND"].time(); end != "" && end != when {
		if day, hour, ok := strings.Cut(end, " "); ok && strings.HasPrefix(when, day+" ") {
			end = hour
		}
		when += " – " + end
	}
	lang := phrase.Spoken(said("SUMMARY")+" "+said("DESCRIPTION")+" "+said("LOCATION"), "")
	var lines []string
	for _, l := range []struct{ key, value string }{
		{"load.event.when", when}, {"load.event.due", of["DUE"].time()}, {"load.event.repeats", of["RRULE"].value}, {"load.event.where", said("LOCATION")},
		{"load.event.organizer", of["ORGANIZER"].person()}, {"load.event.people", strings.Join(people, ", ")}, {"load.event.state", said("STATUS")},
	} {
		if l.value != "" {
			lines = append(lines, phrase.Say(lang, l.key, l.value))
		}
	}
	return []outline.Block{{Kind: outline.Heading, Level: 1, Text: said("SUMMARY")}, {Text: strings.Join(lines, "\n")}, {Text: said("DESCRIPTION")}}
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

// time returns a property's time as "2026-03-03 09:00 (Asia/Seoul)"; one of another form as it is written.
func (p property) time() string {
	day, clock, timed := strings.Cut(p.value, "T")
	if len(day) != 8 || strings.Trim(day, "0123456789") != "" {
		return p.value
	}
	out := day[:4] + "-" + day[4:6] + "-" + day[6:]
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
