package talk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/rag/load/outline"
	"maru/rag/load/pack"
)

// IsSlack reports whether an archive of these files is an export of a Slack workspace: its people, and days of channels.
func IsSlack(names []string) bool {
	days := 0
	for _, n := range names {
		if day.MatchString(n) {
			days++
		}
	}
	return days > 0 && slices.Contains(names, "users.json")
}

// day is the file of a channel's day.
var day = regexp.MustCompile(`^([^/]+)/\d{4}-\d\d-\d\d\.json$`)

type slackUser struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	RealName string `json:"real_name"`
	Profile  struct {
		RealName    string `json:"real_name"`
		DisplayName string `json:"display_name"`
	} `json:"profile"`
}

type slackMessage struct {
	Type     string `json:"type"`
	Subtype  string `json:"subtype"`
	User     string `json:"user"`
	Username string `json:"username"`
	Text     string `json:"text"`
	TS       string `json:"ts"`
	Thread   string `json:"thread_ts"`
	Profile  struct {
		RealName    string `json:"real_name"`
		DisplayName string `json:"display_name"`
	} `json:"user_profile"`
	Blocks  any            `json:"blocks"`
	Replies []slackMessage `json:"slackdump_thread_replies"`
	Files   []struct {
		Name  string `json:"name"`
		Title string `json:"title"`
	} `json:"files"`
	Attachments []struct {
		Pretext string `json:"pretext"`
		Title   string `json:"title"`
		Text    string `json:"text"`
		Fields  []struct {
			Title string `json:"title"`
			Value any    `json:"value"`
		} `json:"fields"`
	} `json:"attachments"`
}

// Slack passes the channels of an export on. read unpacks a file of it.
func Slack(names []string, read func(string) ([]byte, error), add outline.Add) error {
	people := map[string]string{}
	var users []slackUser
	if err := decode("users.json", read, &users); err != nil {
		return err
	}
	for _, u := range users {
		people[u.ID] = cmp.Or(u.Profile.RealName, u.RealName, u.Profile.DisplayName, u.Name)
	}
	channels := map[string][]string{} // days
	for _, n := range names {
		if m := day.FindStringSubmatch(n); m != nil {
			channels[m[1]] = append(channels[m[1]], n)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(channels)) {
		var all []slackMessage
		for _, file := range slices.Sorted(slices.Values(channels[c])) {
			var said []slackMessage
			if err := decode(file, read, &said); err != nil {
				return err
			}
			all = append(all, said...)
		}
		if err := conversation("#"+c, linesOf(all, people), add); err != nil {
			return err
		}
	}
	return nil
}

func linesOf(said []slackMessage, people map[string]string) (lines []line) {
	for _, m := range said {
		if l, ok := m.line(people); ok {
			lines = append(lines, l)
		}
	}
	return lines
}

// slackDump is the file of one conversation, as programs write it that copy from Slack.
type slackDump struct {
	Channel  string         `json:"channel_id"`
	Name     string         `json:"name"`
	Messages []slackMessage `json:"messages"`
}

// stamp matches the time of a message, which is its ID.
var stamp = regexp.MustCompile(`^\d{10}\.\d{6}$`)

// SlackMessages passes one conversation on, if a JSON text is one: a day of a channel, or a dump of a channel. People are named as far
// as their messages name them.
func SlackMessages(text []byte, add outline.Add) (is bool, err error) {
	var d slackDump
	if head := text[:min(len(text), 8<<10)]; !bytes.Contains(head, []byte(`"message"`)) || !bytes.Contains(head, []byte(`"ts"`)) {
		return false, nil
	}
	if json.Unmarshal(text, &d.Messages) != nil && json.Unmarshal(text, &d) != nil || len(d.Messages) == 0 ||
		slices.ContainsFunc(d.Messages, func(m slackMessage) bool { return m.Type != "message" || !stamp.MatchString(m.TS) }) {
		return false, nil
	}
	people := map[string]string{}
	for i := 0; i < len(d.Messages); i++ {
		m := d.Messages[i]
		if name := cmp.Or(m.Profile.RealName, m.Profile.DisplayName); name != "" {
			people[m.User] = name
		}
		d.Messages = append(d.Messages, m.Replies...)
	}
	if slices.ContainsFunc(d.Messages, func(m slackMessage) bool { _, ok := m.line(people); return !ok && m.Subtype == "" }) {
		return false, nil // it says something in a way of its own
	}
	name := cmp.Or(d.Name, d.Channel)
	if name != "" {
		name = "#" + name
	}
	return true, conversation(name, linesOf(d.Messages, people), add)
}

func decode(name string, read func(string) ([]byte, error), into any) error {
	b, err := read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%w: %s: %w", pack.ErrBroken, path.Base(name), err)
	}
	return nil
}

