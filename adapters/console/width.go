package console

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// clean removes what a terminal would obey instead of show: a model's or a
// document's text must not move the cursor, change the title or hide itself.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.Is(unicode.Cc, r),
			r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, // direction overrides
			r == 0x200B, r == 0x2060, r == 0xFEFF, r == 0x200E, r == 0x200F, r == 0x061C,
			r >= 0xE0000 && r <= 0xE007F: // tags
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// width is how many columns s takes; Hangul and Han take two each.
func width(s string) int { return uniseg.StringWidth(s) }

// clip shortens s to that many columns.
func clip(s string, columns int) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if width(s) <= columns {
		return s
	}
	var b strings.Builder
	used, state := 0, -1
	for s != "" {
		var cluster string
		var w int
		cluster, s, w, state = uniseg.FirstGraphemeClusterInString(s, state)
		if used+w > columns-1 {
			break
		}
		b.WriteString(cluster)
		used += w
	}
	return b.String() + "…"
}

// order sorts messages by the time they were written, over restarts as well.
func order(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 10) }
