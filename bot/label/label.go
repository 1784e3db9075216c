// Package label puts a platform's names beside the IDs that a question shows: who or what "C04QX7BR2" is. A person
// who approves a call cannot tell that from the ID.
//
// Names are looked up when a card is drawn, and are no part of the approval: its digest covers the IDs, and only these
// run. The drawn card is stored with its reply, names included. Anybody may call themselves anything, so a name stands
// beside its ID, never for it, with what it is a name of and quoted. An ID that the platform does not name in time stays
// as it is.
package label

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Kind is what an ID identifies.
type Kind string

// The kinds of labels. All but Private have a name.
const (
	Person  Kind = "person"
	App     Kind = "app"
	Group   Kind = "group"
	Role    Kind = "role"
	Channel Kind = "channel"
	Thread  Kind = "thread"
	Server  Kind = "server"
	Direct  Kind = "direct"  // a conversation with a person, whose name it has
	Private Kind = "private" // a channel that not everybody who reads the card may know
)

// kinds are the keys of what a label says.
var kinds = map[Kind]string{
	Person: "label.person", App: "label.app", Group: "label.group", Role: "label.role", Channel: "label.channel", Thread: "label.thread",
	Server: "label.server", Direct: "label.direct",
}

// Label is a platform's name for an ID; the zero Label: unknown.
type Label struct {
	Kind Kind
	Name string
}

// Source is implemented by adapters whose platform has names for IDs.
type Source interface {
	// IDs returns what has the form of the platform's IDs in a text, in order, once each.
	IDs(text string) []string
	// LabelOf returns the name behind an ID: of a channel only if all readers of m's thread may know it, in a direct
	// conversation its author. m may be from another platform. It may call the platform, until ctx ends.
	LabelOf(ctx context.Context, m bot.Message, id string) Label
}

// Bounds of the look-ups for a card. A click must open its form within three seconds.
const (
	maxIDs  = 8
	wait    = time.Second
	maxName = 60 // characters
)

// Labels are the names behind IDs; the zero Labels know none.
type Labels struct {
	lang    string
	sources []Source
	known   map[string]Label
}

// terminal is the platform of `maru chat`, whose only person runs the program on this machine.
const terminal = "console"

// SourcesOf returns the sources for a message: its platform's. A platform without names shows those of the others to
// whoever runs the program. In the terminal that is nobody's right but to read names: a script that passes foreign words to
// `maru ask` does not make them an operator's.
func SourcesOf(m bot.Message, platforms bot.Platforms) []Source {
	if s, ok := platforms[m.Thread.Platform].(Source); ok || !m.User.Operator && m.Thread.Platform != terminal {
		return slices.DeleteFunc([]Source{s}, func(s Source) bool { return s == nil })
	}
	var out []Source
	for _, a := range platforms {
		if s, ok := a.(Source); ok {
			out = append(out, s)
		}
	}
	return out
}

// Find looks up the IDs of texts that are shown about a message, the first ones and for a second.
func Find(ctx context.Context, m bot.Message, lang string, sources []Source, texts ...string) Labels {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	l := Labels{lang: lang, sources: sources, known: map[string]Label{}}
	text := strings.Join(texts, "\n")
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, s := range sources {
		ids := s.IDs(text)
		for _, id := range ids[:min(len(ids), maxIDs)] {
			all.Go(func() {
				if is := s.LabelOf(ctx, m, id); is.Kind != "" {
					mu.Lock()
					defer mu.Unlock()
					l.known[id] = is
				}
			})
		}
	}
	all.Wait()
	return l
}

// Markdown lists the labels of the IDs of a text, "" for none: "`C04QX7BR2`: channel `general`".
func (l Labels) Markdown(text string) string {
	return l.list(text, func(s string) string { return "`" + s + "`" })
}

// Plain is Markdown without marks, for texts that a surface shows literally.
func (l Labels) Plain(text string) string { return l.list(text, literally) }

// Names returns the labels of the IDs of a text by ID, in plain words: "“#general” (channel)".
func (l Labels) Names(text string) map[string]string {
	names := map[string]string{}
	for id, is := range l.in(text) {
		names[id] = l.words(is, literally)
	}
	return names
}

func literally(s string) string {
	return "“" + strings.NewReplacer("“", `"`, "”", `"`).Replace(s) + "”"
}

func (l Labels) list(text string, quote func(string) string) string {
	var out []string
	for id, is := range l.in(text) {
		out = append(out, quote(id)+": "+l.words(is, quote))
	}
	return fit.Dots(out...)
}

// in iterates over the labels of the IDs of a text, in order.
func (l Labels) in(text string) iter.Seq2[string, Label] {
	return func(yield func(string, Label) bool) {
		for _, s := range l.sources {
			for _, id := range s.IDs(text) {
				if is, ok := l.known[id]; ok && !yield(id, is) {
					return
				}
			}
		}
	}
}

// words says what a label is, and its name.
func (l Labels) words(is Label, quote func(string) string) string {
	name := fit.Quoted(is.Name, maxName)
	if is.Kind == Private || name == "" {
		return phrase.Say(l.lang, "label.private")
	}
	said := phrase.Say(l.lang, kinds[is.Kind], quote(name))
	if mixed(name) {
		said += " " + phrase.Say(l.lang, "label.mixed")
	}
	return said
}

// mixed reports whether a word has letters of Latin beside those of an alphabet with the same shapes.
func mixed(name string) bool {
	return slices.ContainsFunc(strings.Fields(name), func(word string) bool {
		has := func(t ...*unicode.RangeTable) bool {
			return strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, t...) })
		}
		return has(unicode.Latin) && has(unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee)
	})
}
