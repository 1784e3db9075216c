package slackfake

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// streamLife is the maximum lifetime of a stream: others measured about 306 seconds; it is not documented.
const streamLife = 5 * time.Minute

// stream is the state of a streamed message.
type stream struct {
	open    bool
	chunks  bool // started with chunks, so that it accepts nothing else
	plan    bool // task_display_mode
	stopped bool // by a person
	born    time.Time
	items   []streamItem // in order of arrival
	title   string       // of the plan
	tail    []json.RawMessage
}

// streamItem is a run of text or a task.
type streamItem struct {
	text string
	task *streamTask
	raw  []json.RawMessage // of a blocks chunk
}

type streamTask struct {
	ID      string          `json:"id"`
	Title   string          `json:"title"`
	Status  string          `json:"status"`
	Details string          `json:"details"`
	Output  string          `json:"output"`
	Sources json.RawMessage `json:"sources"`
}

// Streaming reports whether a message is still being streamed.
func (m Message) Streaming() bool { return m.stream != nil && m.stream.open }

// Streamed returns the joined text streamed into a message.
func (m Message) Streamed() string {
	if m.stream == nil {
		return ""
	}
	var b strings.Builder
	for _, it := range m.stream.items {
		b.WriteString(it.text)
	}
	return b.String()
}

// Tasks returns the tasks of a streamed message as "status title".
func (m Message) Tasks() []string {
	var out []string
	if m.stream != nil {
		for _, it := range m.stream.items {
			if it.task != nil {
				out = append(out, it.task.Status+" "+it.task.Title)
			}
		}
	}
	return out
}

// OpenStreams counts the messages that are still being streamed.
func (s *Server) OpenStreams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, ch := range s.channels {
		for _, m := range ch.messages {
			s.expire(m)
			if m.Streaming() {
				n++
			}
		}
	}
	return n
}

// expire ends a stream after its lifetime. The caller holds s.mu.
func (s *Server) expire(m *Message) {
	if m.Streaming() && s.opt.Now().Sub(m.stream.born) >= streamLife {
		m.stream.open = false
	}
}

func (s *Server) startStream(a args) (map[string]any, string) {
	ch, code := s.place(a["channel"])
	if code != "" {
		return nil, code
	}
	root := s.message(ch.ID, a["thread_ts"])
	switch mode := a["task_display_mode"]; {
	case root == nil || root.Thread != "" && root.Thread != root.TS:
		return nil, "thread_not_found"
	case !isDirect(ch.ID) && a["recipient_user_id"] == "":
		return nil, "missing_recipient_user_id"
	case !isDirect(ch.ID) && a["recipient_team_id"] == "":
		return nil, "missing_recipient_team_id"
	case a["recipient_user_id"] != "" && s.users[a["recipient_user_id"]] == nil:
		return nil, "user_not_found"
	case !slices.Contains([]string{"", "timeline", "plan", "dense"}, mode):
		return nil, "invalid_arguments: task_display_mode"
	}
	m := &Message{TS: s.ts(), Thread: a["thread_ts"], User: "UBOT", BotID: "BMARU"}
	m.stream = &stream{open: true, chunks: a["chunks"] != "", plan: a["task_display_mode"] == "plan", born: s.opt.Now()}
	if code := s.grow(m, a); code != "" {
		return nil, code
	}
	ch.messages = append(ch.messages, m)
	delete(s.status, ch.ID+" "+m.Thread)
	s.session(ch.ID, m.Thread).Status = "processing"
	s.echo(ch.ID, m)
	return map[string]any{"channel": ch.ID, "ts": m.TS}, ""
}

// streamed finds a message with an open stream.
func (s *Server) streamed(a args) (*channel, *Message, string) {
	ch, code := s.place(a["channel"])
	if code != "" {
		return nil, nil, code
	}
	m := s.message(ch.ID, a["ts"])
	switch {
	case m == nil:
		return nil, nil, "message_not_found"
	case m.BotID != "BMARU":
		return nil, nil, "message_not_owned_by_app"
	}
	s.expire(m)
	switch {
	case m.stream != nil && m.stream.stopped:
		return nil, nil, "stopped_by_user"
	case !m.Streaming():
		return nil, nil, "message_not_in_streaming_state"
	}
	return ch, m, ""
}

func (s *Server) appendStream(a args) (map[string]any, string) {
	ch, m, code := s.streamed(a)
	if code != "" {
		return nil, code
	}
	if a["markdown_text"] == "" && (a["chunks"] == "" || a["chunks"] == "[]") {
		return nil, "no_text"
	}
	if code := s.grow(m, a); code != "" {
		return nil, code
	}
	return map[string]any{"channel": ch.ID, "ts": m.TS}, ""
}

func (s *Server) stopStream(a args) (map[string]any, string) {
	ch, m, code := s.streamed(a)
	if code != "" {
		return nil, code
	}
	var tail []json.RawMessage
	if a["blocks"] != "" {
		if code := checkBlocks(json.RawMessage(a["blocks"]), false); code != "" {
			return nil, code
		}
		tail = list(json.RawMessage(a["blocks"]))
	}
	if code := metadata(a); code != "" {
		return nil, code
	}
	status := first(a["session_status"], "active")
	if !slices.Contains(sessionStates, status) {
		return nil, "invalid_arguments: session_status"
	}
	if code := s.grow(m, a); code != "" {
		return nil, code
	}
	m.stream.tail, m.stream.open = tail, false
	if a["metadata"] != "" {
		m.Metadata = json.RawMessage(a["metadata"])
	}
	s.render(m)
	s.session(ch.ID, m.Thread).Status = status
	return map[string]any{"channel": ch.ID, "ts": m.TS, "message": s.json(m, false)}, ""
}

