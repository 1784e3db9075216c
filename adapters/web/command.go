package web

import (
	"net/http"
	"slices"
	"strings"

	"maru/bot"
)

// invocation reads "/help", "/docs list" or "/maru docs list" as a command of
// the bot's table. Anything else is a message, slash or not.
func (d *door) invocation(text string) (bot.Invocation, bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return bot.Invocation{}, false
	}
	name, args := firstWord(rest)
	if name == "maru" {
		name, args = firstWord(args)
		if name == "" {
			name = "help"
		}
		return bot.Invocation{Name: name, Args: args}, true // the bot says what is wrong with it
	}
	for _, c := range d.in.Commands() {
		if c.Is(name) {
			return bot.Invocation{Name: name, Args: args}, true
		}
	}
	return bot.Invocation{}, false
}

func firstWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	i := strings.IndexAny(s, " \t\n")
	if i < 0 {
		return strings.ToLower(s), ""
	}
	return strings.ToLower(s[:i]), strings.TrimSpace(s[i:])
}

// command gives a command to the bot and shows its answer, which is kept nowhere.
func (d *door) command(r *http.Request, inv bot.Invocation) error {
	card, err := d.in.Command(r.Context(), inv)
	if err != nil || card == nil {
		return err
	}
	c := *card
	c.Final = true
	c.Files = slices.Clone(c.Files)
	for i := range c.Files {
		c.Files[i].Data = nil // made anew when its link is opened
	}
	if c.Footer == "" {
		c.Footer = visitOf(r).T("command.answer")
	}
	d.hub.putCard(inv.Thread, d.newID(), c, d.cfg.Now())
	return nil
}

// commandJSON is a command in a list.
type commandJSON struct {
	Name    string `json:"name"`
	Args    string `json:"args,omitempty"`
	Summary string `json:"summary"`
}

func (d *door) commands(lang string) []commandJSON {
	var out []commandJSON
	for _, c := range d.in.Commands() {
		var args []string
		for _, a := range c.Args {
			if a.Required {
				args = append(args, "<"+a.Name+">")
			} else {
				args = append(args, "["+a.Name+"]")
			}
		}
		out = append(out, commandJSON{Name: c.Name, Args: strings.Join(args, " "), Summary: c.Summary[lang]})
	}
	return out
}

func (d *door) apiCommands(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusOK, map[string]any{"commands": d.commands(visitOf(r).Lang)})
}
