package slackfake

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

var sessionStates = []string{"active", "processing", "suspended", "closed"}

// Session is the state of an agent session in a thread.
type Session struct{ Status, Title string }

// Session returns the agent session of a thread.
func (s *Server) Session(channel, thread string) Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.session(channel, thread)
}

// session returns the session of a thread, made if need be; s.mu is held.
func (s *Server) session(channel, thread string) *Session {
	key := channel + " " + thread
	if s.sessions[key] == nil {
		s.sessions[key] = &Session{}
	}
	return s.sessions[key]
}

// Prompt is a suggested prompt.
type Prompt struct {
	Title   string `json:"title"`
	Message string `json:"message"`
}

// Prompts returns the prompts that are suggested in a channel, or in a thread
// of the older assistant experience.
func (s *Server) Prompts(channel, thread string) []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.prompts[channel+" "+thread])
}

func (s *Server) sessionStatus(a args) (map[string]any, string) {
	ch, code := s.place(a["channel_id"])
	if code != "" {
		return nil, code
	}
	switch {
	case s.message(ch.ID, a["thread_ts"]) == nil:
		return nil, "thread_not_found"
	case !slices.Contains(sessionStates, a["status"]):
		return nil, "invalid_arguments: status"
	case utf8.RuneCountInString(a["title"]) > 200:
		return nil, "invalid_arguments: title"
	case a["initiator_user_id"] != "" && !slices.Contains(ch.Members, a["initiator_user_id"]):
		return nil, "user_not_in_channel"
	}
	se := s.session(ch.ID, a["thread_ts"])
	if se.Status == "" {
		se.Title = a["title"]
	}
	se.Status = a["status"]
	delete(s.status, ch.ID+" "+a["thread_ts"]) // both write one line: the last wins
	out := map[string]any{"status": se.Status, "agent_status": se.Status, "title": se.Title}
	if s.opt.NoStop {
		out["warning"] = "missing_agent_session_stopped_event_subscription"
		out["response_metadata"] = map[string]any{"warnings": []string{"missing_agent_session_stopped_event_subscription"}}
	}
	return out, ""
}

func (s *Server) sessionRename(a args) (map[string]any, string) {
	ch, code := s.place(a["channel_id"])
	if code != "" {
		return nil, code
	}
	se := s.session(ch.ID, a["thread_ts"])
	switch n := utf8.RuneCountInString(a["title"]); {
	case se.Status == "":
		return nil, "session_not_found"
	case n < 1 || n > 200:
		return nil, "invalid_arguments: title"
	}
	se.Title = a["title"]
	return map[string]any{"title": se.Title}, ""
}

// setTitle sets titles of direct-message threads.
func (s *Server) setTitle(a args) (map[string]any, string) {
	ch, code := s.place(a["channel_id"])
	switch {
	case code != "":
		return nil, code
	case !isDirect(ch.ID):
		return nil, "channel_not_supported"
	case s.message(ch.ID, a["thread_ts"]) == nil:
		return nil, "invalid_thread_ts"
	case utf8.RuneCountInString(a["title"]) > 255:
		return nil, "invalid_arguments: title"
	}
	s.session(ch.ID, a["thread_ts"]).Title = a["title"]
	return nil, ""
}

func (s *Server) setPrompts(a args) (map[string]any, string) {
	ch, code := s.place(a["channel_id"])
	var prompts []Prompt
	switch {
	case code != "":
		return nil, code
	case !isDirect(ch.ID):
		return nil, "channel_not_supported"
	case json.Unmarshal([]byte(a["prompts"]), &prompts) != nil || len(prompts) < 1 || len(prompts) > 4:
		return nil, "invalid_arguments: prompts"
	}
	for _, p := range prompts {
		if p.Title == "" || p.Message == "" || utf8.RuneCountInString(p.Title) > 75 {
			return nil, "invalid_arguments: prompt"
		}
	}
	s.prompts[ch.ID+" "+a["thread_ts"]] = prompts
	return nil, ""
}

// OpenHome makes a person open the app's messages tab.
func (s *Server) OpenHome(user, channel string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emitEvent(map[string]any{
		"type": "app_home_opened", "user": user, "channel": channel, "tab": "messages", "event_ts": s.ts(),
		"context": map[string]any{"entities": []any{map[string]any{"type": "slack#/types/channel_id", "value": "C1", "team_id": s.opt.Team}}},
	})
}

// OpenHomeTab makes a person open the app's Home.
func (s *Server) OpenHomeTab(user, channel string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emitEvent(map[string]any{"type": "app_home_opened", "user": user, "channel": channel, "tab": "home", "event_ts": s.ts()})
}

// OpenAssistant makes a person open a thread of the older assistant experience, and returns its ts and the
// envelope's id.
func (s *Server) OpenAssistant(user, channel string) (thread, envelope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &Message{TS: s.ts(), User: "UBOT", BotID: "BMARU", Subtype: "assistant_app_thread", Text: "New Assistant Thread"}
	m.Thread = m.TS
	s.channels[channel].messages = append(s.channels[channel].messages, m)
	return m.TS, s.emitEvent(map[string]any{
		"type": "assistant_thread_started", "event_ts": s.ts(),
		"assistant_thread": map[string]any{
			"user_id": user, "channel_id": channel, "thread_ts": m.TS,
			"context": map[string]any{"channel_id": "C1", "team_id": s.opt.Team, "enterprise_id": nil},
		},
	})
}

// PressStop makes a person press the stop button of a thread's agent session: Slack ends the streams of the thread
// and sends an event.
func (s *Server) PressStop(user, channel, thread string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := []string{}
	for _, m := range s.channels[channel].messages {
		if m.Thread == thread && m.Streaming() {
			m.stream.open, m.stream.stopped = false, true
			ended = append(ended, m.TS)
		}
	}
	return s.emitEvent(map[string]any{
		"type": "agent_session_stopped", "channel": channel, "thread_ts": thread, "user": user,
		"streaming_message_ts": ended, "event_ts": s.ts(),
	})
}

// Expire ends all open streams, as Slack does after their maximum lifetime.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ch := range s.channels {
		for _, m := range ch.messages {
			if m.Streaming() {
				m.stream.open = false
			}
		}
	}
}