// line reads a message; ok is false for joins, topics and the like.
func (m slackMessage) line(people map[string]string) (line, bool) {
	switch m.Subtype {
	case "", "file_share", "thread_broadcast", "me_message", "bot_message", "file_comment":
	default:
		return line{}, false
	}
	words := []string{m.Text}
	for _, a := range m.Attachments {
		words = append(words, a.Pretext, a.Title, a.Text)
		for _, f := range a.Fields {
			words = append(words, fmt.Sprintf("%s: %v", f.Title, f.Value))
		}
	}
	for _, f := range m.Files {
		words = append(words, "["+cmp.Or(f.Name, f.Title, "file")+"]")
	}
	words = slices.DeleteFunc(words, func(s string) bool { return strings.TrimSpace(s) == "" })
	if said := strings.TrimSpace(shown(m.Blocks)); len(words) == 0 && said != "" {
		words = []string{said}
	}
	sec, err := strconv.ParseFloat(m.TS, 64)
	if err != nil || len(words) == 0 {
		return line{}, false
	}
	author := cmp.Or(people[m.User], m.Profile.RealName, m.Profile.DisplayName, m.Username, m.User)
	return line{id: m.TS, under: m.Thread, at: time.Unix(int64(sec), 0).UTC(), author: author, text: plain(strings.Join(words, "\n"), people)}, true
}

// shown returns the text of blocks, in the form of the text of a message.
func shown(block any) (text string) {
	switch b := block.(type) {
	case []any:
		var all strings.Builder
		for _, e := range b {
			all.WriteString(shown(e))
		}
		return all.String()
	case map[string]any:
		kind, _ := b["type"].(string)
		text, _ = b["text"].(string)
		if who, _ := b["user_id"].(string); who != "" {
			text = "<@" + who + ">"
		} else if url, _ := b["url"].(string); kind == "link" {
			text = "<" + url + "|" + text + ">"
		}
		text += shown(b["text"]) + shown(b["fields"]) + shown(b["elements"])
		if (kind == "mrkdwn" || kind == "plain_text" || strings.HasPrefix(kind, "rich_text_")) && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
	}
	return text
}

var (
	token    = regexp.MustCompile(`<([^<>|]*)(?:\|([^<>]*))?>`)
	entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// plain decodes Slack's text.
func plain(s string, people map[string]string) string {
	return entities.Replace(token.ReplaceAllStringFunc(s, func(t string) string {
		m := token.FindStringSubmatch(t)
		target, label := m[1], m[2]
		switch {
		case strings.HasPrefix(target, "@"):
			return "@" + cmp.Or(people[target[1:]], label, target[1:])
		case strings.HasPrefix(target, "#"), strings.HasPrefix(target, "!"):
			name, _, _ := strings.Cut(target[1:], "^")
			return strings.NewReplacer("#", "#", "!", "@").Replace(target[:1]) + strings.TrimLeft(cmp.Or(label, name), "@#")
		case label != "" && label != target:
			return label + " (" + target + ")"
		}
		return target
	}))
}
