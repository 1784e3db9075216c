package sentence

import (
	"strings"
	"time"

	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// permissions is the key of a channel's standing permissions, whose value people cannot read.
const permissions = "tools_allowed"

// setting describes the change of a setting.
func (w writer) setting(what string) string {
	name, where := plain(w.detail["key"]), w.place(plain(w.detail["place"]))
	if name == permissions {
		return phrase.Say(w.lang, "audited.permissions", where)
	}
	key, _, known := config.KeyNamed(name)
	title := "“" + fit.Quoted(name, most) + "”"
	if known {
		title, _, _ = strings.Cut(key.Help(w.lang), ",")
		title, _, _ = strings.Cut(title, ":")
		title = "“" + title + "”"
	}
	switch what {
	case "setting.set":
		return phrase.Say(w.lang, "audited.setting_set", title, w.value(key, w.detail["before"]), w.value(key, w.detail["value"]), where)
	case "setting.remove":
		return phrase.Say(w.lang, "audited.setting_remove", title, w.value(key, w.detail["before"]), where)
	case "setting.refused":
		return phrase.Say(w.lang, "audited.setting_refused", title)
	}
	return ""
}

// value renders a setting's value as people write it.
func (w writer) value(key config.Key, v any) string {
	switch v := v.(type) {
	case nil:
		return phrase.Say(w.lang, "bot.audit.not_set")
	case bool:
		return phrase.Say(w.lang, map[bool]string{true: "bot.value.on", false: "bot.value.off"}[v])
	case []any:
		if len(v) == 0 {
			return phrase.Say(w.lang, "audited.nothing")
		}
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = w.label(key, one)
		}
		return "“" + fit.Quoted(plain(list), most) + "”"
	case string:
		d, err := time.ParseDuration(v)
		if err == nil && d == 0 && key.Name == "retention" {
			return phrase.Say(w.lang, "audited.forever")
		}
		if err == nil && key.Kind == "time" {
			return phrase.Span(d).In(w.lang)
		}
	}
	return "“" + fit.Quoted(w.label(key, v), most) + "”"
}

// label returns the word for a choice, without what it means.
func (w writer) label(key config.Key, v any) string {
	word := key.Label(plain(v), w.lang)
	if word != plain(v) { // words of ours, not text that somebody wrote
		word, _, _ = strings.Cut(word, ": ")
	}
	return word
}
