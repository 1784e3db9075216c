package discordfake

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

const channelForum = 15

// Error codes that the fake answers with.
const (
	unknownChannel = 10003
	unknownMessage = 10008
	unknownWebhook = 10015
	forbidden      = 50013
	notAuthor      = 50005
	wrongChannel   = 50024
	archived       = 50083
	hasThread      = 160004
	locked         = 160005
)

func (q *request) getGateway() {
	f := q.f
	out := map[string]any{"url": "ws://" + f.addr + "/gateway"}
	if q.token {
		out["shards"] = f.cfg.Shards
		remaining, reset := max(1000-len(f.gate.identifies), 0), 24*time.Hour
		if f.gate.resetAfter > 0 {
			remaining, reset = f.gate.remaining, f.gate.resetAfter
		}
		out["session_start_limit"] = map[string]any{
			"total": 1000, "remaining": remaining, "reset_after": reset.Milliseconds(), "max_concurrency": 1,
		}
	}
	q.ok(out)
}

func (q *request) getMe() { q.ok(q.f.userJSON(q.f.users[q.f.botID])) }

func (q *request) getApplication() {
	q.ok(map[string]any{"id": q.f.appID, "name": "Maru", "verify_key": q.f.PublicKey(), "flags": q.f.flags, "bot": q.f.userJSON(q.f.users[q.f.botID])})
}

func (q *request) postDM() {
	id, _ := q.body["recipient_id"].(string)
	if q.f.users[id] == nil {
		q.fail(http.StatusBadRequest, 50033, "Invalid Recipient(s)")
		return
	}
	q.ok(q.f.channelJSON(q.f.channels[q.f.dm(id)]))
}

// channel returns the channel of the request, or answers that there is none.
func (q *request) channel() *Channel {
	c := q.f.channels[q.vars[0]]
	if c == nil {
		q.fail(http.StatusNotFound, unknownChannel, "Unknown Channel")
	}
	return c
}

func (q *request) message() *Message {
	for _, m := range q.f.messages[q.vars[0]] {
		if m.ID == q.vars[1] {
			return m
		}
	}
	q.fail(http.StatusNotFound, unknownMessage, "Unknown Message")
	return nil
}

func (q *request) getChannel() {
	if c := q.channel(); c != nil {
		q.ok(q.f.channelJSON(c))
	}
}

func (q *request) leaveGuild() {
	if q.vars[0] != q.f.Guild || q.f.outside {
		q.fail(http.StatusNotFound, 10004, "Unknown Guild")
		return
	}
	q.f.outside = true
	q.f.dispatch("GUILD_DELETE", map[string]any{"id": q.f.Guild})
	q.w.WriteHeader(http.StatusNoContent)
}

func (q *request) getGuild() {
	if q.vars[0] != q.f.Guild || q.f.outside {
		q.fail(http.StatusNotFound, 10004, "Unknown Guild")
		return
	}
	g := q.f.guildJSON()
	delete(g, "channels")
	delete(g, "threads")
	q.ok(g)
}

func (q *request) getMember() {
	u := q.f.users[q.vars[1]]
	if q.vars[0] != q.f.Guild || u == nil || u.Left {
		q.fail(http.StatusNotFound, 10007, "Unknown Member")
		return
	}
	m := q.f.memberJSON(u)
	m["user"] = q.f.userJSON(u)
	q.ok(m)
}

func (q *request) getThreadMember() {
	c := q.f.channels[q.vars[0]]
	if c == nil || !slices.Contains(c.Members, q.vars[1]) {
		q.fail(http.StatusNotFound, 10007, "Unknown Member")
		return
	}
	q.ok(map[string]any{"id": c.ID, "user_id": q.vars[1], "join_timestamp": "2026-01-01T00:00:00Z", "flags": 0})
}

