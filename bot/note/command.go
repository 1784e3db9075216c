package note

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/rag"
)

// Control begins the ID of every button of a note; the document's ID follows. It grants nothing.
const Control = "note/"

const (
	listed = 30 // notes of a list
	asked  = 5  // notes that one card offers to forget
)

// Command carries out "/maru memory channel": list, "add TEXT", "forget NUMBER".
func (ns *Notes) Command(ctx context.Context, c bot.Invocation, args, lang string) (*bot.Card, error) {
	if err := ns.Rules.MembersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	switch action(word) {
	case "":
		text, err := ns.list(ctx, c.Thread, lang)
		return told(text, nil, lang).Card, err
	case "add":
		key := c.ID
		if key == "" {
			key = ns.NewID()
		}
		text, buttons, err := ns.Put(ctx, c.Thread, c.User, Said{Key: c.Thread.TeamKey() + "/command/" + key, Text: rest, At: c.At}, lang)
		return told(text, buttons, lang).Card, err
	case "forget":
		return ns.forget(ctx, c, rest, lang)
	}
	return nil, &bot.Error{Code: bot.CodeBadCommand, Say: phrase.Say(lang, "note.how")}
}

// action names an action by its word in any language: "list" is "".
func action(word string) string {
	word = strings.ToLower(word)
	for do, also := range map[string]map[string]string{
		"": phrase.All("bot.word.list"), "add": phrase.All("bot.word.add"), "forget": phrase.All("bot.word.forget"),
	} {
		if word == do {
			return do
		}
		for _, names := range also {
			for name := range strings.SplitSeq(names, ",") {
				if strings.TrimSpace(name) == word {
					return do
				}
			}
		}
	}
	if word == "list" {
		return ""
	}
	return word
}

// list shows the notes of a channel, numbered by age.
func (ns *Notes) list(ctx context.Context, t bot.Thread, lang string) (string, error) {
	docs, err := ns.of(ctx, t)
	if err != nil {
		return "", err
	}
	list, err := ns.read(ctx, t, docs[:min(len(docs), listed)])
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return phrase.Say(lang, "note.none") + "\n\n" + phrase.Say(lang, "note.how"), nil
	}
	var s strings.Builder
	s.WriteString("**" + phrase.Say(lang, "note.title") + "**\n\n")
	for i, n := range list {
		fmt.Fprintf(&s, "%d. %s — %s\n", i+1, shown(n.words), Author(n.Document))
	}
	if more := len(docs) - listed; more > 0 {
		s.WriteString(phrase.Say(lang, "bot.list.more", more))
	}
	return s.String() + "\n" + phrase.Say(lang, "note.how"), nil
}

// shown formats a note's text on one line without Markdown.
func shown(words string) string {
	return fit.Clip(strings.NewReplacer("*", "·", "`", "'").Replace(fit.Visible(words)), 200)
}

// forget asks about the note of a number, and after a yes forgets it.
func (ns *Notes) forget(ctx context.Context, c bot.Invocation, what, lang string) (*bot.Card, error) {
	fields := strings.Fields(what)
	yes := false
	if len(fields) > 1 {
		if v, n := intent.Decide(fields[len(fields)-1]); v == intent.Yes && n == 0 {
			yes, fields = true, fields[:len(fields)-1]
		}
	}
	what = strings.Join(fields, " ")
	n, err := strconv.Atoi(strings.Trim(what, "#."))
	if err != nil { // "forget the stand-up"
		text, buttons, err := ns.ask(ctx, c.Thread, what, lang)
		return told(text, buttons, lang).Card, err
	}
	docs, err := ns.of(ctx, c.Thread)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > len(docs) {
		return nil, &bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "note.no_number")}
	}
	if !yes {
		return ns.confirm(ctx, c.Thread, docs[n-1], lang)
	}
	if err := ns.remove(ctx, c.Thread, c.User, docs[n-1].ID); err != nil {
		return nil, err
	}
	return told(phrase.Say(lang, "note.forgotten"), nil, lang).Card, nil
}

// ask shows the notes about something, with a button each that forgets it.
func (ns *Notes) ask(ctx context.Context, t bot.Thread, about, lang string) (string, []bot.Button, error) {
	docs, err := ns.of(ctx, t)
	if err != nil {
		return "", nil, err
	}
	list, err := ns.read(ctx, t, docs)
	if err != nil {
		return "", nil, err
	}
	var lines []string
	var buttons []bot.Button
	for _, n := range list {
		if !speaksOf(n.words, about) || len(buttons) == asked {
			continue
		}
		b := forgetButton(n.Document, "forget", lang)
		if lines = append(lines, fmt.Sprintf("%d. %s — %s", len(lines)+1, shown(n.words), Author(n.Document))); len(lines) > 1 {
			b.Label += " " + strconv.Itoa(len(lines))
		}
		buttons = append(buttons, b)
	}
	if len(lines) == 0 {
		return phrase.Say(lang, "note.none_about", quoted(fit.Visible(about))), nil, nil
	}
	return phrase.Say(lang, "note.forget_ask") + "\n\n" + strings.Join(lines, "\n"), buttons, nil
}

// speaksOf reports whether a note has all words of a subject.
func speaksOf(words, about string) bool {
	var a rag.Analyzer
	held, some := rag.HoldingOf(words), false
	for _, w := range a.Query(about) {
		if w.Weight == 0 {
			continue
		}
		if some = true; held.Match(w) < 0.5 {
			return false
		}
	}
	return some
}

// confirm shows one note with the button that forgets it.
func (ns *Notes) confirm(ctx context.Context, t bot.Thread, d rag.Document, lang string) (*bot.Card, error) {
	list, err := ns.read(ctx, t, []rag.Document{d})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return told(phrase.Say(lang, "note.gone"), nil, lang).Card, nil
	}
	text := phrase.Say(lang, "note.forget_ask") + "\n\n" + shown(list[0].words) + " — " + Author(d)
	return told(text, []bot.Button{forgetButton(d, "forget", lang)}, lang).Card, nil
}

// Action handles a click on a note's button: "ask" shows what would be deleted, "forget" deletes it.
func (ns *Notes) Action(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	if err := ns.Rules.MembersOnly(ctx, a.Thread, a.User, lang); err != nil {
		return told(bot.AsError(err).Text(lang), nil, lang), nil
	}
	if message, ok := strings.CutPrefix(a.ID, offered); ok {
		return ns.decide(ctx, a, message, lang)
	}
	docs, err := ns.of(ctx, a.Thread)
	if err != nil {
		return bot.Answer{}, err
	}
	for _, d := range docs {
		if d.ID != strings.TrimPrefix(a.ID, Control) {
			continue
		}
		if a.Verb == "ask" {
			card, err := ns.confirm(ctx, a.Thread, d, lang)
			return bot.Answer{Card: card}, err
		}
		if err := ns.remove(ctx, a.Thread, a.User, d.ID); err != nil {
			return bot.Answer{}, err
		}
		return told(phrase.Say(lang, "note.forgotten"), nil, lang), nil
	}
	return told(phrase.Say(lang, "note.gone"), nil, lang), nil
}

func forgetButton(d rag.Document, verb, lang string) bot.Button {
	b := bot.Button{ID: Control + d.ID, Verb: verb, Label: phrase.Say(lang, "bot.button.forget")}
	if verb == "forget" {
		b.Style = bot.ButtonDanger
	}
	return b
}

func told(text string, buttons []bot.Button, lang string) bot.Answer {
	return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: text, Buttons: buttons, Language: lang, Final: true}}
}
