package slackfake

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// User is a person or bot of the workspace.
type User struct {
	ID, Name, RealName, Locale, TZ string
	Admin, Bot, Guest              bool
	Team                           string // of another workspace, for shared channels
	Mail                           string // e-mail address, shown with the scope users:read.email
	Deleted                        bool   // the account was closed
}

// Channel is a conversation. Ids start with C (channel), G (group) or D (direct message).
type Channel struct {
	ID, Name string
	Members  []string // user ids; the bot can post only where UBOT is one
	Archived bool
	Private  bool   // only members see it
	Shared   bool   // with another workspace (Slack Connect)
	Team     string // of an organisation: another workspace whose channel it is
}

type channel struct {
	Channel
	messages []*Message
}

// Message is a stored message.
type Message struct {
	TS, Thread, User, BotID, Subtype, Text string
	Blocks                                 json.RawMessage
	Metadata                               json.RawMessage
	Files                                  []string
	Reactions                              []string // emoji the bot put on it
	Edits                                  int
	Unfurl                                 bool // previews were not turned off
	Client                                 bool // its words were edited and are read as if a person had typed them
	UpdatedAt                              []time.Time
	Beside                                 map[string]any // further members, as "attachments"

	stream *stream // of a message that is or was streamed
}

// AddUser adds or replaces a person.
func (s *Server) AddUser(u User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[u.ID] = &u
}

// AddChannel adds or replaces a channel, keeping its messages.
func (s *Server) AddChannel(c Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := &channel{Channel: c}
	if old := s.channels[c.ID]; old != nil {
		ch.messages = old.messages
	}
	s.channels[c.ID] = ch
}

// Messages returns copies of a thread's messages, its root first, or with thread "" the channel's top-level
// messages.
func (s *Server) Messages(channel, thread string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	ch := s.channels[channel]
	if ch == nil {
		return nil
	}
	for _, m := range ch.messages {
		if m.Thread == thread && thread != "" || m.TS == thread || thread == "" && m.Thread == "" {
			out = append(out, m.copy())
		}
	}
	return out
}

// copy returns a copy of the message.
func (m *Message) copy() Message {
	c := *m
	if m.stream != nil {
		st := *m.stream
		st.items = slices.Clone(st.items)
		c.stream = &st
	}
	return c
}

// Replies returns the bot's present messages in a thread (or, with thread "", at the channel's top level).
func (s *Server) Replies(channel, thread string) []Message {
	all := s.Messages(channel, thread)
	return slices.DeleteFunc(all, func(m Message) bool { return m.BotID == "" })
}

// Message returns one message.
func (s *Server) Message(channel, ts string) (Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.message(channel, ts)
	if m == nil {
		return Message{}, false
	}
	return m.copy(), true
}

func (s *Server) message(channel, ts string) *Message {
	ch := s.channels[channel]
	if ch == nil {
		return nil
	}
	for _, m := range slices.Backward(ch.messages) { // most calls are about a late one
		if m.TS == ts {
			return m
		}
	}
	return nil
}

// Status returns the status line of a thread, "" when there is none.
func (s *Server) Status(channel, thread string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.status[channel+" "+thread]; s.opt.Now().Sub(l.at) < statusLife {
		return l.text
	}
	return ""
}

// Shown returns everything that a message shows, its blocks' texts joined.
func (m Message) Shown() string {
	if len(m.Blocks) == 0 || string(m.Blocks) == "null" {
		return m.Text
	}
	var b strings.Builder
	var v any
	if json.Unmarshal(m.Blocks, &v) == nil {
		collect(&b, v)
	}
	return strings.TrimSpace(b.String())
}

func collect(b *strings.Builder, v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			collect(b, x)
		}
	case map[string]any:
		if kind, _ := v["type"].(string); strings.HasPrefix(kind, "rich_text_") && kind != "rich_text_list" {
			b.WriteString(richLine(v) + "\n")
			return
		}
		switch t := v["text"].(type) {
		case string:
			b.WriteString(t + "\n")
		default:
			collect(b, t)
		}
		if t, ok := v["title"].(string); ok {
			b.WriteString(t + "\n")
		}
		for _, k := range []string{"fields", "elements", "accessory", "tasks", "details", "output", "positive_button", "negative_button"} {
			collect(b, v[k])
		}
	}
}

// richLine returns the joined text of a rich text element.
func richLine(v map[string]any) string {
	var b strings.Builder
	els, _ := v["elements"].([]any)
	for _, e := range els {
		piece, _ := e.(map[string]any)
		words, _ := piece["text"].(string)
		fallback, _ := piece["fallback"].(string) // of a date
		b.WriteString(words + fallback)
	}
	return b.String()
}

// Buttons returns the labels of a message's buttons.
func (m Message) Buttons() []string {
	var out []string
	for _, b := range buttonsOf(m.Blocks) {
		out = append(out, b.label)
	}
	return out
}

type buttonInfo struct{ label, action, value, block, url, kind string }

// choice is a clickable control: a button, or one side of feedback buttons.
type choice struct {
	Text struct {
		Text string `json:"text"`
	} `json:"text"`
	Value string `json:"value"`
}

func buttonsOf(blocks json.RawMessage) []buttonInfo {
	var out []buttonInfo
	for _, raw := range list(blocks) {
		b := object(raw)
		if kind := text(b["type"]); kind != "actions" && kind != "context_actions" {
			continue
		}
		for _, raw := range list(b["elements"]) {
			var e struct {
				choice
				Type     string `json:"type"`
				Action   string `json:"action_id"`
				URL      string `json:"url"`
				Positive choice `json:"positive_button"`
				Negative choice `json:"negative_button"`
			}
			if json.Unmarshal(raw, &e) != nil {
				continue
			}
			for _, side := range []choice{e.choice, e.Positive, e.Negative} {
				if side.Text.Text != "" {
					out = append(out, buttonInfo{label: side.Text.Text, action: e.Action, value: side.Value, block: text(b["block_id"]), url: e.URL, kind: e.Type})
				}
			}
		}
	}
	return out
}

// json returns the message as the Web API and events show it.
func (s *Server) json(m *Message, meta bool) map[string]any {
	out := map[string]any{"type": "message", "ts": m.TS, "user": m.User, "text": m.Text, "team": s.opt.Team}
	if m.Subtype != "" {
		out["subtype"] = m.Subtype
	}
	if m.Thread != "" {
		out["thread_ts"] = m.Thread
	}
	maps.Copy(out, m.Beside)
	if m.BotID != "" {
		out["bot_id"], out["app_id"] = m.BotID, "AMARU"
		out["bot_profile"] = map[string]any{"id": m.BotID, "name": "maru", "app_id": "AMARU", "team_id": s.opt.Team}
	}
	if len(m.Blocks) > 0 {
		out["blocks"] = m.Blocks
	}
	if m.Edits > 0 {
		out["edited"] = map[string]string{"user": m.User, "ts": m.TS}
	}
	if meta && len(m.Metadata) > 0 {
		out["metadata"] = m.Metadata
	}
	if len(m.Files) > 0 {
		var fs []any
		for _, id := range m.Files {
			fs = append(fs, s.eventFile(s.files[id]))
		}
		out["files"] = fs
	}
	return out
}
