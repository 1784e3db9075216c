package web

import (
	"context"
	"net/http"
	"time"

	"maru/bot"
)

// actionTime bounds the commit of a click.
const actionTime = 10 * time.Second

// maxVerb is the maximum length of a verb: that of the settings form has four characters for each setting.
const maxVerb = 512

// actionJSON is a click or a submitted form.
type actionJSON struct {
	Verb    string            `json:"verb"`
	Thread  string            `json:"thread"`
	Message string            `json:"message"`
	Values  map[string]string `json:"values"`
	Home    bool              `json:"home"` // on the person's own page, outside any thread
}

// answerJSON is the immediate answer to a click.
type answerJSON struct {
	Card   *bot.Card         `json:"card,omitempty"`
	Form   *bot.Form         `json:"form,omitempty"`
	Errors map[string]string `json:"errors,omitempty"`
	HTML   string            `json:"html,omitempty"` // of the card or the form, for the page
}

// apiAction passes a click to the bot. The ID names a row of the record and grants no
// permission: the bot checks person, place and time.
func (d *door) apiAction(w http.ResponseWriter, r *http.Request) {
	var in actionJSON
	if err := decode(r, &in); err != nil {
		d.fail(w, r, err)
		return
	}
	id := r.PathValue("action")
	if in.Home != (in.Thread == "") || !in.Home && !idForm.MatchString(in.Thread) || len(id) > 64 || len(in.Verb) > maxVerb || len(in.Message) > 64 {
		d.fail(w, r, refusal{http.StatusBadRequest, "bad_request"})
		return
	}
	v, t := visitOf(r), d.at(r, in.Thread)
	ctx, cancel := context.WithTimeout(r.Context(), actionTime)
	defer cancel()
	ans, err := d.in.Action(ctx, bot.Action{
		ID: id, Verb: in.Verb, Thread: t, Message: in.Message, User: v.user(),
		Values: in.Values, Home: in.Home, At: d.cfg.Now(),
	})
	if err != nil {
		d.fail(w, r, err)
		return
	}
	out := answerJSON{Card: ans.Card, Form: ans.Form, Errors: ans.Errors}
	if r.FormValue("view") == "html" {
		out.HTML = allPages().answer(v.Lang, t.ID, out)
	}
	out.Card = worded(out.Card)
	reply(w, http.StatusOK, out)
}
