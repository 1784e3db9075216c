package discord_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// parcelFor returns a parcel of files for an answer.
func parcelFor(m bot.Message, ref bot.Ref) bot.Parcel {
	return bot.Parcel{
		To: bot.Target{Thread: m.Thread, Title: m.Text, User: m.User}, Ref: ref, Key: "files-r1", Text: "📎 Files @everyone",
		Files: []bot.Artifact{
			{N: 0, Name: "결과.md", MIME: "text/markdown", Size: 8, Data: []byte("# 결과")},
			{N: 1, Name: "SPOILER_spoiler_results.json", MIME: "application/json", Size: 2, Data: []byte("[]")},
		},
	}
}

// withFiles returns the bot's messages in a place that carry files.
func (w *world) withFiles(channel string) []discordfake.Message {
	return slices.DeleteFunc(w.fake.BotMessages(channel), func(m discordfake.Message) bool { return len(m.Files) == 0 })
}

func TestUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("make it")
	ref := w.post(m, text("done"), "k")
	p := parcelFor(m, ref)
	p.Files[0].Size = int64(len(p.Files[0].Data))
	p.Files = append(p.Files, bot.Artifact{N: 2, Name: "huge.bin", Size: 11 << 20, Data: make([]byte, 11<<20)})
	if err := w.a.Upload(w.ctx, p); err != nil {
		t.Fatal(err)
	}
	got := w.withFiles(m.ID)
	if len(got) != 1 || len(got[0].Files) != 2 {
		t.Fatalf("messages with files: %+v", got)
	}
	names := []string{got[0].Files[0].Name, got[0].Files[1].Name}
	if !slices.Equal(names, []string{"결과.md", "results.json"}) || string(w.fake.FileData(got[0].Files[0].ID)) != "# 결과" {
		t.Errorf("files %v", names)
	}
	if !strings.Contains(got[0].Content, "huge.bin") || !strings.Contains(got[0].Content, "11 MiB") {
		t.Errorf("text %q", got[0].Content)
	}
	// The process died before it said so, and Discord has forgotten the nonce.
	w.fake.ForgetNonces()
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.in = w.in.heir()
	w.start(discord.Config{})
	w.ask("are you there?")
	p.Again = true
	if err := w.a.Upload(w.ctx, p); err != nil || len(w.withFiles(m.ID)) != 1 {
		t.Errorf("%v; %d messages with files", err, len(w.withFiles(m.ID)))
	}
	p.Key = "files-r2" // of another run: nothing was ever sent of it
	if err := w.a.Upload(w.ctx, p); err != nil || len(w.withFiles(m.ID)) != 2 {
		t.Errorf("%v; %d messages with files", err, len(w.withFiles(m.ID)))
	}
}

// dropNotes drops the notes of a kind, as newer ones in their place do.
func (i *intake) dropNotes(prefix string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.DeleteFunc(i.notes, func(key, _ string) bool { return strings.Contains(key, prefix) })
}

// TestUploadIsWithdrawn: Withdraw deletes the message with the uploaded file. It does so as well if the process died before it
// stored the message's ID, and, once a retry has stored it, after newer posts have taken the slot of the intent.
func TestUploadIsWithdrawn(t *testing.T) {
	t.Parallel()
	for name, retried := range map[string]bool{"noted": false, "died": false, "died_and_retried": true} {
		w := newWorld(t, discordfake.Config{}, discord.Config{})
		m := w.ask("make it")
		p := parcelFor(m, w.post(m, text("done"), "k"))
		for i := range p.Files {
			p.Files[i].Size = int64(len(p.Files[i].Data))
		}
		p.Removable = name == "noted"
		if err := w.a.Upload(w.ctx, p); err != nil || len(w.withFiles(m.ID)) != 1 {
			t.Fatal(name, err, w.withFiles(m.ID))
		}
		if p.Again, p.Removable = true, true; retried {
			if err := w.a.Upload(w.ctx, p); err != nil || len(w.withFiles(m.ID)) != 1 {
				t.Fatal(name, err, w.withFiles(m.ID))
			}
			w.in.dropNotes("post/")
		}
		for range 2 {
			if err := w.a.Withdraw(w.ctx, bot.Parcel{To: p.To, Key: p.Key}); err != nil || len(w.withFiles(m.ID)) != 0 {
				t.Errorf("%s: %v; %d messages with files", name, err, len(w.withFiles(m.ID)))
			}
		}
	}
}

