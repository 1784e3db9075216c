package web

import (
	"net/http"
	"slices"
	"strings"

	"maru/bot"
)

// command runs a command and shows its answer, which is not stored.
func (d *door) command(r *http.Request, inv bot.Invocation) error {
	card, err := d.in.Command(r.Context(), inv)
	if err != nil || card == nil {
		return err
	}
	c := *card
	c.Final = true
	c.Files = slices.Clone(c.Files)
	for i := range c.Files {
		c.Files[i].Data = nil // regenerated when the link is opened
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
