package slack_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// parcelFor returns a parcel of two files for a reply.
func parcelFor(ref bot.Ref, th string) bot.Parcel {
	return bot.Parcel{
		To: target("C1", th), Ref: ref, Key: "files-r1", Text: "📎 Files <!channel> & more",
		Files: []bot.Artifact{
			{N: 0, Name: "결과.md", MIME: "text/markdown", Size: 8, Data: []byte("# 결과")},
			{N: 1, Name: "results.json", MIME: "application/json", Size: 2, Data: []byte("[]")},
		},
	}
}

// withFiles returns the messages of a thread that carry files.
func (w *world) withFiles(th string) []slackfake.Message {
	return slices.DeleteFunc(w.Replies("C1", th), func(m slackfake.Message) bool { return len(m.Files) == 0 })
}

func TestUpload(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	th, ts := w.posted(bot.Card{Kind: bot.CardText, Text: "done", Final: true})
	p := parcelFor(bot.Ref{Thread: thread("C1", th), Channel: "C1", Messages: []string{ts}}, th)
	if err := w.adapter.Upload(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	got := w.withFiles(th)
	if len(got) != 1 || got[0].Thread != th {
		t.Fatalf("messages with files: %+v", got)
	}
	files := w.Uploaded(got[0])
	if len(files) != 2 || files[0].Name != "결과.md" || string(files[0].Data) != "# 결과" || string(files[1].Data) != "[]" {
		t.Errorf("files %+v", files)
	}
	if strings.Contains(got[0].Text, "<!channel>") || !strings.Contains(got[0].Text, "Files") {
		t.Errorf("text %q", got[0].Text)
	}
	p.Again = true // the process died before it said so
	if err := w.adapter.Upload(t.Context(), p); err != nil || len(w.withFiles(th)) != 1 {
		t.Errorf("%v; %d messages with files", err, len(w.withFiles(th)))
	}
	p.Key = "files-r2" // of another run, broken off before it was shared
	if err := w.adapter.Upload(t.Context(), p); err != nil || len(w.withFiles(th)) != 2 {
		t.Errorf("%v; %d messages with files", err, len(w.withFiles(th)))
	}
}

// TestUploadIsWithdrawn: the files of a parcel go, once and also when their deletion was not answered, and no others.
func TestUploadIsWithdrawn(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	th, ts := w.posted(bot.Card{Kind: bot.CardText, Text: "done", Final: true})
	p := parcelFor(bot.Ref{Thread: thread("C1", th), Channel: "C1", Messages: []string{ts}}, th)
	other := p
	other.Key = "files-r2"
	for _, p := range []bot.Parcel{p, other} {
		if err := w.adapter.Upload(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	w.Fail(slackfake.Fault{Method: "files.delete", Drop: true, Done: true, Times: 1})
	for range 2 {
		if err := w.adapter.Withdraw(t.Context(), bot.Parcel{To: p.To, Key: p.Key, Removable: true}); err != nil {
			t.Fatal(err)
		}
		if got := w.withFiles(th); len(got) != 1 || len(w.Uploaded(got[0])) != 2 {
			t.Errorf("messages with files: %+v", got)
		}
	}
}

// Whatever breaks on the way, the files are there once in the end.
func TestUploadSurvives(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]slackfake.Fault{
		"limited":                   {Method: "files.getUploadURLExternal", Status: 429, After: 1, Times: 1},
		"no_address":                {Method: "files.getUploadURLExternal", Status: 500, Times: 1},
		"bytes_refused":             {Method: "upload", Status: 500, Times: 1},
		"share_lost_on_the_way":     {Method: "files.completeUploadExternal", Drop: true, Times: 1},
		"share_done_answer_lost":    {Method: "files.completeUploadExternal", Drop: true, Done: true, Times: 1},
		"share_done_error_said":     {Method: "files.completeUploadExternal", Code: "internal_error", Done: true, Times: 1},
		"share_limited":             {Method: "files.completeUploadExternal", Status: 429, After: 1, Times: 1},
		"thread_unreadable_a_while": {Method: "conversations.replies", Status: 500, Times: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, slackfake.Options{})
			th, ts := w.posted(bot.Card{Kind: bot.CardText, Text: "done", Final: true})
			w.Fail(f)
			if name == "thread_unreadable_a_while" {
				w.Fail(slackfake.Fault{Method: "files.completeUploadExternal", Drop: true, Done: true, Times: 1})
			}
			err := w.adapter.Upload(t.Context(), parcelFor(bot.Ref{Thread: thread("C1", th), Channel: "C1", Messages: []string{ts}}, th))
			if err != nil || len(w.withFiles(th)) != 1 {
				t.Errorf("%v; %d messages with files", err, len(w.withFiles(th)))
			}
		})
	}
}

func TestUploadThatIsRefused(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]error{"missing_scope": bot.ErrForbidden, "file_uploads_disabled": bot.ErrForbidden, "not_in_channel": bot.ErrForbidden, "channel_not_found": bot.ErrGone} {
		w := start(t, slackfake.Options{})
		th, ts := w.posted(bot.Card{Kind: bot.CardText, Text: "done", Final: true})
		w.Fail(slackfake.Fault{Method: "files.completeUploadExternal", Code: code})
		err := w.adapter.Upload(t.Context(), parcelFor(bot.Ref{Thread: thread("C1", th), Channel: "C1", Messages: []string{ts}}, th))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// Files of a command go to who gave it, where nobody else sees them.
func TestFileOfACommand(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		w.in.onCommand = func(c bot.Invocation) (*bot.Card, error) {
			return &bot.Card{
				Kind: bot.CardNotice, Title: "Usage", Text: "A file.", Language: "ko", Final: true,
				Files: []bot.Artifact{{Name: "usage.csv", MIME: "text/csv", Size: 4, Data: []byte("day\n")}},
			}, nil
		}
		w.Slash("U1", "C1", "/maru", "usage csv")
		w.until("the word", func() bool { return len(w.Whispers("U1")) == 1 })
		if said := w.Whispers("U1")[0]; !strings.Contains(said.Shown(), "A file.") || !strings.Contains(said.Shown(), "다이렉트 메시지") {
			t.Errorf("said %+v", said)
		}
		got := w.Messages("D1", "")
		if len(got) != 1 || len(got[0].Files) != 1 || string(w.Uploaded(got[0])[0].Data) != "day\n" || w.Uploaded(got[0])[0].Name != "usage.csv" {
			t.Fatalf("in the direct conversation: %+v", got)
		}
		if in := w.Messages("C1", ""); len(in) != 0 {
			t.Errorf("in the channel: %+v", in)
		}
		w.Fail(slackfake.Fault{Method: "files.completeUploadExternal", Code: "missing_scope"})
		w.Slash("U1", "C1", "/maru", "usage csv")
		w.until("the excuse", func() bool { return len(w.Whispers("U1")) == 2 })
		if said := w.Whispers("U1")[1].Shown(); !strings.Contains(said, "files:write") || strings.Contains(said, "A file.") || strings.Contains(said, "올려 두었어요") {
			t.Errorf("said %s", said)
		}
	})
}
