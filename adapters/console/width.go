package console

import (
	"strconv"
	"time"

	"github.com/rivo/uniseg"

	"maru/phrase/fit"
)

// width is how many columns s takes; Hangul and Han take two each.
func width(s string) int { return uniseg.StringWidth(s) }

// clip shortens s to that many columns.
func clip(s string, columns int) string {
	return fit.ClipBy(fit.OneLine(fit.Clean(s)), columns, width)
}

// order sorts messages by the time they were written, over restarts as well.
func order(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 10) }
