package discord

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"maru/bot"
)

// menu is an entry of the menu that every message has.
type menu struct {
	name, korean string
	question     func(said string, lang string) string
	files        bool // it is about the message's files
}

// menuEntries are the entries, by their English names, which Discord sends back.
var menuEntries = []menu{
	{name: "Ask Maru about this", korean: "마루에게 물어보기", question: about, files: true},
	{name: "Summarise thread", korean: "대화 요약하기", question: func(_, lang string) string {
		return word(lang, "이 스레드에서 나눈 이야기를 요약해 주세요.", "Please summarise what was said in this thread.")
	}},
	{name: "Add to documents", korean: "문서에 추가하기", question: func(_, lang string) string {
		return word(lang, "이 파일을 문서에 추가해 주세요.", "Please add this file to the documents.")
	}, files: true},
}

// about is a message as a question of its own, or as what is asked about.
func about(said, lang string) string {
	if said == "" || strings.ContainsAny(said, "?？") {
		return said
	}
	return word(lang, "이 메시지에 대해 알려 주세요.", "Tell me about this message.") + "\n\n> " + strings.ReplaceAll(said, "\n", "\n> ")
}

func menuOf(name string) (menu, bool) {
	for _, m := range menuEntries {
		if m.name == name {
			return m, true
		}
	}
	return menu{}, false
}

// menus are the entries as Discord registers them.
func menus() []registered {
	var out []registered
	for _, m := range menuEntries {
		out = append(out, registered{
			Type: commandMessage, Name: m.name, NameLocalizations: map[string]string{"ko": m.korean},
			Contexts: []int{contextGuild, contextDirect}, IntegrationTypes: []int{0},
		})
	}
	return out
}

// errNoTarget says that an entry came without the message that it was used on.
var errNoTarget = errors.New("discord: the message of the menu is missing")

// onMenu makes a message's menu a question about it, in the message's thread,
// by who used it.
func (a *Adapter) onMenu(ctx context.Context, in bot.Intake, v visit) (*bot.Card, error) {
	entry, _ := menuOf(v.i.Data.Name)
	target, ok := v.i.Data.target()
	if !ok {
		return nil, errNoTarget
	}
	guild := ""
	if !v.at.Direct {
		guild = v.at.Team
	}
	said := a.plainText(target, guild)
	m := bot.Message{
		ID: v.i.ID, Order: v.i.ID, Thread: v.at, User: v.u, Reach: bot.ReachMention, At: a.cfg.Now(),
		Text: entry.question(said, v.u.Locale),
	}
	if entry.files {
		m.Files = files(target.Attachments)
	}
	if m.Text == "" {
		m.Text = about("…", v.u.Locale)
	}
	if strings.HasPrefix(entry.name, "Add") && len(m.Files) == 0 {
		return &bot.Card{Kind: bot.CardNotice, Final: true, Text: word(v.u.Locale,
			"이 메시지에는 추가할 파일이 없어요. 파일이 있는 메시지에서 다시 해 주세요.", "This message has no file to add. Please use this on a message with a file.")}, nil
	}
	if m.Thread.ID == "" && !m.Thread.Direct && m.Thread.Team != teamDirect {
		a.root(&m, target)
		if own := target.Author; own != nil && own.ID == a.self() {
			m.Thread.ID = first(a.rootOf(target), m.Thread.ID)
		}
	}
	if err := in.Message(ctx, m); err != nil {
		return nil, err
	}
	return &bot.Card{Kind: bot.CardNotice, Final: true, Text: word(v.u.Locale, "답을 준비하고 있어요.", "Your answer is on its way.")}, nil
}

// target is the message that a menu was used on.
func (d interactionData) target() (*message, bool) {
	var r struct {
		Messages map[string]*message `json:"messages"`
	}
	if json.Unmarshal(d.Resolved, &r) != nil || r.Messages[d.TargetID] == nil || r.Messages[d.TargetID].ID != d.TargetID {
		return nil, false
	}
	return r.Messages[d.TargetID], true
}
