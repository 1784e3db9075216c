package web

import (
	"fmt"
	"time"

	"maru/phrase"
)

// word returns the sentence of a key.
func word(lang, key string, args ...any) string { return phrase.Say(lang, "web."+key, args...) }

// scriptWords returns the sentences that the script needs, by key.
func scriptWords(lang string) map[string]string {
	out := make(map[string]string)
	for _, key := range []string{
		"upload.sending", "upload.reading", "upload.done", "upload.failed", "upload.folder", "document.remove.sure",
		"thread.forget.sure", "answering", "answered", "waits", "send.failed", "copied", "sent", "passage.open",
		"form.unsent", "gone_offline", "live.lost", "close", "cancel", "too_long",
	} {
		out[key] = word(lang, key)
	}
	return out
}

// ago returns how long ago at was, briefly.
func ago(lang string, at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.In(now.Location())
	if at.Year() == now.Year() && at.YearDay() == now.YearDay() {
		return at.Format("15:04")
	}
	if at.Year() == now.Year() {
		return at.Format(word(lang, "date.year"))
	}
	return at.Format(word(lang, "date.full"))
}

// passages returns a document's number of passages.
func passages(lang string, n int) string {
	if n == 1 {
		return word(lang, "document.passage")
	}
	return fmt.Sprintf(word(lang, "document.passages"), n)
}
