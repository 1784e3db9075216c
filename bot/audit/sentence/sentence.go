// Package sentence puts entries of the audit log into words: "moved the document “leave.pdf” from #hr to everybody".
//
// An entry itself stays as it is; maru/bot/audit proves that. An action without words here is shown as it is stored.
package sentence

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"maru/agent"
	"maru/bot/audit"
	"maru/phrase"
	"maru/phrase/fit"
)

// Names names people and channels; it returns the ID where it has no name.
//
// Person takes a platform's ID. Channel takes a channel as settings name it: "slack/T1/C1". Team takes a workspace:
// "slack/T1".
type Names interface {
	Person(id string) string
	Channel(key string) string
	Team(key string) string
}

// most bounds a foreign text in a sentence, in characters.
const most = 80

// Of returns an entry as a sentence without its subject, "" if its action has none. Foreign text in it is free of
// Markdown.
func Of(e audit.Entry, lang string, names Names) string {
	var detail map[string]any
	if len(e.Detail) > 0 && json.Unmarshal(e.Detail, &detail) != nil {
		return ""
	}
	w := writer{lang, names, detail}
	if strings.HasPrefix(e.What, "setting.") {
		return w.setting(e.What)
	}
	key := "audited." + e.What
	if e.What == "person.role" && detail["role"] == "" {
		key = "audited.person.role_back"
	}
	parts, ok := told[key]
	if !ok {
		return ""
	}
	args := make([]any, len(parts))
	for i, p := range parts {
		args[i] = p.say(w, w.first(p.keys))
	}
	return phrase.Say(lang, key, args...)
}

// writer puts the detail of one entry into words.
type writer struct {
	lang   string
	names  Names
	detail map[string]any
}

// first returns the first value of keys that the detail has.
func (w writer) first(keys []string) any {
	for _, k := range keys {
		if v, ok := w.detail[k]; ok && v != nil && v != "" {
			return v
		}
	}
	return nil
}

// part is a value in a sentence: the first of keys that the detail has, and its words.
type part struct {
	keys []string
	say  func(w writer, v any) any
}

// text returns a foreign text, in quotation marks.
func text(keys ...string) part {
	return part{keys, func(w writer, v any) any { return w.quoted(v) }}
}

// number returns a count, 0 if there is none.
func number(key string) part {
	return part{[]string{key}, func(_ writer, v any) any {
		n, _ := v.(float64)
		return int(n)
	}}
}

// person is somebody's name.
func person(key string) part {
	return part{[]string{key}, func(w writer, v any) any { return w.names.Person(plain(v)) }}
}

// where returns a place or the scope of documents.
func where(key string) part {
	return part{[]string{key}, func(w writer, v any) any { return w.place(plain(v)) }}
}

// choice returns one of a few values, whose words have keys that begin with prefix. A value without words is quoted.
func choice(prefix, key string) part {
	return part{[]string{key}, func(w writer, v any) any {
		if k := prefix + plain(v); phrase.Has(k) {
			return phrase.Say(w.lang, k)
		}
		return w.quoted(v)
	}}
}

// effect describes the effect of a tool.
func effect() part {
	return part{[]string{"effect"}, func(w writer, v any) any { return agent.Effect(plain(v)).Said().In(w.lang) }}
}

func (w writer) quoted(v any) string {
	if s := fit.Quoted(plain(v), most); s != "" {
		return "“" + s + "”"
	}
	return phrase.Say(w.lang, "audited.unknown")
}

// plain returns a JSON value as text.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		list := make([]string, len(v))
		for i, one := range v {
			list[i] = plain(one)
		}
		return strings.Join(list, ", ")
	}
	return fmt.Sprint(v)
}

// place names the place of a setting ("slack/T1/C1", "user:slack/T1/U1") or a scope ("channel:slack/T1/C1").
func (w writer) place(key string) string {
	kind, rest, scoped := strings.Cut(key, ":")
	switch parts := strings.Split(key, "/"); {
	case key == "":
		return phrase.Say(w.lang, "audited.place.program")
	case strings.HasPrefix(rest, "web/local"), strings.HasPrefix(key, "web/local"):
		return phrase.Say(w.lang, "audited.place.console")
	case strings.HasPrefix(rest, "console/local"), strings.HasPrefix(key, "console/local"):
		return phrase.Say(w.lang, "audited.place.terminal")
	case key == "public":
		return phrase.Say(w.lang, "audited.place.everybody")
	case scoped && kind == "user":
		return w.names.Person(rest[strings.LastIndex(rest, "/")+1:])
	case scoped:
		return w.place(rest)
	case len(parts) < 3:
		return phrase.Say(w.lang, "audited.place.team", fit.Quoted(w.names.Team(key), most))
	case len(parts) == 3:
		return fit.Quoted(w.names.Channel(key), most)
	default:
		return phrase.Say(w.lang, "audited.place.thread", fit.Quoted(w.names.Channel(strings.Join(parts[:3], "/")), most))
	}
}
