package discordfake

import (
	"slices"
	"time"
)

// AddChannel makes a text channel in the guild.
func (f *Fake) AddChannel(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	f.channels[id] = &Channel{ID: id, Guild: f.Guild, Name: name}
	return id
}

// AddUser makes a member of the guild.
func (f *Fake) AddUser(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	f.users[id] = &User{ID: id, Name: name, Locale: "en-US"}
	return id
}

// AddBot adds another program.
func (f *Fake) AddBot(name string) string {
	id := f.AddUser(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users[id].Bot = true
	return id
}

// SetGuest makes a person a guest of the guild.
func (f *Fake) SetGuest(user string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users[user].Guest = true
}

// SetLocale sets the language of a person's app.
func (f *Fake) SetLocale(user, locale string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users[user].Locale = locale
}

// Leave makes a person leave the guild.
func (f *Fake) Leave(user string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users[user].Left = true
}

// SetRoles replaces a person's roles.
func (f *Fake) SetRoles(user string, roles ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users[user].Roles = roles
}

// Hide hides a channel from roles and people; the guild's id is everyone.
func (f *Fake) Hide(channel string, from ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.channels[channel].Hidden = from
}

// DenyHistory denies roles and people a channel's history.
func (f *Fake) DenyHistory(channel string, from ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.channels[channel].Now = from
}

// ForbidThreads makes a channel reject new threads.
func (f *Fake) ForbidThreads(channel string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.channels[channel].NoThreads = true
}

// Mute denies or allows the bot to write in a channel.
func (f *Fake) Mute(channel string, on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.channels[channel]
	c.Muted = on
	f.dispatch("CHANNEL_UPDATE", f.channelJSON(c))
}

// ForbidContent disables the message content intent.
func (f *Fake) ForbidContent() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flags &^= 1<<18 | 1<<19
}

// Archive archives a thread, and locks it if asked.
func (f *Fake) Archive(thread string, locked bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.channels[thread].Archived, f.channels[thread].Locked = true, locked
}

// ForgetNonces expires all nonces, which Discord keeps for some minutes.
func (f *Fake) ForgetNonces() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.nonces)
}

// DM returns the direct channel between a person and the bot.
func (f *Fake) DM(user string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dm(user)
}

func (f *Fake) dm(user string) string {
	for _, c := range f.channels {
		if c.Type == 1 && c.Recipient == user {
			return c.ID
		}
	}
	id := f.id()
	f.channels[id] = &Channel{ID: id, Type: 1, Recipient: user}
	return id
}

// Thread creates a thread without a starter message.
func (f *Fake) Thread(channel, name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	c := &Channel{ID: id, Guild: f.Guild, Parent: channel, Name: name, Type: 11}
	f.channels[id] = c
	f.dispatch("THREAD_CREATE", f.channelJSON(c))
	return id
}

// PrivateThread creates a thread visible only to its members.
func (f *Fake) PrivateThread(channel, name string, members ...string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &Channel{ID: f.id(), Guild: f.Guild, Parent: channel, Name: name, Type: 12, Members: members}
	f.channels[c.ID] = c
	f.dispatch("THREAD_CREATE", f.channelJSON(c))
	return c.ID
}

// AddForum creates a forum in the guild.
func (f *Fake) AddForum(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &Channel{ID: f.id(), Guild: f.Guild, Name: name, Type: channelForum}
	f.channels[c.ID] = c
	f.dispatch("CHANNEL_CREATE", f.channelJSON(c))
	return c.ID
}

// AddVoice creates a voice channel in the guild. Voice channels have a text chat.
func (f *Fake) AddVoice(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &Channel{ID: f.id(), Guild: f.Guild, Name: name, Type: 2}
	f.channels[c.ID] = c
	f.dispatch("CHANNEL_CREATE", f.channelJSON(c))
	return c.ID
}

// DeleteThread deletes a thread with its messages, as a moderator does. Its starter message stays, and can start
// another.
func (f *Fake) DeleteThread(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.channels[id]
	delete(f.channels, id)
	delete(f.messages, id)
	f.dispatch("THREAD_DELETE", map[string]any{"id": id, "guild_id": c.Guild, "parent_id": c.Parent, "type": c.Type})
	f.notify()
}

// ForumPost creates a post in a forum: a thread whose first message has the thread's id.
func (f *Fake) ForumPost(user, forum, title, text string) Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	c := &Channel{ID: id, Guild: f.Guild, Parent: forum, Name: title, Type: 11}
	f.channels[id] = c
	f.dispatch("THREAD_CREATE", f.channelJSON(c))
	m := &Message{ID: id, Channel: id, Author: user, Content: text, At: f.now()}
	f.messages[id] = append(f.messages[id], m)
	f.dispatchMessage("MESSAGE_CREATE", m)
	f.notify()
	return *m
}

