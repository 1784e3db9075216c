package workflow

import (
	"cmp"
	"encoding/json"
	"slices"

	"maru/agent/llm"
	"maru/agent/token"
)

// Guard keeps prompts within a model's context window. It counts tokens as the
// o200k vocabulary does, offline; for models with another vocabulary that is a
// close guess, which is why part of the window stays free.
type Guard struct {
	window, reserve int
}

// defaultWindow is the context window of a model that does not say, in tokens.
const defaultWindow = 128_000

// NewGuard returns a guard of a window of that many tokens (0: defaultWindow),
// a quarter of which, at most 8,192, is kept for the reply.
func NewGuard(window int) *Guard {
	window = cmp.Or(max(window, 0), defaultWindow)
	return &Guard{window: window, reserve: min(window/4, 8192)}
}

// Budget is how full the window is.
type Budget struct {
	Window    int `json:"window"` // tokens of the model's window
	Used      int `json:"used"`   // tokens of the prompt
	Compacted int `json:"compacted"`
}

// Room returns how many tokens a prompt may have.
func (g *Guard) Room() int { return g.window - g.reserve }

// Window returns the size of the window.
func (g *Guard) Window() int { return g.window }

// maxCounted bounds the text that is counted exactly; of longer ones the rest is
// taken to be alike.
const maxCounted = 256 << 10

// Count returns the tokens of a text.
func (g *Guard) Count(text string) int {
	counted := text
	if len(counted) > maxCounted {
		counted = text[:maxCounted]
	}
	n := token.O200k().Count(counted)
	if len(counted) < len(text) {
		n = int(float64(n) * float64(len(text)) / float64(len(counted)))
	}
	return n
}

// perMessage is what the framing of a message costs.
const perMessage = 4

// CountMessages returns the tokens of a prompt.
func (g *Guard) CountMessages(messages []llm.Message) int {
	n := 3
	for _, m := range messages {
		n += g.message(m)
	}
	return n
}

func (g *Guard) message(m llm.Message) int {
	n := perMessage + g.Count(m.Content)
	for _, c := range m.ToolCalls {
		n += perMessage + g.Count(c.Name) + g.Count(string(c.Arguments))
	}
	return n
}

// atMost bounds the tokens of a prompt without counting them: a token is a byte at
// least.
func atMost(messages []llm.Message) int {
	n := 3
	for _, m := range messages {
		n += perMessage + len(m.Content)
		for _, c := range m.ToolCalls {
			n += perMessage + len(c.Name) + len(c.Arguments)
		}
	}
	return n
}

// Fit returns messages that fit into the window, and how many were left out:
// the oldest go first, never the system's, never the last with the call it is the
// result of, and never the last that a person said. A tool's result goes with its
// call. What is still too long is cut in its middle.
func (g *Guard) Fit(messages []llm.Message) ([]llm.Message, int) {
	if atMost(messages) <= g.Room() {
		return messages, 0 // most prompts, and the vocabulary need not be read: 25 ms and 6 MB
	}
	size := make([]int, len(messages))
	total := 3
	for i, m := range messages {
		size[i] = g.message(m)
		total += size[i]
	}
	room := g.Room()
	if total <= room {
		return messages, 0
	}
	gone := make([]bool, len(messages))
	dropped, stays, asked := 0, lastExchange(messages), lastOf(messages, llm.User)
	for i := 0; i < stays && total > room; i++ {
		if messages[i].Role == llm.System || i == asked {
			continue
		}
		for k := i; k < stays; k++ {
			if k > i && messages[k].Role != llm.ToolRole {
				break
			}
			if !gone[k] {
				gone[k], total, dropped = true, total-size[k], dropped+1
			}
		}
	}
	var out []llm.Message
	for i, m := range messages {
		if !gone[i] {
			out = append(out, m)
		}
	}
	return g.cut(out, total-room), dropped
}

// lastExchange returns where the last message begins, or if that is a tool's result, the
// call that it answers.
func lastExchange(messages []llm.Message) int {
	i := len(messages) - 1
	for i > 0 && messages[i].Role == llm.ToolRole {
		i--
	}
	return i
}

// lastOf returns the last message of a role, -1 if there is none.
func lastOf(messages []llm.Message, role llm.Role) int {
	i := len(messages) - 1
	for i >= 0 && messages[i].Role != role {
		i--
	}
	return i
}

// longArguments are those of a call that may be taken away when there is no room, in
// tokens: no tool takes such ones.
const longArguments = 4096

// cut shortens the longest messages until over tokens less remain. Of a call, what is
// too long to be one goes: endpoints want JSON, which has no middle to cut.
func (g *Guard) cut(messages []llm.Message, over int) []llm.Message {
	for i := range messages {
		calls := slices.Clone(messages[i].ToolCalls) // the caller's stay as they are
		for k, c := range calls {
			if n := g.Count(string(c.Arguments)); over > 0 && n > longArguments {
				calls[k].Arguments = json.RawMessage(`{"…":"left out: too long"}`)
				over -= n
			}
		}
		messages[i].ToolCalls = calls
	}
	for range messages {
		if over <= 0 {
			break
		}
		longest, most := 0, 0
		for i, m := range messages {
			if n := g.Count(m.Content); n > most {
				longest, most = i, n
			}
		}
		text := messages[longest].Content
		keep := max(most-over-8, 16)
		short := g.middle(text, keep, most)
		messages[longest].Content = short
		over -= most - g.Count(short)
	}
	return messages
}

// middle takes the middle out of a text of most tokens, so that about keep
// remain.
func (g *Guard) middle(text string, keep, most int) string {
	runes := []rune(text)
	n := len(runes) * keep / max(most, 1)
	for {
		if n >= len(runes) || n < 2 {
			n = min(n, len(runes)-1)
		}
		short := string(runes[:n*2/3]) + "\n[…]\n" + string(runes[len(runes)-n/3:])
		if n < 32 || g.Count(short) <= keep+8 {
			return short
		}
		n = n * 9 / 10
	}
}
