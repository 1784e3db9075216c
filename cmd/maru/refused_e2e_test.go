package main

import (
	"bytes"
	"mime/multipart"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/rag/load"
	"maru/rag/load/loadtest"
)

// overLimit are files that are refused, and one that is too large for MARU_MAX_FILE=1MiB.
// A short run has some of the others: each is read by a program of its own.
func overLimit(t *testing.T) []loadtest.File {
	t.Helper()
	files := []loadtest.File{{Name: "huge.txt", Data: bytes.Repeat([]byte("x"), 1<<20+1<<19), Code: "too_large"}}
	for _, f := range loadtest.Refused() {
		if sampled(t, f.Name) {
			files = append(files, f)
		}
	}
	return files
}

// toldOf returns what a person is told of a file.
func toldOf(f loadtest.File, language string) string {
	if f.Code == "too_large" {
		return (&load.Error{Code: load.TooLarge, Name: f.Name, Size: int64(len(f.Data)), Limit: 1 << 20}).PeopleText(language)
	}
	return (&load.Error{Code: load.Code(f.Code), Name: f.Name}).PeopleText(language)
}

// TestSlackRefusesFiles uploads each to Slack: who did reads why not.
func TestSlackRefusesFiles(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t), "MARU_MAX_FILE=1MiB")
	w.start()
	for i, f := range overLimit(t) {
		id := w.slack.AddFile(slackfake.File{Name: f.Name, Data: f.Data})
		language, ask := "ko", "<@UBOT> 이 파일 추가해 줘"
		if i%2 == 1 {
			language, ask = "en", "<@UBOT> please add this file"
		}
		root := w.slack.SayFiles("U1", "C1", ask, "", id)
		w.await("C1", root, 1, slackText(toldOf(f, language)))
	}
}

// slackText is text as it is in a message.
func slackText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// TestDiscordRefusesFiles attaches each on Discord.
func TestDiscordRefusesFiles(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, brain(t), "MARU_MAX_FILE=1MiB")
	w.begin()
	for i, f := range overLimit(t) {
		file := w.discord.PutFile(f.Name, "application/octet-stream", f.Data)
		language, ask := "ko", " 이 파일 추가해 줘"
		if i%2 == 1 {
			language, ask = "en", " please add this file"
		}
		q := w.discord.SayWith(w.user, w.general, w.discord.Mention()+ask, "", file)
		w.await(q.ID, 1, toldOf(f, language))
	}
}

// TestWebRefusesFiles uploads each through the console's door.
func TestWebRefusesFiles(t *testing.T) {
	t.Parallel()
	unraced(t)
	p := newProgram(t, "MARU_MAX_FILE=1MiB")
	p.start()
	for _, f := range overLimit(t) {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("file", f.Name)
		if err == nil {
			_, err = part.Write(f.Data)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Error struct{ Code, Text string }
		}
		status := p.api("POST", "/api/documents?thread=first", &form, w.FormDataContentType(), &got)
		want := toldOf(f, "en")
		if f.Code == "too_large" {
			want = f.Name + " is too large: " // the request's size is that of the file with its frame
		}
		if status != 413 && status != 422 || !strings.HasPrefix(got.Error.Text, want) {
			t.Errorf("%s: %d %+v, want %q", f.Name, status, got.Error, want)
		}
	}
}
