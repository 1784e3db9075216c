package slackfake

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"unicode/utf8"
)

// View is a form that the bot opened, or a person's Home.
type View struct {
	ID     string
	Body   json.RawMessage
	Open   bool
	User   string            // of a Home
	Errors map[string]string // shown at the fields
}

// LastView returns the view that was opened last.
func (s *Server) LastView() (View, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last *View
	for _, v := range s.views {
		if last == nil || v.ID > last.ID {
			last = v
		}
	}
	if last == nil {
		return View{}, false
	}
	return *last, true
}

// hash changes with the view's content.
func (v *View) hash() string { return fmt.Sprintf("%x", crc32.ChecksumIEEE(v.Body)) }

// has reports whether the view has a block of that id.
func (v *View) has(block string) bool {
	for _, b := range list(object(v.Body)["blocks"]) {
		if text(object(b)["block_id"]) == block {
			return true
		}
	}
	return false
}

func (s *Server) viewOpen(a args) (map[string]any, string) {
	t, ok := s.triggers[a["trigger_id"]]
	switch {
	case !ok:
		return nil, "invalid_trigger_id"
	case t.used:
		return nil, "exchanged_trigger_id"
	case s.opt.Now().Sub(t.at) > s.opt.Patience:
		return nil, "expired_trigger_id"
	}
	v := &View{ID: s.id("V"), Open: true}
	if code := s.setView(v, json.RawMessage(a["view"])); code != "" {
		return nil, code
	}
	s.triggers[a["trigger_id"]] = trigger{at: t.at, used: true}
	s.views[v.ID] = v
	return map[string]any{"view": s.viewJSON(v, nil)}, ""
}

func (s *Server) viewUpdate(a args) (map[string]any, string) {
	v := s.views[a["view_id"]]
	switch {
	case v == nil:
		return nil, "not_found"
	case a["hash"] != "" && a["hash"] != v.hash():
		return nil, "hash_conflict"
	}
	if code := s.setView(v, json.RawMessage(a["view"])); code != "" {
		return nil, code
	}
	return map[string]any{"view": s.viewJSON(v, nil)}, ""
}

func (s *Server) viewPublish(a args) (map[string]any, string) {
	if s.users[a["user_id"]] == nil {
		return nil, "user_not_found"
	}
	v := &View{ID: "H" + a["user_id"], User: a["user_id"], Body: json.RawMessage(a["view"])}
	o := object(v.Body)
	c := &checker{}
	c.fields("home", o, "type", "blocks", "private_metadata", "callback_id", "external_id")
	switch {
	case len(v.Body) > maxView:
		return nil, "view_too_large"
	case s.views[v.ID] != nil && a["hash"] != "" && a["hash"] != s.views[v.ID].hash():
		return nil, "hash_conflict"
	}
	if text(o["type"]) != "home" {
		c.fail("view type %q, want home", text(o["type"]))
	}
	if n := len(list(o["blocks"])); n < 1 || n > 100 {
		c.fail("home: %d blocks, 1 to 100", n)
	}
	if c.err != "" {
		return nil, "invalid_arguments: " + c.err
	}
	if code := checkBlocks(object(v.Body)["blocks"], true); code != "" {
		return nil, code
	}
	s.views[v.ID] = v
	return map[string]any{"view": s.viewJSON(v, nil)}, ""
}

// setView checks a modal and shows it; s.mu is held.
func (s *Server) setView(v *View, raw json.RawMessage) string {
	o := object(raw)
	if o == nil || text(o["type"]) != "modal" {
		return "invalid_arguments: view type"
	}
	if len(raw) > maxView {
		return "view_too_large"
	}
	if id := text(o["external_id"]); id != "" {
		for _, other := range s.views {
			if other != v && text(object(other.Body)["external_id"]) == id {
				return "duplicate_external_id"
			}
		}
	}
	c := &checker{modal: true, blockIDs: map[string]bool{}, actions: map[string]bool{}}
	c.fields("view", o, "title", "submit", "close", "blocks", "callback_id", "private_metadata", "notify_on_close", "clear_on_close", "external_id", "submit_disabled")
	for _, k := range []string{"title", "submit", "close"} {
		if o[k] != nil || k == "title" {
			c.textObject(k, o[k], "plain_text", 24)
		}
	}
	c.length("private_metadata", text(o["private_metadata"]), 0, 3000)
	c.length("callback_id", text(o["callback_id"]), 0, maxID)
	inputs := false
	for _, b := range list(o["blocks"]) {
		inputs = inputs || text(object(b)["type"]) == "input"
	}
	if inputs && o["submit"] == nil {
		c.fail("a view with inputs needs submit")
	}
	if c.err != "" {
		return "invalid_arguments: " + c.err
	}
	if code := checkBlocks(o["blocks"], true); code != "" {
		return "invalid_arguments: " + code
	}
	v.Body, v.Errors = raw, nil
	return ""
}

