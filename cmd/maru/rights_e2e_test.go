package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/rag/source/drive/drivefake"
)

// driven returns a folder of Google Drive with files that Ann and Bob read and one that only Ann does, and the settings of a
// program that keeps it in sync for a workspace.
func driven(t *testing.T, readers string) (*drivefake.Server, []string) {
	t.Helper()
	d := drivefake.New(t)
	both := []drivefake.Permission{drivefake.User("ann@example.com"), drivefake.User("bob@example.com")}
	for i := range 60 {
		d.Put(drivefake.File{ID: fmt.Sprintf("room-%d", i), Name: fmt.Sprintf("room-%d.md", i), Text: fmt.Sprintf("# Room %d\n\nIt has %d chairs.", i, i+3)}, both...)
	}
	d.Put(drivefake.File{ID: "leave", Name: "leave.md", Text: "# 연차\n\n신입 사원의 연차는 1년에 15일이에요."}, drivefake.User("Ann@example.com"))
	file, key := filepath.Join(t.TempDir(), "maru.yaml"), filepath.Join(t.TempDir(), "key.json")
	must(t, "write", os.WriteFile(key, []byte(d.Key()), 0o600))
	must(t, "write", os.WriteFile(file, []byte("sources:\n  - {name: files, drive: \""+d.Folder()+"\", token_file: \""+key+"\", readers: "+readers+"}\n"), 0o600))
	return d, []string{"MARU_CONFIG=" + file, "MARU_HTTP_INSIDE=127.0.0.0/8"}
}

// TestSlackReadersOfDriveOverKill: an answer uses a file of Drive where all who read the answer may read the file: in direct
// messages and private channels. What is shared or taken there holds after the next check, which a SIGKILL cuts off.
func TestSlackReadersOfDriveOverKill(t *testing.T) {
	t.Parallel()
	d, env := driven(t, "slack/T1")
	w := newSlackWorld(t, brain(t), env...)
	for i, name := range []string{"ann", "bob", "eve"} {
		w.slack.AddUser(slackfake.User{ID: fmt.Sprint("U", i+1), Name: name, Locale: "ko-KR", Admin: i == 0, Mail: name + "@example.com"})
	}
	w.slack.AddChannel(slackfake.Channel{ID: "D2", Members: []string{"UBOT", "U2"}})
	only := func(channel string, people ...string) {
		w.slack.AddChannel(slackfake.Channel{ID: channel, Name: strings.ToLower(channel), Private: true, Members: append([]string{"UBOT"}, people...)})
	}
	only("C5", "U1")
	only("C6", "U1", "U2")
	w.start()
	synced := func() {
		t.Helper()
		says := func(words, text string) {
			shown := ""
			defer func() {
				if t.Failed() {
					t.Logf("/maru %s says %s", words, shown)
				}
			}()
			awaits(t, fmt.Sprintf("/maru %s does not say %q", words, text), func() bool {
				before := len(w.slack.Whispers("U1"))
				w.slack.Slash("U1", "C5", "/maru", words)
				awaits(t, "no answer to /maru "+words, func() bool { return len(w.slack.Whispers("U1")) > before })
				shown = bare(w.slack.Whispers("U1")[before].Shown())
				return strings.Contains(shown, text)
			})
		}
		d.Asked()
		says("sources sync files", "지금 확인하고 있어요")
		awaits(t, "the readers are not asked for", func() bool { return d.Count("/permissions") >= 61 })
		says("sources", "문서 61개 · ")
		says("sources", "맞춰 둠")
	}
	reads := func(user, channel string) bool {
		t.Helper()
		root := w.slack.Say(user, channel, "<@UBOT> 연차는 며칠이야?", "")
		awaits(t, "no answer for "+user+" in "+channel, func() bool { return len(w.slack.Replies(channel, root)) > 0 })
		w.settles() // what is on its way has no sources yet
		shown := strings.Join(w.asShown(channel, root), "")
		if !strings.Contains(shown, "[1]") && !strings.Contains(shown, "문서") && !strings.Contains(shown, "You said") {
			t.Errorf("%s in %s is not answered: %s", user, channel, shown)
		}
		return strings.Contains(shown, "/file/d/leave/view")
	}
	want := func(when string, rooms map[string]bool) {
		t.Helper()
		for place, want := range rooms {
			user, channel, _ := strings.Cut(place, " ")
			if got := reads(user, channel); got != want {
				t.Errorf("%s: %s reads the file: %v, want %v", when, place, got, want)
			}
		}
	}
	awaits(t, "the folder is not read", func() bool { return d.Count("/permissions") >= 61 })
	synced()
	want("at first", map[string]bool{"U1 D1": true, "U2 D2": false, "U1 C5": true, "U1 C6": false, "U2 C6": false, "U1 C1": false})
	d.Share("leave", drivefake.User("ann@example.com"), drivefake.User("bob@example.com"))
	synced()
	want("shared with both", map[string]bool{"U2 D2": true, "U1 C6": true, "U1 C1": false})
	only("C6", "U1", "U2", "U3")
	want("when a third one has joined", map[string]bool{"U1 C6": false})
	only("C6", "U1", "U2")
	want("when that one has left", map[string]bool{"U2 C6": true})
	d.Share("leave", drivefake.User("ann@example.com"))
	d.Asked()
	w.slack.Slash("U1", "C5", "/maru", "sources sync files")
	awaits(t, "no readers are asked for", func() bool { return d.Count("/permissions") > 10 })
	w.kill()
	w.start()
	synced()
	want("taken from one", map[string]bool{"U2 D2": false, "U1 C6": false, "U1 C5": true})
	d.Refuse("/drive/v3/files/"+drivefake.Root, 404, "notFound", 0, 0)
	w.slack.Slash("U1", "C5", "/maru", "sources sync files")
	awaits(t, "a refused folder is read", func() bool { return !reads("U1", "D1") })
}
