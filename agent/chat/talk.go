package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// A request about a channel is answered from the messages that came with it: in one call if they fit, else from notes on their
// parts. No tool is called. State keeps the notes and the answer; prompts are stored without the messages.

// readTalk makes notes on the parts of a channel's messages that do not fit one prompt.
func readTalk(ctx context.Context, a *Agent, x *workflow.Exec) ([]graph.Write, error) {
	all := talkParts(x.Request.Talk.Posts)
	if len(all) < 2 {
		return nil, nil
	}
	var notes []string
	from := 0
	for i, part := range all {
		x.Doing("agent.reading_part", i+1, len(all))
		note, err := graph.Repeatable(ctx, fmt.Sprintf("talk %d %s", from, linksOf(part)), func(ctx context.Context, _ string) (string, error) {
			return readTalkPart(ctx, a, x, part, from, i+1, len(all))
		})
		if err != nil {
			return nil, err
		}
		notes, from = append(notes, fmt.Sprintf("Part %d of %d:\n%s", i+1, len(all), note)), from+len(part)
	}
	return []graph.Write{a.ch.notes.Set(strings.Join(notes, "\n\n"))}, nil
}

// linksOf returns a short name of messages: notes on others are of other numbers.
func linksOf(part []agent.Post) string {
	h := sha256.New()
	for _, p := range part {
		fmt.Fprintf(h, "%q %q %d\n", p.Link, p.Text, p.At.UnixNano())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// talkParts divides messages into the prompts that they fill, at most [agent.TalkParts].
func talkParts(posts []agent.Post) (out [][]agent.Post) {
	room := 0
	for _, p := range posts {
		width := fit.Width(p.Text) + agent.TalkMargin
		if room -= width; room < 0 && len(out) < agent.TalkParts || len(out) == 0 {
			out, room = append(out, nil), agent.TalkWidth-width
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	return out
}

func readTalkPart(ctx context.Context, a *Agent, x *workflow.Exec, part []agent.Post, from, n, of int) (string, error) {
	system, err := host.Render(prompts(), promptTalkPart, map[string]any{
		"Place": x.Request.Talk.Place, "N": n, "Of": of, "Language": workflow.LanguageName(x.Request.Language),
	})
	if err != nil {
		return "", err
	}
	text, data := postsOf(x, part, from)
	working, cancel := agent.Working(ctx, x.Request.Until)
	defer cancel()
	resp, err := x.Bind(a.cfg.Model).Generate(working, llm.Request{
		Purpose: llm.ForSummary, Temperature: a.cfg.Temperature, Passages: data,
		Messages: []llm.Message{
			{Role: llm.System, Content: system},
			{Role: llm.User, Content: "The request:\n" + x.Request.Text + "\n\nThe messages:\n" + text},
		},
	}, nil)
	if err != nil {
		return "", err
	}
	return fit.Clip(strings.TrimSpace(resp.Message.Content), maxNote), nil
}

// tellTalk answers a request about a channel.
func tellTalk(ctx context.Context, a *Agent, x *workflow.Exec, s graph.State) ([]graph.Write, error) {
	talk := x.Request.Talk
	text, data := postsOf(x, talk.Posts, 0)
	system, err := host.Render(prompts(), promptTalk, map[string]any{
		"Today": host.Today(x.Request), "Language": workflow.LanguageName(x.Request.Language), "User": x.Request.User.Name, "Persona": x.Request.Persona,
		"Place": talk.Place, "Notes": a.ch.notes.Get(s), "Posts": text,
	})
	if err != nil {
		return nil, err
	}
	working, cancel := agent.Working(ctx, x.Request.Until)
	defer cancel()
	resp, err := x.Bind(a.cfg.Model).Generate(working, llm.Request{
		Purpose: llm.ForDigest, Temperature: a.cfg.Temperature, Passages: data,
		Messages: []llm.Message{{Role: llm.System, Content: system}, {Role: llm.User, Content: x.Request.Text}},
	}, func(piece string) { x.Emit(agent.Event{Kind: agent.EventToken, Text: piece}) })
	if err != nil {
		return nil, err
	}
	answer := toPosts(resp.Message.Content, talk.Posts)
	if answer != resp.Message.Content {
		x.Emit(agent.Event{Kind: agent.EventReset})
		x.Emit(agent.Event{Kind: agent.EventToken, Text: answer})
	}
	return a.answered(x, s, answer, nil, resp.Message), nil
}

// postsOf returns messages for a prompt, by day in the person's time zone and with their numbers counted on from, and as data for
// the built-in model. Nothing keeps the text.
func postsOf(x *workflow.Exec, posts []agent.Post, from int) (string, []llm.Passage) {
	var b, kept strings.Builder
	data := make([]llm.Passage, 0, len(posts))
	day := ""
	for i, p := range posts {
		at := x.Request.User.Clock(p.At)
		if d := at.Format("2006-01-02 (Monday)"); d != day {
			day = d
			b.WriteString(day + "\n")
			kept.WriteString(day + "\n[…]\n")
		}
		text := fit.OneLine(p.Text)
		fmt.Fprintf(&b, "[%d] %s %s: %s\n", from+i+1, at.Format("15:04"), p.Author, text)
		data = append(data, llm.Passage{N: from + i + 1, Title: p.Author, Document: at.Format("2006-01-02"), Text: text})
	}
	shown := strings.TrimSpace(b.String())
	x.Unkept(strings.TrimSpace(kept.String()), shown)
	return shown, data
}

// label of links: characters that would end it are left out.
var linkable = strings.NewReplacer("[", "(", "]", ")", "\\", "", "`", "'", "*", "", "_", " ", "<", "", ">", "")

// toPosts replaces the numbers of messages in an answer by links to them, once for each of a row of numbers. Other brackets stay, as
// those of "[2024]" and "arr[0]".
func toPosts(answer string, posts []agent.Post) string {
	answer = postNumber.ReplaceAllStringFunc(joinedNumbers.ReplaceAllStringFunc(answer, func(s string) string { return apart(s, len(posts)) }), func(s string) string {
		n, err := strconv.Atoi(strings.Trim(s, "[]"))
		if err != nil || n < 1 || n > len(posts) {
			return s
		}
		p := posts[n-1]
		if p.Link == "" {
			return "(" + linkable.Replace(p.Author) + ")"
		}
		return "[(" + linkable.Replace(fit.Clip(p.Author, maxAuthor)) + ")](" + p.Link + ")"
	})
	return strings.TrimSpace(answer)
}

// postNumber matches the number of a message in an answer.
var postNumber = pattern.New(`\[\d{1,4}\]`)

// joinedNumbers matches several numbers in one pair of brackets: [3, 12].
var joinedNumbers = pattern.New(`\[\d{1,4}(?:\s*[,;]\s*\d{1,4})+\]`)

// apart gives each number its own brackets, if all are of the messages.
func apart(s string, messages int) string {
	numbers := strings.FieldsFunc(strings.Trim(s, "[]"), func(r rune) bool { return r < '0' || r > '9' })
	if slices.ContainsFunc(numbers, func(s string) bool { n, err := strconv.Atoi(s); return err != nil || n < 1 || n > messages }) {
		return s
	}
	return "[" + strings.Join(numbers, "][") + "]"
}

const maxAuthor = 40 // characters of an author's name in an answer
