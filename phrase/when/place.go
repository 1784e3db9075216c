package when

import (
	"strings"
	"unicode"

	"maru/phrase/zone"
)

// binds reports whether a place belongs to the time that was read: it is beside it. A bare one is before an hour, or after
// one that has no particle yet, "9시 런던 시간".
func (p *reader) binds(at zone.Place) bool {
	before, after := p.beside(p.text, at.From, at.To)
	if !at.Bare {
		return before || after
	}
	open := false
	switch p.lastBefore(at.From) {
	case hourSign, minuteSign, thirty, clock, half:
		open = before
	}
	return (p.f.hasClock || p.f.part > 0) && (after || open)
}

// lastBefore returns the kind of the last token of the time before a position, other if there is none.
func (p *reader) lastBefore(at int) kind {
	for i := len(p.list) - 1; i >= 0; i-- {
		if t := p.list[i]; p.used[i] && t.to <= at {
			return t.kind
		}
	}
	return other
}

// hangul reports whether a text is Korean, at least in part.
func hangul(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
}

// blank replaces a range of a text by spaces, so that positions stay.
func blank(text string, from, to int) string {
	return text[:from] + strings.Repeat(" ", to-from) + text[to:]
}
