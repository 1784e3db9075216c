package discordfake

import "slices"

// Messages returns what people see in a channel or thread, oldest first.
func (f *Fake) Messages(channel string) []Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []Message
	for _, m := range f.messages[channel] {
		out = append(out, *m)
	}
	return out
}

// BotMessages returns the bot's messages in a channel or thread, oldest first.
func (f *Fake) BotMessages(channel string) []Message {
	var out []Message
	for _, m := range f.Messages(channel) {
		if m.Author == f.botID {
			out = append(out, m)
		}
	}
	return out
}

// Channel returns a channel or thread.
func (f *Fake) Channel(id string) (Channel, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.channels[id]
	if !ok {
		return Channel{}, false
	}
	return *c, true
}

// Reactions returns the bot's reactions to a message.
func (f *Fake) Reactions(message string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.reactions[message])
}

// Typed returns how often the bot was shown as typing in a channel.
func (f *Fake) Typed(channel string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.typing[channel]
}

// Commands returns the commands that the bot registered.
func (f *Fake) Commands() []any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.commands)
}
