package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"maru/adapters/lanes/body"
	"maru/agent"
	"maru/bot/desk"
)

// wanted is the body of POST /api/approvals, and the input of the tool request_approval.
type wanted struct {
	Title     string   `json:"title,omitempty" jsonschema:"one line: what is to be approved"`
	Text      string   `json:"text,omitempty" jsonschema:"Markdown: exactly what would happen, with its values"`
	Effect    string   `json:"effect,omitempty" jsonschema:"reads, sends, writes or executes; left out it counts as the gravest"`
	Channel   string   `json:"channel,omitempty" jsonschema:"channel in which people are asked, such as C0123 or slack/T1/C0123; without one a person is asked directly"`
	People    []string `json:"people,omitempty" jsonschema:"ids of the people who may decide; with a channel and no people its approvers decide, or its members if it has none; without both the token's person decides"`
	Approvers int      `json:"approvers,omitempty" jsonschema:"how many people must agree, 1 if left out"`
	Callback  string   `json:"callback,omitempty" jsonschema:"address to which the outcome is posted, with its receipt"`
	Expires   int      `json:"expires_in_seconds,omitempty" jsonschema:"after which nobody can decide it any more; left out the channel's setting says"`
}

// on returns the request as the desk takes it.
func (w wanted) on(key string) desk.Wanted {
	return desk.Wanted{
		Title: w.Title, Text: w.Text, Effect: agent.Effect(w.Effect), Channel: w.Channel, People: w.People, Approvers: w.Approvers, Callback: w.Callback,
		ExpiresIn: time.Duration(w.Expires) * time.Second, Key: key,
	}
}

var errQuery = errors.New("mcp: bad query")

// waitOf returns how long the client waits: "?wait=30", in seconds.
func waitOf(r *http.Request) (time.Duration, error) {
	text := cmp.Or(r.URL.Query().Get("wait"), "0")
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: `wait` is a number of seconds, not %.40q", errQuery, text)
	}
	return time.Duration(min(n, 3600)) * time.Second, nil
}

// file is POST /api/approvals.
func (s *Server) file(w http.ResponseWriter, r *http.Request, v visitor) {
	var in wanted
	c := v.caller
	wait, err := waitOf(r)
	if err == nil {
		err = body.JSON(r.Body, &in)
	}
	var st desk.Status
	if err == nil {
		st, err = s.cfg.Desk.File(r.Context(), c, in.on(r.Header.Get("Idempotency-Key")))
	}
	if err == nil && wait > 0 {
		st, err = s.cfg.Desk.Status(r.Context(), c, st.ID, wait)
	}
	s.told(w, r, v, st, err)
}

// status is GET /api/approvals/{id}.
func (s *Server) status(w http.ResponseWriter, r *http.Request, v visitor) {
	wait, err := waitOf(r)
	var st desk.Status
	if err == nil {
		st, err = s.cfg.Desk.Status(r.Context(), v.caller, r.PathValue("id"), wait)
	}
	s.told(w, r, v, st, err)
}

// withdraw is DELETE /api/approvals/{id}.
func (s *Server) withdraw(w http.ResponseWriter, r *http.Request, v visitor) {
	st, err := s.cfg.Desk.Withdraw(r.Context(), v.caller, r.PathValue("id"))
	s.told(w, r, v, st, err)
}

func (s *Server) told(w http.ResponseWriter, r *http.Request, v visitor, st desk.Status, err error) {
	switch {
	case err != nil:
		s.fail(w, r, v.caller.Lang, err)
	case st.State == desk.Pending:
		w.Header().Set("Location", "/api/approvals/"+st.ID)
		s.reply(w, http.StatusAccepted, st)
	default:
		s.reply(w, http.StatusOK, st)
	}
}

// keys is GET /api/approvals/key: public, so that anybody can check a receipt.
func (s *Server) keys(w http.ResponseWriter, r *http.Request) {
	k, err := s.cfg.Desk.Keys(r.Context())
	if err != nil {
		s.fail(w, r, "", err)
		return
	}
	s.reply(w, http.StatusOK, k)
}
