package slackfake

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// method describes one method of the Web API.
type method struct {
	required, optional []string
	app                bool // requires the app-level token
	perMinute          int  // its tier
	run                func(s *Server, a args) (map[string]any, string)
}

// args are the arguments of a call as text; JSON arguments are kept unparsed.
type args map[string]string

const (
	tier2 = 20
	tier3 = 50
	tier4 = 100
)

// messageArgs are the optional arguments of methods that send a message.
var messageArgs = []string{"text", "blocks", "attachments", "metadata", "thread_ts", "unfurl_links", "unfurl_media", "mrkdwn", "parse", "link_names", "reply_broadcast", "username", "icon_emoji", "icon_url", "as_user", "markdown_text"}

// ephemeralArgs are the optional arguments of chat.postEphemeral.
var ephemeralArgs = []string{"text", "blocks", "attachments", "thread_ts", "parse", "link_names", "username", "icon_emoji", "icon_url", "as_user", "markdown_text"}

// methods returns the supported part of the Web API.
func methods() map[string]method {
	return map[string]method{
		"auth.test":                             {run: (*Server).authTest, perMinute: 500},
		"auth.teams.list":                       {optional: []string{"cursor", "limit", "include_icon"}, run: (*Server).teamList, perMinute: tier2},
		"auth.revoke":                           {optional: []string{"test"}, run: (*Server).authRevoke, perMinute: 500},
		"apps.connections.open":                 {run: (*Server).connectionsOpen, app: true, perMinute: tier3},
		"chat.postMessage":                      {required: []string{"channel"}, optional: messageArgs, run: (*Server).postMessage, perMinute: 1 << 20},
		"chat.update":                           {required: []string{"channel", "ts"}, optional: []string{"text", "blocks", "attachments", "metadata", "parse", "link_names", "reply_broadcast", "as_user", "file_ids", "markdown_text"}, run: (*Server).update, perMinute: tier3},
		"chat.delete":                           {required: []string{"channel", "ts"}, optional: []string{"as_user"}, run: (*Server).delete, perMinute: tier3},
		"chat.startStream":                      {required: []string{"channel", "thread_ts"}, optional: []string{"markdown_text", "chunks", "recipient_user_id", "recipient_team_id", "task_display_mode", "icon_emoji", "icon_url", "username"}, run: (*Server).startStream, perMinute: tier2},
		"chat.appendStream":                     {required: []string{"channel", "ts"}, optional: []string{"markdown_text", "chunks"}, run: (*Server).appendStream, perMinute: tier4},
		"chat.stopStream":                       {required: []string{"channel", "ts"}, optional: []string{"markdown_text", "chunks", "blocks", "metadata", "session_status"}, run: (*Server).stopStream, perMinute: tier2},
		"chat.postEphemeral":                    {required: []string{"channel", "user"}, optional: ephemeralArgs, run: (*Server).postEphemeral, perMinute: tier4},
		"chat.getPermalink":                     {required: []string{"channel", "message_ts"}, run: (*Server).permalink, perMinute: 500},
		"conversations.replies":                 {required: []string{"channel", "ts"}, optional: []string{"cursor", "inclusive", "latest", "limit", "oldest", "include_all_metadata"}, run: (*Server).thread, perMinute: tier3},
		"conversations.history":                 {required: []string{"channel"}, optional: []string{"cursor", "inclusive", "latest", "limit", "oldest", "include_all_metadata"}, run: (*Server).history, perMinute: tier3},
		"conversations.info":                    {required: []string{"channel"}, optional: []string{"include_locale", "include_num_members"}, run: (*Server).conversationInfo, perMinute: tier3},
		"conversations.members":                 {required: []string{"channel"}, optional: []string{"cursor", "limit"}, run: (*Server).members, perMinute: tier4},
		"conversations.open":                    {optional: []string{"channel", "users", "return_im", "prevent_creation"}, run: (*Server).conversationOpen, perMinute: tier3},
		"bots.info":                             {optional: []string{"bot", "team_id"}, run: (*Server).botInfo, perMinute: tier3},
		"usergroups.list":                       {optional: []string{"include_count", "include_disabled", "include_users", "team_id"}, run: (*Server).groupList, perMinute: tier2},
		"usergroups.users.list":                 {required: []string{"usergroup"}, optional: []string{"include_disabled", "team_id"}, run: (*Server).groupUsers, perMinute: tier2},
		"users.info":                            {required: []string{"user"}, optional: []string{"include_locale"}, run: (*Server).userInfo, perMinute: tier4},
		"users.list":                            {optional: []string{"cursor", "limit", "include_locale", "team_id"}, run: (*Server).userList, perMinute: tier2},
		"reactions.add":                         {required: []string{"channel", "timestamp", "name"}, run: (*Server).reactionAdd, perMinute: tier3},
		"reactions.remove":                      {required: []string{"channel", "timestamp", "name"}, run: (*Server).reactionRemove, perMinute: tier2},
		"views.open":                            {required: []string{"trigger_id", "view"}, optional: []string{"interactivity_pointer"}, run: (*Server).viewOpen, perMinute: tier4},
		"views.update":                          {required: []string{"view"}, optional: []string{"view_id", "external_id", "hash"}, run: (*Server).viewUpdate, perMinute: tier4},
		"views.publish":                         {required: []string{"user_id", "view"}, optional: []string{"hash"}, run: (*Server).viewPublish, perMinute: tier4},
		"assistant.search.context":              {optional: []string{"query", "action_token", "channel_types", "content_types", "limit", "cursor", "after", "before"}, run: (*Server).searchContext, perMinute: 10},
		"assistant.threads.setStatus":           {required: []string{"channel_id", "thread_ts"}, optional: []string{"status", "loading_messages", "username", "icon_url", "icon_emoji"}, run: (*Server).setStatus, perMinute: 600},
		"assistant.threads.setTitle":            {required: []string{"channel_id", "thread_ts", "title"}, run: (*Server).setTitle, perMinute: tier4},
		"assistant.threads.setSuggestedPrompts": {required: []string{"channel_id", "prompts"}, optional: []string{"thread_ts", "title"}, run: (*Server).setPrompts, perMinute: tier4},
		"agents.sessions.setStatus":             {required: []string{"status", "channel_id", "thread_ts"}, optional: []string{"title", "initiator_user_id", "icon_emoji", "icon_url", "username"}, run: (*Server).sessionStatus, perMinute: tier3},
		"agents.sessions.rename":                {required: []string{"title", "channel_id", "thread_ts"}, run: (*Server).sessionRename, perMinute: tier3},
		"files.getUploadURLExternal":            {required: []string{"filename", "length"}, optional: []string{"alt_txt", "snippet_type"}, run: (*Server).uploadURL, perMinute: tier4},
		"files.completeUploadExternal":          {required: []string{"files"}, optional: []string{"channel_id", "channels", "thread_ts", "initial_comment", "blocks", "highlight_type"}, run: (*Server).uploadDone, perMinute: tier4},
		"files.delete":                          {required: []string{"file"}, run: (*Server).fileDelete, perMinute: tier3},
		"files.info":                            {required: []string{"file"}, optional: []string{"cursor", "limit", "page", "count"}, run: (*Server).fileInfo, perMinute: tier4},
	}
}