func (q *request) getGuildChannels() {
	if q.vars[0] != q.f.Guild {
		q.fail(http.StatusNotFound, 10004, "Unknown Guild")
		return
	}
	out := []any{}
	for _, c := range q.f.channels {
		if c.Guild != "" && (c.Type < 10 || c.Type == channelForum) {
			out = append(out, q.f.channelJSON(c))
		}
	}
	q.ok(out)
}

func (q *request) patchChannel() {
	c := q.channel()
	if c == nil {
		return
	}
	if a, ok := q.body["archived"].(bool); ok {
		if c.Locked {
			q.fail(http.StatusBadRequest, locked, "This thread is locked")
			return
		}
		c.Archived = a
		q.f.dispatch("THREAD_UPDATE", q.f.channelJSON(c))
	}
	q.ok(q.f.channelJSON(c))
}

func (q *request) getMessages() {
	c := q.channel()
	if c == nil {
		return
	}
	v := q.r.URL.Query()
	limit := 50
	if s := v.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 100 {
			q.invalid("limit " + s)
			return
		}
		limit = n
	}
	all := q.f.messages[c.ID]
	if c.NoHistory {
		all = nil // Discord shows an empty channel
	}
	var page []*Message
	for _, m := range all {
		if a := v.Get("after"); a != "" && number(m.ID) <= number(a) {
			continue
		}
		if b := v.Get("before"); b != "" && number(m.ID) >= number(b) {
			continue
		}
		page = append(page, m)
	}
	if v.Has("after") {
		page = page[:min(limit, len(page))]
	} else {
		page = page[max(len(page)-limit, 0):]
	}
	out := []any{}
	for _, m := range slices.Backward(page) {
		out = append(out, q.f.messageJSON(m, false)) // never with a nonce: it is lost once fetched again
	}
	q.ok(out)
}