// Whatever breaks on the way, the files are there once in the end.
func TestUploadSurvives(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordfake.Fault{
		"server_error":     {Method: "POST", Path: "/messages", Status: 503, Times: 2},
		"connection_cut":   {Method: "POST", Path: "/messages", Hang: true},
		"posted_but_error": {Method: "POST", Path: "/messages", Status: 500, Done: true},
		"posted_and_cut":   {Method: "POST", Path: "/messages", Hang: true, Done: true},
		"rate_limit":       {Method: "POST", Path: "/messages", Status: 429, After: 0.2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			m := w.ask("make it")
			ref := w.post(m, text("done"), "k")
			w.fake.Fail(fault)
			if err := w.a.Upload(w.ctx, parcelFor(m, ref)); err != nil || len(w.withFiles(m.ID)) != 1 {
				t.Errorf("%v; %d messages with files", err, len(w.withFiles(m.ID)))
			}
		})
	}
}

func TestUploadThatIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("make it")
	ref := w.post(m, text("done"), "k")
	for code, status := range map[int]int{50013: 403, 40005: 413, 400001: 400} { // no right, too large, none for now
		w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/messages", Status: status, Code: code})
		if err := w.a.Upload(w.ctx, parcelFor(m, ref)); !errors.Is(err, bot.ErrForbidden) {
			t.Errorf("%d: %v", code, err)
		}
	}
}

// Files of a command are seen by who gave it alone, also when its token has died.
func TestFileOfACommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	w.in.onCommand = func(bot.Invocation) (*bot.Card, error) {
		return &bot.Card{
			Kind: bot.CardNotice, Title: "Usage", Text: "A file.", Language: "ko", Final: true,
			Files: []bot.Artifact{{Name: "usage.csv", MIME: "text/csv", Size: 4, Data: []byte("day\n")}},
		}, nil
	}
	give := func(fits func(discordfake.Interaction) bool) discordfake.Interaction {
		t.Helper()
		token := w.fake.Slash(w.fake.Alice, w.fake.General, "maru", "docs", map[string]string{"name": "x"})
		if err := w.fake.Await(w.ctx, func() bool { return fits(w.fake.Interaction(token)) }); err != nil {
			t.Fatalf("%+v: %v", w.fake.Interaction(token), err)
		}
		return w.fake.Interaction(token)
	}
	followed := func(i discordfake.Interaction) bool { return len(i.FollowUps) == 1 }
	i := give(followed)
	if f := i.FollowUps[0]; !f.Ephemeral || len(f.Files) != 1 || f.Files[0].Name != "usage.csv" || string(w.fake.FileData(f.Files[0].ID)) != "day\n" {
		t.Errorf("the file: %+v", f)
	}
	if i.Original == nil || !i.Original.Ephemeral || len(w.withFiles(w.fake.General)) != 0 {
		t.Errorf("the answer: %+v", i.Original)
	}
	w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/webhooks/", Status: 403, Code: 50013})
	if f := give(followed).FollowUps[0]; len(f.Files) != 0 || !strings.Contains(fmt.Sprint(f.Content, f.Components), "파일을 전해 드리지 못했어요") {
		t.Errorf("the excuse: %+v", f)
	}
	w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/webhooks/", Status: 404, Code: 10015})
	give(func(discordfake.Interaction) bool {
		for _, m := range w.fake.BotMessages(w.fake.DM(w.fake.Alice)) {
			if len(m.Files) == 1 {
				return true
			}
		}
		return false
	})
}