// serveAPI answers one call.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/api/")
	a, token, code := readArgs(r)
	s.mu.Lock()
	f := s.fault(name, a["channel"])
	s.mu.Unlock()
	s.wait(r.Context(), f)
	s.mu.Lock()
	defer s.mu.Unlock()
	call := Call{Method: name, Args: a, Status: http.StatusOK, At: s.opt.Now()}
	var out map[string]any
	switch {
	case code != "":
	case f != nil && !f.Done && (f.Status != 0 || f.Code != "" || f.Drop):
	default:
		var after int
		if out, code, after = s.dispatch(name, a, token); after > 0 {
			f = &Fault{Status: http.StatusTooManyRequests, After: after}
		}
	}
	if f != nil && (f.Status != 0 || f.Code != "" || f.Drop) {
		call.Status, call.Error = f.Status, first(f.Code, "fault")
		if f.Status == http.StatusTooManyRequests {
			call.Error = "ratelimited"
		}
		s.record(call)
		answerFault(w, f)
		return
	}
	if s.opt.Scopes != "" {
		w.Header().Set("X-OAuth-Scopes", s.opt.Scopes)
	}
	call.Error = code
	s.record(call)
	s.posted(a["channel"], out)
	if out == nil {
		out = map[string]any{}
	}
	out["ok"] = code == ""
	if code != "" {
		out["error"], _, _ = strings.Cut(code, ": ")
		out["response_metadata"] = map[string]any{"messages": []string{"[ERROR] " + code}}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(mustJSON(out))
}

