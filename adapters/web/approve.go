package web

import (
	"context"
	"errors"
	"net/http"

	"maru/bot"
	"maru/phrase/fit"
)

// rulingJSON is a decision on a run's question. action is one of the question's verbs;
// "approve" and "reject" work for every question that has them.
type rulingJSON struct {
	Approval   string            `json:"approval"` // optional if only one question is open
	Action     string            `json:"action"`
	Text       string            `json:"text"`
	Values     map[string]string `json:"values"`
	Suggestion string            `json:"suggestion"`
}

// ruledJSON is the result, or the error.
type ruledJSON struct {
	bot.Ruled

	Error *errorJSON `json:"error,omitempty"`
}

type errorJSON struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// apiApprove decides a run's question. The caller is authenticated by session cookie or
// bearer token; the bot checks their permission.
func (d *door) apiApprove(w http.ResponseWriter, r *http.Request) {
	var in rulingJSON
	if err := decode(r, &in); err != nil {
		d.fail(w, r, err)
		return
	}
	run := r.PathValue("run")
	if !idForm.MatchString(run) || in.Action == "" || len(in.Action) > 64 || len(in.Approval) > 200 {
		d.fail(w, r, refusal{http.StatusBadRequest, "bad_request"})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), actionTime)
	defer cancel()
	v := visitOf(r)
	ruled, err := d.desk.Rule(ctx, bot.Ruling{
		Run: run, Approval: in.Approval, Action: in.Action, Text: fit.Clean(in.Text), Values: in.Values, Suggestion: in.Suggestion,
		Thread: v.place(d), User: v.user(),
	})
	var told *bot.Error
	if errors.As(err, &told) && ruled.Approval != "" {
		reply(w, statusOf(told.Code), ruledJSON{ruled, &errorJSON{string(told.Code), told.Text(v.Lang)}})
		return
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, ruledJSON{Ruled: ruled})
}