func number(id string) uint64 {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// writable answers why nothing can be sent to the channel, if so.
func (q *request) writable(c *Channel) bool {
	switch {
	case c.Muted:
		q.fail(http.StatusForbidden, forbidden, "Missing Permissions")
	case c.Locked:
		q.fail(http.StatusBadRequest, locked, "This thread is locked")
	case c.Archived:
		q.fail(http.StatusBadRequest, archived, "Thread is archived")
	default:
		return true
	}
	return false
}

func (q *request) postMessage() {
	c := q.channel()
	if c == nil || !q.checkMessage(true) || !q.writable(c) {
		return
	}
	if c.Type == channelForum {
		q.violate("a message in a forum itself")
		q.fail(http.StatusBadRequest, 50008, "Cannot send messages in a non-text channel")
		return
	}
	f := q.f
	nonce, _ := q.body["nonce"].(string)
	if enforced, _ := q.body["enforce_nonce"].(bool); enforced && nonce != "" {
		if id, ok := f.nonces[c.ID+" "+nonce]; ok {
			if m := f.find(id); m != nil {
				q.ok(q.withNonce(m, nonce))
				return
			}
		}
	}
	m := &Message{ID: f.id(), Channel: c.ID, Author: f.botID, Nonce: nonce, At: f.now()}
	if ref, ok := q.body["message_reference"].(map[string]any); ok {
		id, _ := ref["message_id"].(string)
		strict, given := ref["fail_if_not_exists"].(bool)
		there := slices.ContainsFunc(f.messages[c.ID], func(x *Message) bool { return x.ID == id })
		if !there && (strict || !given) {
			q.invalid("message_reference to a message that is not in the channel")
			return
		}
		if there {
			m.Reference = id
		}
	}
	q.fill(m)
	m.Files = q.storeFiles()
	f.messages[c.ID] = append(f.messages[c.ID], m)
	if nonce != "" {
		f.nonces[c.ID+" "+nonce] = m.ID
	}
	f.dispatchMessage("MESSAGE_CREATE", m)
	f.posted(m)
	q.ok(q.withNonce(m, nonce))
}

// posted passes a message to Config.Posted. The caller holds f.mu.
func (f *Fake) posted(m *Message) {
	if f.cfg.Posted != nil {
		f.cfg.Posted(*m)
	}
}

func (q *request) withNonce(m *Message, nonce string) map[string]any {
	out := q.f.messageJSON(m, false)
	if nonce != "" {
		out["nonce"] = nonce
	}
	return out
}

// fill applies a request body to a message.
func (q *request) fill(m *Message) {
	if s, ok := q.body["content"].(string); ok {
		m.Content = s
	} else if _, named := q.body["content"]; named {
		m.Content = ""
	}
	if c, ok := q.body["components"].([]any); ok {
		m.Components = c
	}
	if n, ok := q.body["flags"].(float64); ok {
		m.Flags = int(n)
	}
	m.Ephemeral = m.Flags&64 != 0
}

func (q *request) getMessage() {
	if c := q.f.channels[q.vars[0]]; c != nil && c.NoHistory {
		q.fail(http.StatusForbidden, forbidden, "Missing Permissions")
		return
	}
	if m := q.message(); m != nil {
		q.ok(q.f.messageJSON(m, false))
	}
}

func (q *request) patchMessage() {
	c := q.channel()
	if c == nil {
		return
	}
	m := q.message()
	if m == nil || !q.checkMessage(false) || !q.checkChange(m) || !q.writable(c) {
		return
	}
	if m.Author != q.f.botID {
		q.violate("edit of somebody else's message")
		q.fail(http.StatusForbidden, notAuthor, "Cannot edit a message authored by another user")
		return
	}
	q.fill(m)
	m.Edits++
	m.Edited = q.f.now()
	q.f.dispatchMessage("MESSAGE_UPDATE", m)
	q.f.posted(m)
	q.ok(q.f.messageJSON(m, false))
}

func (q *request) deleteMessage() {
	if m := q.message(); m != nil {
		q.f.removeMessage(m)
		q.none()
	}
}

func (q *request) postThread() {
	c := q.channel()
	if c == nil {
		return
	}
	m := q.message()
	if m == nil {
		return
	}
	name, _ := q.body["name"].(string)
	switch {
	case !q.only("name", "auto_archive_duration", "rate_limit_per_user"):
		return
	case runes(name) < 1 || runes(name) > 100:
		q.invalid("thread name has " + strconv.Itoa(runes(name)) + " characters")
		return
	case c.Type != 0 && c.Type != 5:
		q.fail(http.StatusBadRequest, wrongChannel, "Cannot execute action on this channel type")
		return
	case c.NoThreads, c.Muted:
		q.fail(http.StatusForbidden, forbidden, "Missing Permissions")
		return
	case q.f.channels[m.ID] != nil:
		q.fail(http.StatusBadRequest, hasThread, "A thread has already been created for this message")
		return
	}
	t := &Channel{ID: m.ID, Guild: c.Guild, Parent: c.ID, Name: name, Type: 11}
	q.f.channels[t.ID] = t
	q.f.dispatch("THREAD_CREATE", q.f.channelJSON(t))
	q.send(http.StatusCreated, q.f.channelJSON(t))
}

func (q *request) postTyping() {
	if c := q.channel(); c != nil {
		q.f.typing[c.ID]++
		q.none()
	}
}

func (q *request) putReaction() {
	m := q.message()
	if m == nil {
		return
	}
	emoji, err := url.PathUnescape(q.vars[2])
	if err != nil || emoji == "" {
		q.invalid("emoji")
		return
	}
	list := slices.DeleteFunc(q.f.reactions[m.ID], func(e string) bool { return e == emoji })
	if q.r.Method == http.MethodPut {
		list = append(list, emoji)
	}
	q.f.reactions[m.ID] = list
	q.none()
}

func (q *request) getCommands() { q.ok(append([]any{}, q.f.commands...)) }

func (q *request) refreshURLs() {
	list, _ := q.body["attachment_urls"].([]any)
	out := []any{}
	for _, u := range list {
		out = append(out, map[string]any{"original": u, "refreshed": u})
	}
	q.ok(map[string]any{"refreshed_urls": out})
}
