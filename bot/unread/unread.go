// Package unread names the files of a message that the program cannot read as documents, such as pictures and recordings, to the
// author and to the model. It must not know runs or replies.
package unread

import (
	"slices"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/content"
	"maru/phrase"
	"maru/phrase/fit"
)

// Split separates a message from its pictures and recordings.
func Split(m bot.Message) (bot.Message, []bot.File) {
	var out []bot.File
	rest := slices.DeleteFunc(slices.Clone(m.Files), func(f bot.File) bool {
		dark := f.Document == "" && content.KindOf(f.Name, f.MIME) != content.Document
		if dark {
			out = append(out, f)
		}
		return dark
	})
	if len(out) > 0 {
		m.Files = rest
	}
	return m, out
}

// Described returns the description of files for the model.
func Described(files []bot.File) []agent.File {
	var out []agent.File
	for _, f := range files {
		out = append(out, agent.File{Name: fit.Visible(f.Name), MIME: f.MIME, Size: f.Size, Unread: string(content.KindOf(f.Name, f.MIME))})
	}
	return out
}

// Notice returns the notice about unsupported files, one sentence per kind.
func Notice(files []bot.File, lang string) string {
	var out []string
	for _, k := range []struct {
		kind content.FileKind
		key  string
	}{{content.Image, "load.picture"}, {content.Recording, "load.recording"}} {
		var names []string
		for _, f := range files {
			if content.KindOf(f.Name, f.MIME) == k.kind {
				names = append(names, fit.Visible(f.Name))
			}
		}
		if len(names) > 0 {
			out = append(out, phrase.Say(lang, k.key, strings.Join(names, ", ")))
		}
	}
	return strings.Join(out, "\n\n")
}
