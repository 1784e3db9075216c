package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// sentFile is a file of a message; announced is the size of one that never ends.
type sentFile struct {
	name, mime string
	data       []byte
	announced  int
}

// badInput is a message that few programs expect.
type badInput struct {
	on     string // the platform, "" for both
	text   string
	files  []sentFile
	app    map[string]any // another message, to which this one replies
	beside map[string]any // members of the message itself
	reply  string         // what the bot says in the end
	sees   string         // what the model sees
	hidden string         // and what it does not
	most   int64          // bytes that may be downloaded of an endless file
}

func many(n int, f func(i int) sentFile) (out []sentFile) {
	for i := range n {
		out = append(out, f(i))
	}
	return out
}

// venue is a platform on which messages are sent. say returns the thread of a message, said what the bot wrote there.
type venue struct {
	say  func(in badInput) string
	said func(thread string) string
	wait func(there func() bool) error
	sent func() int64
	p    *program
}

func slackVenue(t *testing.T, model *llmtest.Server) venue {
	t.Helper()
	w := newSlackWorld(t, model, "OPENAI_TRANSCRIPTION_MODEL=whisper-1")
	w.start()
	return venue{
		say: func(in badInput) string {
			var ids []string
			for _, f := range in.files {
				ids = append(ids, w.slack.AddFile(slackfake.File{Name: f.name, MIME: f.mime, Data: f.data, Announced: f.announced}))
			}
			text := strings.TrimSpace("<@UBOT> " + in.text)
			switch {
			case in.app != nil:
				root := w.slack.SayByApp("C1", "", in.app)
				w.slack.Say("U1", "C1", text, root)
				return root
			case in.beside != nil:
				return w.slack.SayBeside("U1", "C1", text, in.beside)
			case in.files != nil:
				return w.slack.SayFiles("U1", "C1", text, "", ids...)
			}
			return w.slack.Say("U1", "C1", text, "")
		},
		said: func(thread string) string {
			out := ""
			for _, m := range w.slack.Replies("C1", thread) {
				if m.User == w.slack.BotUser() || m.BotID == "BMARU" {
					out += m.Shown() + "\n"
				}
			}
			return out
		},
		wait: func(there func() bool) error { return w.slack.Wait(within(t, atMost), there) },
		sent: w.slack.Poured, p: w.program,
	}
}

func discordVenue(t *testing.T, model *llmtest.Server) venue {
	t.Helper()
	w := newDiscordWorld(t, model, "OPENAI_TRANSCRIPTION_MODEL=whisper-1")
	w.begin()
	app := w.discord.AddBot("Monitor")
	return venue{
		say: func(in badInput) string {
			var files []discordfake.File
			for _, f := range in.files {
				if f.announced > 0 {
					files = append(files, w.discord.PutEndless(f.name, f.mime, f.announced, f.data))
				} else {
					files = append(files, w.discord.PutFile(f.name, f.mime, f.data))
				}
			}
			text := strings.TrimSpace(w.discord.Mention() + " " + in.text)
			content := func(of map[string]any) (string, map[string]any) {
				beside := maps.Clone(of)
				delete(beside, "content")
				words, _ := of["content"].(string)
				return words, beside
			}
			switch {
			case in.app != nil:
				words, beside := content(in.app)
				m := w.discord.SayBeside(app, w.general, words, beside)
				return w.discord.Reply(w.user, w.general, text, m.ID).ID
			case in.beside != nil:
				_, beside := content(in.beside)
				return w.discord.SayBeside(w.user, w.general, text, beside).ID
			}
			return w.discord.SayWith(w.user, w.general, text, "", files...).ID
		},
		said: func(thread string) string {
			out := ""
			for _, m := range w.discord.BotMessages(thread) {
				out += m.Content + "\n"
			}
			return out
		},
		wait: func(there func() bool) error { return w.discord.Await(within(t, atMost), there) },
		sent: w.discord.Poured, p: w.program,
	}
}