func (s *Server) viewJSON(v *View, values map[string]string) map[string]any {
	o := object(v.Body)
	state := map[string]any{}
	for _, b := range list(o["blocks"]) {
		bo := object(b)
		id, el := text(bo["block_id"]), object(bo["element"])
		kind := text(el["type"])
		if id == "" || kind == "" {
			continue
		}
		given, touched := values[id]
		if !touched { // an untouched input keeps its initial value
			given = first(text(el["initial_value"]), text(object(el["initial_option"])["value"]))
		}
		var val any
		if given != "" {
			val = given
		}
		entry := map[string]any{"type": kind, "value": val}
		if kind == "static_select" {
			entry = map[string]any{"type": kind, "selected_option": nil}
			if val != nil {
				entry["selected_option"] = map[string]any{"value": val, "text": map[string]any{"type": "plain_text", "text": val}}
			}
		}
		if kind == "multi_static_select" {
			entry = map[string]any{"type": kind, "selected_options": selected(el, given, touched)}
		}
		if kind == "multi_users_select" {
			users := list(el["initial_users"])
			if touched {
				users = nil
				for _, u := range strings.FieldsFunc(given, func(r rune) bool { return r == ',' || r == ' ' }) {
					users = append(users, mustJSON(u))
				}
			}
			entry = map[string]any{"type": kind, "selected_users": append([]json.RawMessage{}, users...)}
		}
		state[id] = map[string]any{text(el["action_id"]): entry}
	}
	return map[string]any{
		"id": v.ID, "team_id": s.opt.Team, "type": "modal", "blocks": o["blocks"], "private_metadata": text(o["private_metadata"]),
		"callback_id": text(o["callback_id"]), "state": map[string]any{"values": state}, "title": o["title"], "app_id": "AMARU", "bot_id": "BMARU", "hash": v.hash(),
	}
}

// selected returns the selected options of a menu, by their comma-separated values, or its initial ones.
func selected(el map[string]json.RawMessage, given string, touched bool) []any {
	out := []any{}
	if !touched {
		for _, o := range list(el["initial_options"]) {
			out = append(out, o)
		}
		return out
	}
	for v := range strings.SplitSeq(given, ",") {
		for _, o := range list(el["options"]) {
			if text(object(o)["value"]) == strings.TrimSpace(v) {
				out = append(out, o)
			}
		}
	}
	return out
}

// Home returns a person's Home.
func (s *Server) Home(user string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.views["H"+user]; v != nil {
		return Message{Blocks: object(v.Body)["blocks"]}.Shown()
	}
	return ""
}

// ClickHome clicks a button of a person's Home, by its label.
func (s *Server) ClickHome(user, label string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views["H"+user]
	if v == nil {
		return "", fmt.Errorf("slackfake: %s has no Home", user)
	}
	for _, b := range buttonsOf(object(v.Body)["blocks"]) {
		if b.label != label {
			continue
		}
		d := &Delivery{Kind: "interactive", user: user}
		d.Payload = mustJSON(map[string]any{
			"type": "block_actions", "team": map[string]any{"id": s.opt.Team, "domain": "fake"}, "api_app_id": "AMARU", "token": "verification",
			"user":       map[string]any{"id": user, "username": s.userName(user), "team_id": s.opt.Team},
			"container":  map[string]any{"type": "view", "view_id": v.ID},
			"view":       map[string]any{"id": v.ID, "type": "home", "team_id": s.opt.Team},
			"trigger_id": s.trigger(),
			"actions": []any{map[string]any{
				"type": b.kind, "action_id": b.action, "block_id": first(b.block, "blk"), "value": b.value,
				"text": map[string]any{"type": "plain_text", "text": b.label}, "action_ts": s.ts(),
			}},
		})
		return s.emit(d), nil
	}
	return "", fmt.Errorf("slackfake: the Home of %s has no button %q", user, label)
}

// Submit submits an open form as a person, with values by block_id.
func (s *Server) Submit(user, view string, values map[string]string) (string, error) {
	return s.viewEvent("view_submission", user, view, values)
}

// CloseView closes a form as a person without submitting it.
func (s *Server) CloseView(user, view string) (string, error) {
	return s.viewEvent("view_closed", user, view, nil)
}

func (s *Server) viewEvent(kind, user, view string, values map[string]string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[view]
	if v == nil || !v.Open {
		return "", fmt.Errorf("slackfake: view %q is not open", view)
	}
	for id := range values {
		if !v.has(id) {
			return "", fmt.Errorf("slackfake: view has no block %q", id)
		}
		if utf8.RuneCountInString(values[id]) > 3000 {
			return "", errors.New("slackfake: value is longer than people can type")
		}
	}
	d := &Delivery{Kind: "interactive", user: user, view: view}
	payload := map[string]any{
		"type": kind, "team": map[string]any{"id": s.opt.Team, "domain": "fake"}, "api_app_id": "AMARU",
		"user": map[string]any{"id": user, "username": s.userName(user), "name": s.userName(user), "team_id": s.opt.Team},
		"view": s.viewJSON(v, values),
	}
	if kind == "view_submission" {
		payload["trigger_id"] = s.trigger()
	} else {
		payload["is_cleared"] = false
		v.Open = false
	}
	d.Payload = mustJSON(payload)
	return s.emit(d), nil
}
