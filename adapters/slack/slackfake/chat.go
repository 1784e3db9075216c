package slackfake

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// place checks that the bot may write in a channel.
func (s *Server) place(id string) (*channel, string) {
	ch := s.channels[id]
	switch {
	case ch == nil:
		return nil, "channel_not_found"
	case ch.Archived:
		return nil, "is_archived"
	case !slices.Contains(ch.Members, "UBOT"):
		return nil, "not_in_channel"
	}
	return ch, ""
}

// content validates a message's content, with at most this many characters of text.
func content(a args, most int) (json.RawMessage, string) {
	if a["blocks"] == "" && a["attachments"] == "" && strings.TrimSpace(a["text"]) == "" {
		return nil, "no_text"
	}
	if utf8.RuneCountInString(a["text"]) > most {
		return nil, "msg_too_long"
	}
	if a["markdown_text"] != "" && (a["text"] != "" || a["blocks"] != "") {
		return nil, "markdown_text_conflict"
	}
	if code := metadata(a); code != "" {
		return nil, code
	}
	if a["blocks"] == "" {
		return nil, ""
	}
	blocks := json.RawMessage(a["blocks"])
	return blocks, checkBlocks(blocks, false)
}

// metadata checks a message's metadata, if it has any.
func metadata(a args) string {
	var meta struct {
		Type    string         `json:"event_type"`
		Payload map[string]any `json:"event_payload"`
	}
	if m := a["metadata"]; m != "" && (json.Unmarshal([]byte(m), &meta) != nil || meta.Type == "" || meta.Payload == nil) {
		return "invalid_metadata_format"
	}
	return ""
}

// echo sends a message of the bot back as an event, as Slack does.
func (s *Server) echo(channel string, m *Message) {
	if s.opt.NoEcho {
		return
	}
	ev := s.json(m, false)
	ev["channel"], ev["event_ts"], ev["channel_type"] = channel, m.TS, channelType(channel)
	s.emitEvent(ev)
}

func (s *Server) postMessage(a args) (map[string]any, string) {
	ch, code := s.place(a["channel"])
	if code != "" {
		return nil, code
	}
	blocks, code := content(a, maxText)
	if code != "" {
		return nil, code
	}
	thread := a["thread_ts"]
	if thread != "" {
		root := s.message(ch.ID, thread)
		if root == nil || root.Thread != "" && root.Thread != root.TS {
			return nil, "thread_not_found"
		}
	}
	m := &Message{
		TS: s.ts(), Thread: thread, User: "UBOT", BotID: "BMARU", Text: a["text"], Blocks: blocks,
		Metadata: json.RawMessage(a["metadata"]), Unfurl: a["unfurl_links"] != "false" || a["unfurl_media"] != "false",
	}
	ch.messages = append(ch.messages, m)
	delete(s.status, ch.ID+" "+thread) // a message clears the status, as on Slack
	s.echo(ch.ID, m)
	return map[string]any{"channel": ch.ID, "ts": m.TS, "message": s.json(m, false)}, ""
}

func (s *Server) update(a args) (map[string]any, string) {
	ch, code := s.place(a["channel"])
	if code != "" {
		return nil, code
	}
	m := s.message(ch.ID, a["ts"])
	switch {
	case m == nil:
		return nil, "message_not_found"
	case m.BotID != "BMARU":
		return nil, "cant_update_message"
	}
	if s.expire(m); m.Streaming() {
		return nil, "streaming_state_conflict"
	}
	blocks, code := content(a, maxEdit)
	if code != "" {
		return nil, code
	}
	was := *m
	m.Client = a["parse"] != "none" && a["parse"] != "full"
	m.Text, m.Blocks, m.UpdatedAt = a["text"], blocks, append(slices.Clip(m.UpdatedAt), s.opt.Now())
	if a["metadata"] != "" {
		m.Metadata = json.RawMessage(a["metadata"])
	}
	m.Edits++
	if !s.opt.NoEcho {
		s.emitEvent(map[string]any{
			"type": "message", "subtype": "message_changed", "hidden": true, "channel": ch.ID, "channel_type": channelType(ch.ID),
			"ts": s.ts(), "message": s.json(m, false), "previous_message": s.json(&was, false),
		})
	}
	return map[string]any{"channel": ch.ID, "ts": m.TS, "text": m.Text}, ""
}

