package slackfake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

type trigger struct {
	at   time.Time
	used bool
}

// response is a response_url.
type response struct {
	user, channel string
	born          time.Time
	used          int
}

// Say posts a person's message, in a thread or, with thread "", in the channel, and returns its ts. A message that
// mentions the bot is delivered twice, as on Slack: as message and as app_mention.
func (s *Server) Say(user, channel, text, thread string) string {
	return s.SayFiles(user, channel, text, thread)
}

// SayFiles is Say with files from AddFile.
func (s *Server) SayFiles(user, channel, text, thread string, files ...string) string {
	return s.say(channel, &Message{Thread: thread, User: user, Text: text, Files: files})
}

// SayBeside is Say with further fields, such as "attachments".
func (s *Server) SayBeside(user, channel, text string, members map[string]any) string {
	return s.say(channel, &Message{User: user, Text: text, Beside: members})
}

func (s *Server) say(channel string, m *Message) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[channel]
	if ch == nil {
		panic("slackfake: no channel " + channel)
	}
	m.TS = s.ts()
	for _, id := range m.Files {
		if f := s.files[id]; f != nil {
			f.User = first(f.User, m.User)
		}
	}
	if len(m.Files) > 0 {
		m.Subtype = "file_share"
	}
	m.Blocks = richText(m.Text)
	ch.messages = append(ch.messages, m)
	s.touch()
	if !slices.Contains(ch.Members, "UBOT") {
		return m.TS
	}
	ev := s.json(m, false)
	ev["channel"], ev["event_ts"], ev["channel_type"], ev["action_token"] = channel, m.TS, channelType(channel), s.grant(m)
	s.emitEvent(ev)
	if strings.Contains(m.Text, "<@UBOT>") && !isDirect(channel) {
		s.emitEvent(s.mention(m, channel))
	}
	return m.TS
}

// mention returns the app_mention event of a message.
func (s *Server) mention(m *Message, channel string) map[string]any {
	ev := s.json(m, false)
	ev["type"], ev["channel"], ev["event_ts"], ev["action_token"] = "app_mention", channel, m.TS, s.grant(m)
	delete(ev, "subtype")
	return ev
}

func richText(text string) json.RawMessage {
	return mustJSON([]any{map[string]any{"type": "rich_text", "block_id": "b", "elements": []any{
		map[string]any{"type": "rich_text_section", "elements": []any{map[string]any{"type": "text", "text": text}}},
	}}})
}

// Rewrite edits a person's message.
func (s *Server) Rewrite(channel, ts, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.message(channel, ts)
	if m == nil {
		panic("slackfake: no message " + ts)
	}
	was := *m
	m.Text, m.Blocks = text, richText(text)
	m.Edits++
	s.emitEvent(map[string]any{
		"type": "message", "subtype": "message_changed", "hidden": true, "channel": channel, "channel_type": channelType(channel),
		"ts": s.ts(), "message": s.json(m, false), "previous_message": s.json(&was, false),
	})
}

// Erase deletes a message of any author.
func (s *Server) Erase(channel, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m := s.channels[channel], s.message(channel, ts)
	if m == nil {
		panic("slackfake: no message " + ts)
	}
	ch.messages = slices.DeleteFunc(ch.messages, func(x *Message) bool { return x == m })
	s.emitEvent(map[string]any{
		"type": "message", "subtype": "message_deleted", "hidden": true, "channel": channel, "channel_type": channelType(channel),
		"ts": s.ts(), "deleted_ts": ts, "previous_message": s.json(m, false),
	})
}

// Slash gives a command as a person, such as Slash("U1", "C1", "/maru", "help"), and returns the envelope's id.
func (s *Server) Slash(user, channel, command, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := "general"
	if isDirect(channel) {
		name = "directmessage"
	}
	d := &Delivery{Kind: "slash_commands", user: user, channel: channel}
	d.Payload = mustJSON(map[string]string{
		"token": "verification", "team_id": s.opt.Team, "team_domain": "fake", "channel_id": channel, "channel_name": name,
		"user_id": user, "user_name": s.userName(user), "command": command, "text": text, "api_app_id": "AMARU",
		"is_enterprise_install": "false", "response_url": s.responseURL(user, channel), "trigger_id": s.trigger(),
	})
	return s.emit(d)
}

// Click clicks a message's button as a person, by its label or action_id, and returns the envelope's id.
func (s *Server) Click(user, channel, ts, button string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.message(channel, ts)
	if m == nil {
		return "", fmt.Errorf("slackfake: no message %s in %s", ts, channel)
	}
	for _, b := range buttonsOf(m.Blocks) {
		if b.label == button || b.action == button {
			payload := s.clicked(user, channel, b)
			payload["container"] = map[string]any{"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": false, "thread_ts": first(m.Thread, m.TS)}
			payload["message"] = s.json(m, false)
			return s.emit(&Delivery{Kind: "interactive", user: user, Payload: mustJSON(payload)}), nil
		}
	}
	return "", fmt.Errorf("slackfake: message %s has no button %q", ts, button)
}

