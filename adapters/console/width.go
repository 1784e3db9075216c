package console

import (
	"strconv"
	"time"

	"github.com/rivo/uniseg"

	"maru/phrase/fit"
)

// width returns the columns of s; Hangul and Han take two each.
func width(s string) int { return uniseg.StringWidth(s) }

// clip shortens s to columns.
func clip(s string, columns int) string {
	return fit.ClipBy(fit.OneLine(fit.Clean(s)), columns, width)
}

// order returns a message order that sorts by time, also across restarts.
func order(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 10) }