// PutFile creates an attachment for SayWith.
func (f *Fake) PutFile(name, mime string, content []byte) File {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	f.files[id] = content
	return File{ID: id, Name: name, MIME: mime, Size: len(content), URL: "http://" + f.addr + "/attachments/" + id + "/" + name}
}

// PutEndless is PutFile for an attachment of an announced size in bytes whose content is sent again and again.
func (f *Fake) PutEndless(name, mime string, announced int, content []byte) File {
	file := f.PutFile(name, mime, content)
	file.Size = announced
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.endless == nil {
		f.endless = map[string]bool{}
	}
	f.endless[file.ID] = true
	return file
}

// Poured returns the bytes of endless files that were sent.
func (f *Fake) Poured() int64 { return f.poured.Load() }

// Say posts a message as a person.
func (f *Fake) Say(user, channel, text string) Message { return f.SayWith(user, channel, text, "") }

// Reply posts a message as a person in answer to another one.
func (f *Fake) Reply(user, channel, text, to string) Message {
	return f.SayWith(user, channel, text, to)
}

// SayWith posts a message as a person, in answer to another if replyTo is not
// empty, with files.
func (f *Fake) SayWith(user, channel, text, replyTo string, files ...File) Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&Message{Channel: channel, Author: user, Content: text, Reference: replyTo, Files: files})
}

// SayBeside posts a message with further members, such as "embeds" or "poll".
func (f *Fake) SayBeside(user, channel, text string, beside map[string]any) Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&Message{Channel: channel, Author: user, Content: text, Beside: beside})
}

func (f *Fake) say(m *Message) Message {
	m.ID, m.At = f.id(), f.now()
	channel := m.Channel
	f.messages[channel] = append(f.messages[channel], m)
	f.dispatchMessage("MESSAGE_CREATE", m)
	f.notify()
	return *m
}

// Redeliver sends the event of a message again.
func (f *Fake) Redeliver(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.find(id); m != nil {
		f.dispatchMessage("MESSAGE_CREATE", m)
	}
}

// EditMessage changes a person's message.
func (f *Fake) EditMessage(id, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.find(id); m != nil {
		m.Content, m.Edited = text, f.now()
		f.dispatchMessage("MESSAGE_UPDATE", m)
		f.notify()
	}
}

// HideHistory denies the bot a channel's history.
func (f *Fake) HideHistory(channel string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.channels[channel].NoHistory = true
}

// DeleteMessage removes a message, as its author or a moderator would.
func (f *Fake) DeleteMessage(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.find(id); m != nil {
		f.removeMessage(m)
	}
}

func (f *Fake) removeMessage(m *Message) {
	list := f.messages[m.Channel]
	i := slices.Index(list, m)
	f.messages[m.Channel] = slices.Delete(list, i, i+1)
	body := map[string]any{"id": m.ID, "channel_id": m.Channel}
	guild := ""
	if c := f.channels[m.Channel]; c != nil && c.Guild != "" {
		guild = c.Guild
		body["guild_id"] = guild
	}
	f.dispatchIn(guild, "MESSAGE_DELETE", body)
	f.notify()
}

// Dispatch sends any gateway event, for payloads that the fake does not make.
func (f *Fake) Dispatch(kind string, data any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dispatch(kind, data)
}

func (f *Fake) find(id string) *Message {
	for _, list := range f.messages {
		for _, m := range list {
			if m.ID == id {
				return m
			}
		}
	}
	return f.private(id)
}

// private finds an ephemeral message.
func (f *Fake) private(id string) *Message {
	for _, i := range f.interactions {
		if i.Original != nil && i.Original.ID == id {
			return i.Original
		}
		for n := range i.FollowUps {
			if i.FollowUps[n].ID == id {
				return &i.FollowUps[n]
			}
		}
	}
	return nil
}

// Expel removes the bot from the guild and sends the event.
func (f *Fake) Expel() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outside = true
	f.dispatch("GUILD_DELETE", map[string]any{"id": f.Guild})
}

// ExpelUnseen removes the bot from the guild while it is disconnected.
func (f *Fake) ExpelUnseen() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outside = true
}

// Invite adds the bot to the guild, whose system channel is system, "" for none.
func (f *Fake) Invite(system string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outside, f.system = false, system
	f.dispatch("GUILD_CREATE", f.guildJSON())
}

// InviteUnseen adds the bot to the guild while it is disconnected: it learns of the guild from the next READY.
func (f *Fake) InviteUnseen(system string, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outside, f.system, f.joined = false, system, at
}

// Outage makes the guild unavailable, or available again.
func (f *Fake) Outage(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if on {
		f.dispatch("GUILD_DELETE", map[string]any{"id": f.Guild, "unavailable": true})
		return
	}
	f.dispatch("GUILD_CREATE", f.guildJSON())
}

// guilds returns the guilds of READY.
func (f *Fake) guilds() []any {
	if f.outside {
		return []any{}
	}
	return []any{map[string]any{"id": f.Guild, "unavailable": true}}
}

func orNull(id string) any {
	if id == "" {
		return nil
	}
	return id
}