// ClickWhisper clicks a button of a person's newest ephemeral message that has it, by its label. Slack then sends no message along.
func (s *Server) ClickWhisper(user, label string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range slices.Backward(s.whispers) {
		if w.User != user {
			continue
		}
		for _, b := range buttonsOf(w.Blocks) {
			if b.label == label {
				payload := s.clicked(user, w.Channel, b)
				payload["container"] = map[string]any{"type": "message", "message_ts": s.ts(), "channel_id": w.Channel, "is_ephemeral": true}
				return s.emit(&Delivery{Kind: "interactive", user: user, Payload: mustJSON(payload)}), nil
			}
		}
	}
	return "", fmt.Errorf("slackfake: no ephemeral message to %s has a button %q", user, label)
}

// clicked returns the payload of a click without its container; s.mu is held.
func (s *Server) clicked(user, channel string, b buttonInfo) map[string]any {
	return map[string]any{
		"type": "block_actions", "team": map[string]any{"id": s.opt.Team, "domain": "fake"}, "api_app_id": "AMARU", "token": "verification",
		"user":       map[string]any{"id": user, "username": s.userName(user), "name": s.userName(user), "team_id": s.opt.Team},
		"channel":    map[string]any{"id": channel, "name": "general"},
		"trigger_id": s.trigger(), "response_url": s.responseURL(user, channel), "state": map[string]any{"values": map[string]any{}},
		"actions": []any{map[string]any{
			"type": b.kind, "action_id": b.action, "block_id": first(b.block, "blk"), "value": b.value,
			"text": map[string]any{"type": "plain_text", "text": b.label}, "action_ts": s.ts(),
		}},
	}
}

// GlobalShortcut uses a global shortcut as a person.
func (s *Server) GlobalShortcut(user, callback string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &Delivery{Kind: "interactive", user: user}
	d.Payload = mustJSON(map[string]any{
		"type": "shortcut", "callback_id": callback, "team": map[string]any{"id": s.opt.Team}, "api_app_id": "AMARU", "token": "verification",
		"user": map[string]any{"id": user, "username": s.userName(user), "team_id": s.opt.Team}, "trigger_id": s.trigger(), "action_ts": s.ts(),
	})
	return s.emit(d)
}

// Shortcut uses a message shortcut as a person.
func (s *Server) Shortcut(user, channel, ts, callback string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.message(channel, ts)
	if m == nil {
		panic("slackfake: no message " + ts)
	}
	d := &Delivery{Kind: "interactive", user: user}
	d.Payload = mustJSON(map[string]any{
		"type": "message_action", "callback_id": callback, "team": map[string]any{"id": s.opt.Team}, "api_app_id": "AMARU",
		"user": map[string]any{"id": user, "name": s.userName(user)}, "channel": map[string]any{"id": channel, "name": "general"},
		"message_ts": ts, "message": s.json(m, false), "trigger_id": s.trigger(), "response_url": s.responseURL(user, channel),
		"action_ts": s.ts(), "token": "verification", "is_enterprise_install": false,
	})
	return s.emit(d)
}

func (s *Server) userName(id string) string {
	if u := s.users[id]; u != nil {
		return u.Name
	}
	return ""
}

func (s *Server) trigger() string {
	id := s.id("trigger.")
	s.triggers[id] = trigger{at: s.opt.Now()}
	return id
}

func (s *Server) responseURL(user, channel string) string {
	id := s.id("r")
	s.replies[id] = &response{user: user, channel: channel, born: s.opt.Now()}
	return s.base + "/response/" + id
}

var errUsed = errors.New("used_url")

// serveResponse handles answers through a response_url: five within half an hour.
func (s *Server) serveResponse(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	s.mu.Lock()
	defer s.mu.Unlock()
	res := s.replies[strings.TrimPrefix(r.URL.Path, "/response/")]
	code := ""
	var body struct {
		Text   string          `json:"text"`
		Blocks json.RawMessage `json:"blocks"`
		Thread string          `json:"thread_ts"`
	}
	switch {
	case err != nil || json.Unmarshal(raw, &body) != nil:
		code = "invalid_payload"
	case res == nil || s.opt.Now().Sub(res.born) > 30*time.Minute:
		code = "expired_url"
	case res.used >= 5:
		code = errUsed.Error()
	case len(body.Blocks) > 0 && string(body.Blocks) != "null":
		code = checkBlocks(body.Blocks, false)
	case body.Text == "":
		code = "no_text"
	}
	s.record(Call{Method: "response_url", Args: args{"text": body.Text, "blocks": string(body.Blocks)}, Status: http.StatusOK, Error: code, At: s.opt.Now()})
	if code != "" {
		http.Error(w, `{"ok":false,"error":"`+code+`"}`, http.StatusNotFound)
		return
	}
	res.used++
	s.whispers = append(s.whispers, Whisper{
		User: res.user, Channel: res.channel, Thread: body.Thread, Text: body.Text, Blocks: body.Blocks, Via: "response_url",
		Hidden: s.idle(s.channels[res.channel], body.Thread),
	})
	s.touch()
	_, _ = io.WriteString(w, "ok")
}

// SayByApp posts a message of another app with these members and returns its ts. No event of it is sent.
func (s *Server) SayByApp(channel, thread string, members map[string]any) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &Message{TS: s.ts(), Thread: thread, Subtype: "bot_message", Beside: members}
	s.channels[channel].messages = append(s.channels[channel].messages, m)
	return m.TS
}