// grow adds a call's content to a stream atomically.
func (s *Server) grow(m *Message, a args) string {
	st := m.stream
	switch {
	case a["markdown_text"] != "" && a["chunks"] != "":
		return "cannot_provide_both_markdown_text_and_chunks"
	case a["markdown_text"] != "" && st.chunks, a["chunks"] != "" && !st.chunks:
		return "streaming_mode_mismatch"
	case utf8.RuneCountInString(a["markdown_text"]) > maxMarkdown:
		return "msg_too_long"
	}
	was := *st
	was.items = slices.Clone(st.items)
	if a["markdown_text"] != "" {
		st.addText(a["markdown_text"])
	}
	if a["chunks"] != "" {
		var chunks []map[string]json.RawMessage
		if json.Unmarshal([]byte(a["chunks"]), &chunks) != nil {
			return "invalid_chunks"
		}
		for _, c := range chunks {
			if code := st.add(c); code != "" {
				*st = was
				return code
			}
		}
	}
	s.render(m)
	return ""
}

// addText appends text. Like Slack it drops leading white space of a chunk.
func (st *stream) addText(t string) {
	if len(st.items) > 0 {
		t = strings.TrimLeft(t, " \n\t")
	}
	if last := len(st.items) - 1; last >= 0 && st.items[last].task == nil && st.items[last].raw == nil {
		st.items[last].text += t
		return
	}
	st.items = append(st.items, streamItem{text: t})
}

// add checks and adds one chunk.
func (st *stream) add(c map[string]json.RawMessage) string {
	k := &checker{blockIDs: map[string]bool{}, actions: map[string]bool{}}
	switch kind := text(c["type"]); kind {
	case "markdown_text":
		k.fields(kind, c, "text")
		if n := utf8.RuneCountInString(text(c["text"])); n > maxMarkdown {
			return "msg_too_long"
		}
		if text(c["text"]) == "" {
			return "invalid_chunks: empty text"
		}
		st.addText(text(c["text"]))
	case "task_update":
		k.fields(kind, c, "id", "title", "status", "details", "output", "sources")
		var t streamTask
		if json.Unmarshal(mustJSON(c), &t) != nil {
			return "invalid_chunks: task_update"
		}
		k.task(t)
		if k.err == "" {
			st.task(t)
		}
	case "plan_update":
		k.fields(kind, c, "title")
		k.length("plan title", text(c["title"]), 1, 256)
		st.title = text(c["title"])
	case "blocks":
		k.fields(kind, c, "blocks")
		raw := list(c["blocks"])
		if len(raw) == 0 {
			return "invalid_chunks: no blocks"
		}
		if code := checkBlocks(c["blocks"], false); code != "" {
			return code
		}
		st.items = append(st.items, streamItem{raw: raw})
	default:
		return "invalid_chunks: type " + kind
	}
	if k.err != "" {
		return "invalid_chunks: " + k.err
	}
	return ""
}

// task checks a task's fields.
func (c *checker) task(t streamTask) {
	c.length("task id", t.ID, 1, maxID)
	c.length("task title", t.Title, 1, 256)
	c.length("task details", t.Details, 0, 256)
	c.length("task output", t.Output, 0, 256)
	if !slices.Contains([]string{"pending", "in_progress", "complete", "error"}, t.Status) {
		c.fail("task status %q", t.Status)
	}
	for _, src := range list(t.Sources) {
		o := object(src)
		c.fields("task source", o, "url", "text")
		c.length("task source text", text(o["text"]), 1, 256)
		c.length("task source url", text(o["url"]), 1, maxURL)
	}
}

// task adds a task or updates the one with its id: title and status are replaced, details and output appended.
func (st *stream) task(t streamTask) {
	for i, it := range st.items {
		if it.task == nil || it.task.ID != t.ID {
			continue
		}
		t.Details, t.Output = it.task.Details+t.Details, it.task.Output+t.Output
		st.items[i].task = &t
		return
	}
	st.items = append(st.items, streamItem{task: &t})
}

// render builds the message's blocks from the stream.
func (s *Server) render(m *Message) {
	st := m.stream
	var blocks []any
	var plan []any
	at := -1
	for _, it := range st.items {
		switch {
		case it.task != nil && st.plan:
			if at < 0 {
				at = len(blocks)
				blocks = append(blocks, nil)
			}
			plan = append(plan, it.task.block())
		case it.task != nil:
			blocks = append(blocks, it.task.block())
		case it.raw != nil:
			for _, r := range it.raw {
				blocks = append(blocks, r)
			}
		default:
			blocks = append(blocks, map[string]any{"type": "markdown", "text": it.text})
		}
	}
	if at >= 0 {
		blocks[at] = map[string]any{"type": "plan", "title": first(st.title, "Plan"), "tasks": plan}
	}
	for _, r := range st.tail {
		blocks = append(blocks, r)
	}
	m.Blocks, m.Text = mustJSON(blocks), Message{stream: st}.Streamed()
}

func (t streamTask) block() map[string]any {
	out := map[string]any{"type": "task_card", "task_id": t.ID, "title": t.Title, "status": t.Status}
	if t.Details != "" {
		out["details"] = richParagraph(t.Details)
	}
	if t.Output != "" {
		out["output"] = richParagraph(t.Output)
	}
	return out
}

func richParagraph(t string) map[string]any {
	return map[string]any{"type": "rich_text", "elements": []any{
		map[string]any{"type": "rich_text_section", "elements": []any{map[string]any{"type": "text", "text": t}}},
	}}
}