func (s *Server) delete(a args) (map[string]any, string) {
	ch, code := s.place(a["channel"])
	if code != "" {
		return nil, code
	}
	m := s.message(ch.ID, a["ts"])
	switch {
	case m == nil:
		return nil, "message_not_found"
	case m.BotID != "BMARU":
		return nil, "cant_delete_message"
	}
	ch.messages = slices.DeleteFunc(ch.messages, func(x *Message) bool { return x == m })
	return map[string]any{"channel": ch.ID, "ts": m.TS}, ""
}

// Whisper is an ephemeral message.
type Whisper struct {
	User, Channel, Thread, Text string
	Blocks                      json.RawMessage
	Via                         string // "ephemeral", "response_url" or "ack"
	Hidden                      bool   // in a thread without replies, where Slack does not show it
}

// Shown returns everything that the whisper shows.
func (w Whisper) Shown() string { return Message{Text: w.Text, Blocks: w.Blocks}.Shown() }

// Whispers returns a person's ephemeral messages, or all for "".
func (s *Server) Whispers(user string) []Whisper {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.whispers), func(w Whisper) bool { return user != "" && w.User != user })
}

func (s *Server) postEphemeral(a args) (map[string]any, string) {
	ch, code := s.place(a["channel"])
	if code != "" {
		return nil, code
	}
	if !slices.Contains(ch.Members, a["user"]) {
		return nil, "user_not_in_channel"
	}
	blocks, code := content(a, maxText)
	if code != "" {
		return nil, code
	}
	s.whispers = append(s.whispers, Whisper{User: a["user"], Channel: ch.ID, Thread: a["thread_ts"], Text: a["text"], Blocks: blocks, Via: "ephemeral", Hidden: s.idle(ch, a["thread_ts"])})
	return map[string]any{"message_ts": s.ts()}, ""
}

// idle reports whether a thread has no reply; s.mu is held.
func (s *Server) idle(ch *channel, thread string) bool {
	return thread != "" && ch != nil && !slices.ContainsFunc(ch.messages, func(m *Message) bool { return m.Thread == thread && m.TS != thread })
}

func (s *Server) permalink(a args) (map[string]any, string) {
	if s.message(a["channel"], a["message_ts"]) == nil {
		return nil, "message_not_found"
	}
	return map[string]any{"channel": a["channel"], "permalink": s.base + "/archives/" + a["channel"] + "/p" + strings.ReplaceAll(a["message_ts"], ".", "")}, ""
}

// statusLife is the lifetime of a status without a following message.
const statusLife = 2 * time.Minute

// statusLine is the status under the bot's name in a thread.
type statusLine struct {
	text string
	at   time.Time
}

func (s *Server) setStatus(a args) (map[string]any, string) {
	ch, code := s.place(a["channel_id"])
	if code != "" {
		return nil, code
	}
	_, said := a["status"]
	switch {
	case s.message(ch.ID, a["thread_ts"]) == nil:
		return nil, "invalid_thread_ts"
	case !said:
		return nil, "invalid_arguments: missing required field: status"
	case utf8.RuneCountInString(a["status"]) > 100, len(list(json.RawMessage(a["loading_messages"]))) > 10:
		return nil, "invalid_arguments: status"
	}
	s.status[ch.ID+" "+a["thread_ts"]] = statusLine{text: a["status"], at: s.opt.Now()}
	return nil, ""
}

func (s *Server) reactionAdd(a args) (map[string]any, string) {
	m := s.message(a["channel"], a["timestamp"])
	switch {
	case m == nil:
		return nil, "message_not_found"
	case slices.Contains(m.Reactions, a["name"]):
		return nil, "already_reacted"
	}
	m.Reactions = append(slices.Clone(m.Reactions), a["name"])
	return nil, ""
}

func (s *Server) reactionRemove(a args) (map[string]any, string) {
	m := s.message(a["channel"], a["timestamp"])
	switch {
	case m == nil:
		return nil, "message_not_found"
	case !slices.Contains(m.Reactions, a["name"]):
		return nil, "no_reaction"
	}
	m.Reactions = slices.DeleteFunc(slices.Clone(m.Reactions), func(r string) bool { return r == a["name"] })
	return nil, ""
}

func channelType(id string) string {
	switch id[0] {
	case 'D':
		return "im"
	case 'G':
		return "group"
	}
	return "channel"
}
