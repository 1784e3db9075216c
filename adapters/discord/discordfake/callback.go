package discordfake

import (
	"fmt"
	"net/http"
	"strconv"
)

// The kinds of interactions that their answers depend on.
const (
	kindControl      = 3
	kindCompletion   = 4
	kindForm         = 5
	answerDeferred   = 5
	answerSilent     = 6
	answerUpdate     = 7
	answerCompletion = 8
	answerForm       = 9
)

// misfit returns why a first answer is invalid for this interaction, "" if it is valid.
func (i *Interaction) misfit(body map[string]any) string {
	kind, _ := body["type"].(float64)
	data, _ := body["data"].(map[string]any)
	flags, _ := data["flags"].(float64)
	updates := i.typ == kindControl || i.typ == kindForm && i.onMessage
	switch k := int(kind); {
	case (k == answerCompletion) != (i.typ == kindCompletion):
		return "an autocompletion is answered with choices, and nothing else is"
	case (k == answerSilent || k == answerUpdate) && !updates:
		return "only what comes from a message's control can update it"
	case k == answerForm && i.typ == kindForm:
		return "a form cannot be answered with a form"
	case k == answerDeferred && int(flags)&^64 != 0:
		return "a deferred answer has no flag but EPHEMERAL"
	}
	return ""
}

// accept applies a first answer.
func (f *Fake) accept(i *Interaction, body map[string]any) {
	i.Answered = f.now()
	kind, _ := body["type"].(float64)
	i.Kind = int(kind)
	i.Data, _ = body["data"].(map[string]any)
	if i.Kind == 4 || i.Kind == 5 {
		m := &Message{ID: f.id(), Author: f.botID, At: f.now()}
		if i.Data != nil {
			m.Content, _ = i.Data["content"].(string)
			flags, _ := i.Data["flags"].(float64)
			m.Flags, m.Ephemeral = int(flags), int(flags)&64 != 0
			m.Components, _ = i.Data["components"].([]any)
		}
		i.Original = m
	}
}

// interaction returns that of the request's token, if it lives.
func (q *request) interaction() *Interaction {
	i := q.f.interactions[q.vars[1]]
	if i == nil || i.Expired || i.Answered.IsZero() {
		q.fail(http.StatusNotFound, unknownWebhook, "Unknown Webhook")
		return nil
	}
	return i
}

func (q *request) postCallback() {
	i := q.f.interactions[q.vars[1]]
	switch {
	case i == nil || i.ID != q.vars[0] || q.f.now().Sub(i.Sent) > q.f.cfg.Patience:
		q.fail(http.StatusNotFound, 10062, "Unknown interaction")
		return
	case !i.Answered.IsZero():
		q.fail(http.StatusBadRequest, 40060, "Interaction has already been acknowledged.")
		return
	case !q.only("type", "data"):
		return
	}
	if why := i.misfit(q.body); why != "" {
		q.invalid(why)
		return
	}
	kind, _ := q.body["type"].(float64)
	data, _ := q.body["data"].(map[string]any)
	switch int(kind) {
	case 4:
		if !q.checkBody(data, true) {
			return
		}
	case 9:
		if why := checkModal(data); why != "" {
			q.invalid(why)
			return
		}
	case 8:
		if why := checkOffers(data); why != "" {
			q.invalid(why)
			return
		}
	case 5, 6:
	default:
		q.invalid(fmt.Sprintf("callback type %v", kind))
		return
	}
	q.f.accept(i, q.body)
	q.none()
}

// checkModal validates a form against Discord's limits.
func checkModal(d map[string]any) string {
	id, _ := d["custom_id"].(string)
	title, _ := d["title"].(string)
	list, _ := d["components"].([]any)
	switch {
	case runes(id) < 1 || runes(id) > 100:
		return "modal custom_id"
	case runes(title) < 1 || runes(title) > 45:
		return "modal title"
	case len(list) < 1 || len(list) > 5:
		return "modal has not 1 to 5 inputs"
	}
	ids := map[string]bool{}
	for _, x := range list {
		l, _ := x.(map[string]any)
		if why := checkControl(l["component"], ids); why != "" {
			return why
		}
		label, _ := l["label"].(string)
		hint, _ := l["description"].(string)
		if l["type"] != 18.0 || runes(label) < 1 || runes(label) > 45 || runes(hint) > 100 || l["component"] == nil {
			return "modal label " + label
		}
	}
	return ""
}

// checkControl validates a labelled control of a form against Discord's limits.
func checkControl(v any, ids map[string]bool) string {
	el, _ := v.(map[string]any)
	id, _ := el["custom_id"].(string)
	switch el["type"] {
	case 3.0:
		return checkSelect(el, ids)
	case 7.0:
		return checkPicker(el, ids)
	case 4.0:
		value, _ := el["value"].(string)
		style, _ := el["style"].(float64)
		least, _ := el["min_length"].(float64)
		most, given := el["max_length"].(float64)
		if !given {
			most = 4000
		}
		if style != 1 && style != 2 || least < 0 || most < 1 || most > 4000 || least > most || runes(value) > int(most) {
			return "text input " + id
		}
		return checkID(id, ids)
	}
	return fmt.Sprintf("a form's component of type %v", el["type"])
}

// checkPicker validates a menu of people and roles against Discord's limits.
func checkPicker(el map[string]any, ids map[string]bool) string {
	id, _ := el["custom_id"].(string)
	least, most := wholeOf(el, "min_values", 1), wholeOf(el, "max_values", 1)
	chosen, _ := el["default_values"].([]any)
	if least < 0 || least > 25 || most < 1 || most > 25 || least > most || len(chosen) > most || el["options"] != nil || least == 0 && el["required"] != false {
		return "a menu of people " + id
	}
	for _, c := range chosen {
		one, _ := c.(map[string]any)
		who, _ := one["id"].(string)
		if n, err := strconv.ParseUint(who, 10, 64); err != nil || n == 0 || one["type"] != "user" && one["type"] != "role" {
			return fmt.Sprintf("default value %v", one)
		}
	}
	return checkID(id, ids)
}

func (q *request) postFollowUp() {
	i := q.interaction()
	if i == nil || !q.checkMessage(true) {
		return
	}
	m := &Message{ID: q.f.id(), Author: q.f.botID, At: q.f.now()}
	q.fill(m)
	m.Files = q.storeFiles()
	i.FollowUps = append(i.FollowUps, *m)
	q.ok(q.f.messageJSON(m, false))
}

func (q *request) getOriginal() {
	if i := q.interaction(); i != nil && i.Original != nil {
		q.ok(q.f.messageJSON(i.Original, false))
	}
}

func (q *request) patchOriginal() {
	i := q.interaction()
	if i == nil || !q.checkMessage(false) {
		return
	}
	if i.Original == nil {
		q.fail(http.StatusNotFound, unknownMessage, "Unknown Message")
		return
	}
	if !q.checkChange(i.Original) {
		return
	}
	ephemeral := i.Original.Ephemeral
	q.fill(i.Original)
	i.Original.Edits++
	i.Original.Ephemeral = ephemeral
	q.ok(q.f.messageJSON(i.Original, false))
}

func (q *request) deleteOriginal() {
	i := q.interaction()
	if i == nil {
		return
	}
	i.Original = nil
	q.none()
}
