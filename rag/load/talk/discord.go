package talk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/rag/load/outline"
	"maru/rag/load/pack"
)

type discordExport struct {
	Guild struct {
		Name string `json:"name"`
	} `json:"guild"`
	Channel struct {
		Name     string `json:"name"`
		Category string `json:"category"`
	} `json:"channel"`
	Messages []struct {
		ID        string    `json:"id"`
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Content   string    `json:"content"`
		Author    struct {
			Name     string `json:"name"`
			Nickname string `json:"nickname"`
		} `json:"author"`
		Attachments []struct {
			FileName string `json:"fileName"`
		} `json:"attachments"`
		Embeds []struct {
			Title       string `json:"title"`
			Description string `json:"description"`
			Fields      []struct {
				Name  string `json:"name"`
				Value string `json:"value"`
			} `json:"fields"`
		} `json:"embeds"`
		Reference struct {
			MessageID string `json:"messageId"`
		} `json:"reference"`
	} `json:"messages"`
}

// IsDiscord reports whether a JSON text begins as DiscordChatExporter's do.
func IsDiscord(text []byte) bool {
	head := text[:min(len(text), 1<<10)]
	return bytes.HasPrefix(bytes.TrimLeft(head, "\uFEFF \t\r\n"), []byte("{")) && bytes.Contains(head, []byte(`"guild"`)) && bytes.Contains(head, []byte(`"channel"`))
}

// Discord passes the channel of such an export on. A reply is below the message that it answers.
func Discord(text []byte, add outline.Add) error {
	var e discordExport
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\uFEFF")), &e); err != nil {
		return fmt.Errorf("%w: %w", pack.ErrBroken, err)
	}
	roots := map[string]string{} // of replies to replies
	var lines []line
	for _, m := range e.Messages {
		if m.Type != "" && m.Type != "Default" && m.Type != "Reply" {
			continue
		}
		words := []string{m.Content}
		for _, b := range m.Embeds {
			words = append(words, b.Title, b.Description)
			for _, f := range b.Fields {
				words = append(words, f.Name+": "+f.Value)
			}
		}
		for _, a := range m.Attachments {
			words = append(words, "["+cmp.Or(a.FileName, "file")+"]")
		}
		words = slices.DeleteFunc(words, func(s string) bool { return strings.TrimSpace(s) == "" })
		if len(words) == 0 {
			continue
		}
		under := cmp.Or(roots[m.Reference.MessageID], m.Reference.MessageID)
		if under != "" {
			roots[m.ID] = under
		}
		lines = append(lines, line{id: m.ID, under: under, at: m.Timestamp.UTC(), author: cmp.Or(m.Author.Nickname, m.Author.Name), text: strings.Join(words, "\n")})
	}
	return conversation("#"+cmp.Or(e.Channel.Name, e.Guild.Name), lines, add)
}