// badInputs are messages at the limits of the platforms and beyond what a program reads.
func badInputs(t *testing.T) map[string]badInput {
	t.Helper()
	shot, sound := pictureOf(t, 40, 30), []byte(strings.Repeat("sound", 20_000))
	pictures := many(50, func(i int) sentFile {
		return sentFile{name: fmt.Sprintf("shot-%02d.png", i), mime: "image/png", data: shot}
	})
	notes := many(30, func(i int) sentFile {
		return sentFile{name: fmt.Sprintf("n%02d.txt", i), mime: "text/plain", data: fmt.Appendf(nil, "Note %d: the code is K-%d.", i, i)}
	})
	empty := []sentFile{{name: "empty.txt", mime: "text/plain", data: []byte{}}}
	longName := []sentFile{{name: strings.Repeat("가나", 1998) + ".txt", mime: "text/plain", data: []byte("The office moves to Busan.")}}
	endless := func(name string, announced int) []sentFile {
		return []sentFile{{name: name, mime: "audio/ogg", data: sound, announced: announced}}
	}
	poll := func(title string, results map[string]any, options ...string) map[string]any {
		answers := []any{}
		for i, o := range options {
			answers = append(answers, map[string]any{"answer_id": i + 1, "poll_media": map[string]any{"text": o}})
		}
		p := map[string]any{"question": map[string]any{"text": title}, "answers": answers, "expiry": nil}
		if results != nil {
			p["results"] = results
		}
		return map[string]any{"content": "", "poll": p}
	}
	blank := map[string]any{"name": "\u200b", "value": "\u200b", "inline": true}
	share := map[string]any{
		"is_share": true, "is_msg_unfurl": true, "channel_id": "C2", "ts": "1700000000.000100", "fallback": "[no preview available]",
		"from_url": "https://fake.slack.com/archives/C2/p1700000000000100",
	}
	return map[string]badInput{
		"fifty_pictures":    {text: "이 그림들에 뭐가 있어?", files: pictures, reply: "그림은 한 번에 5장까지 볼 수 있어서", sees: "shot-49.png"},
		"endless_recording": {text: "이 녹음 요약해줘", files: endless("회의.ogg", 200<<20), reply: "회의.ogg 파일이 너무 커요(200 MB)", sees: "이 녹음 요약해줘"},
		"lying_recording":   {text: "what was said in this recording?", files: endless("call.ogg", 1<<10), reply: "I see", sees: "call.ogg", most: 40 << 20},
		"thirty_files":      {text: "summarise these files", files: notes, reply: "I see", sees: "n29.txt"},
		"long_name":         {text: "이 파일 요약해줘", files: longName, reply: "I see", sees: "….txt", hidden: strings.Repeat("가나", 101)},
		"empty_file":        {text: "summarise this", files: empty, reply: "empty.txt is empty"},
		"long_message":      {on: "slack", text: strings.Repeat("긴 문장입니다. ", 4_440) + "무슨 뜻이야?", reply: "I see", sees: "무슨 뜻이야?"},
		"poll_no_options":   {on: "discord", text: "who wins?", app: poll("Lunch?", nil), reply: "I see", sees: "[poll] Lunch?\nno options"},
		"poll_no_votes":     {on: "discord", text: "누가 이기고 있어?", app: poll("점심?", map[string]any{"is_finalized": false, "answer_counts": []any{}}, "국수"), reply: "I see", sees: "- 국수: 0"},
		"poll_over":         {on: "discord", text: "who won?", app: poll("Lunch?", map[string]any{"is_finalized": true, "answer_counts": []any{}}, "Noodles"), reply: "I see", sees: "- Noodles: 0\nended"},
		"empty_fields":      {on: "discord", text: "뭐라고 써 있어?", app: map[string]any{"content": "", "embeds": []any{map[string]any{"type": "rich", "fields": slices.Repeat([]any{blank}, 25)}}}, reply: "I see", sees: "[cannot be read: card without words]"},
		"empty_attachment":  {on: "slack", text: "what does it say?", app: map[string]any{"bot_id": "B0G", "username": "Grafana", "text": "", "attachments": []any{map[string]any{"fields": slices.Repeat([]any{map[string]any{"title": "", "value": ""}}, 25)}}}, reply: "I see", sees: "[cannot be read: card without words]"},
		"gone_forward":      {on: "discord", text: "이거 요약해줘", beside: map[string]any{"message_reference": map[string]any{"type": 1, "message_id": "999", "channel_id": "998"}}, reply: "I see", sees: "[cannot be read: forwarded message]"},
		"gone_share":        {on: "slack", text: "summarise this", beside: map[string]any{"attachments": []any{share}}, reply: "I see", sees: "[cannot be read: forwarded message]"},
		"only_sticker":      {on: "discord", beside: map[string]any{"sticker_items": []any{map[string]any{"id": "77", "name": "party", "format_type": 1}}}, reply: "I see", sees: "[sticker: party]"},
		"only_empty_file":   {on: "slack", files: empty, reply: "empty.txt 파일이 비어 있어요"},
		"sent_empty_file":   {on: "discord", files: empty, reply: "empty.txt is empty"},
		"empty_recording":   {text: "what was said?", files: []sentFile{{name: "call.ogg", mime: "audio/ogg", data: []byte{}}}, reply: "call.ogg is empty"},
		"nothing":           {on: "discord", reply: "How can I help?"},
	}
}

// TestBadInputs: each gets an answer or a clear sentence, the model sees what there is, and an endless file is neither
// downloaded beyond the limit nor held in memory.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	unraced(t)
	for on, begin := range map[string]func(*testing.T, *llmtest.Server) venue{"slack": slackVenue, "discord": discordVenue} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			model, inputs := looker(t, false), badInputs(t)
			v := begin(t, model)
			for _, name := range slices.Sorted(maps.Keys(inputs)) {
				in := inputs[name]
				if in.on != "" && in.on != on {
					continue
				}
				chats, sent := len(model.Chats()), v.sent()
				thread := v.say(in)
				if err := v.wait(func() bool { return strings.Contains(v.said(thread), in.reply) }); err != nil {
					t.Errorf("%s: the reply is %q", name, v.said(thread))
				}
				prompt := seenAfter(model, chats)
				if !strings.Contains(prompt, in.sees) || in.hidden != "" && strings.Contains(prompt, in.hidden) {
					t.Errorf("%s: the model sees %s", name, ending(prompt))
				}
				if got := v.sent() - sent; got > in.most {
					t.Errorf("%s: %d bytes of the endless file were downloaded", name, got)
				}
				t.Logf("%s: %s", name, v.said(thread))
			}
			if got := peak(t, v.p); got > 512<<10 {
				t.Errorf("the program held %d KiB", got)
			}
		})
	}
}

// peak returns the largest resident memory of a program, in KiB.
func peak(t *testing.T, p *program) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	must(t, "read the memory of the program", err)
	n, err := strconv.Atoi(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(status))[1])
	must(t, "read the memory of the program", err)
	return n
}