// posted passes the message that a call created or changed to Options.Posted. The caller holds s.mu.
func (s *Server) posted(channel string, out map[string]any) {
	ts, _ := out["ts"].(string)
	if s.opt.Posted == nil || ts == "" {
		return
	}
	if m := s.message(channel, ts); m != nil && m.BotID != "" {
		s.opt.Posted(channel, m.copy())
	}
}

func (s *Server) record(c Call) {
	s.calls = append(s.calls, c)
	s.touch()
}

func answerFault(w http.ResponseWriter, f *Fault) {
	switch {
	case f.Drop:
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = c.Close()
		}
	case f.Status != 0:
		if f.After > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(f.After))
		}
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, `{"ok":false,"error":"ratelimited"}`)
	default:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		out := map[string]any{"ok": false, "error": f.Code}
		if f.Needed != "" {
			out["needed"], out["provided"] = f.Needed, "commands"
		}
		_, _ = w.Write(mustJSON(out))
	}
}

// dispatch checks a call as Slack does and runs it; after is Retry-After.
func (s *Server) dispatch(name string, a args, token string) (out map[string]any, code string, after int) {
	m, ok := methods()[name]
	switch {
	case !ok:
		return nil, "unknown_method", 0
	case token == "":
		return nil, "not_authed", 0
	case m.app && token == s.BotToken(), !m.app && token == s.AppToken():
		return nil, "not_allowed_token_type", 0
	case token != s.AppToken() && s.refuse(token) != "":
		return nil, s.refuse(token), 0
	case s.withheld && !strings.HasPrefix(name, "auth."), a["team_id"] != "" && a["team_id"] != s.opt.Team:
		return nil, "team_access_not_granted", 0
	}
	most := m.perMinute
	if s.opt.Sold && (name == "conversations.replies" || name == "conversations.history") {
		most = 1
	}
	if s.opt.RateLimits || most != m.perMinute {
		if after := s.limit(name, a["channel"], most); after > 0 {
			return nil, "ratelimited", after
		}
	}
	known := map[string]bool{}
	for _, k := range m.required {
		known[k] = true
		if a[k] == "" {
			return nil, "invalid_arguments: missing required field: " + k, 0
		}
	}
	for _, k := range m.optional {
		known[k] = true
	}
	for k := range a {
		if !known[k] {
			return nil, "invalid_arguments: unknown field: " + k, 0
		}
	}
	s.caller = token
	out, code = m.run(s, a)
	return out, code, 0
}

// limit enforces one post a second a channel, and the tiers.
func (s *Server) limit(name, channel string, perMinute int) int {
	now, key, window, most := s.opt.Now(), name, time.Minute, perMinute
	if name == "chat.postMessage" {
		key, window, most = name+" "+channel, time.Second, 1
	}
	kept := s.buckets[key][:0]
	for _, t := range s.buckets[key] {
		if now.Sub(t) < window {
			kept = append(kept, t)
		}
	}
	s.buckets[key] = kept
	if len(kept) >= most {
		wait := window - now.Sub(kept[0])
		return max(1, int((wait+time.Second-1)/time.Second))
	}
	s.buckets[key] = append(kept, now)
	return 0
}

// readArgs reads the arguments of a call from a form or from JSON.
func readArgs(r *http.Request) (args, string, string) {
	a := args{}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	body, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	if err != nil { // the POST data was truncated, as by a caller that is killed
		return a, token, "request_timeout"
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && len(body) > 0 {
		return a, token, "missing_post_type"
	}
	if kind == "application/json" {
		var m map[string]json.RawMessage
		if len(body) > 0 && json.Unmarshal(body, &m) != nil {
			return a, token, "invalid_json"
		}
		for k, v := range m {
			var str string
			if json.Unmarshal(v, &str) == nil {
				a[k] = str
			} else {
				a[k] = string(v)
			}
		}
		delete(a, "token")
		return a, token, ""
	}
	v, err := url.ParseQuery(string(body))
	if err != nil {
		return a, token, "invalid_form_data"
	}
	for _, q := range []url.Values{r.URL.Query(), v} {
		for k := range q {
			a[k] = q.Get(k)
		}
	}
	token = first(token, a["token"])
	delete(a, "token")
	return a, token, ""
}

func first(vs ...string) string {
	for _, v := range vs {
		if v != "" {
			return v
		}
	}
	return ""
}
