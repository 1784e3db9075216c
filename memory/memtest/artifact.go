package memtest

import (
	"bytes"
	"strings"
	"testing"

	"maru/bot"
)

var artifactCases = map[string]func(*testing.T, bot.Record){
	"files_come_with_the_outcome": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		all := []byte("\x00\xff결과\n")
		files := []bot.Artifact{{Run: "run1", N: 0, Name: "결과.md", MIME: "text/markdown", Data: all}, {Run: "run1", N: 1, Name: "b.json", Data: []byte("{}")}}
		finish(t, r, l, it.ID, bot.Outcome{Files: files})
		list, err := r.Artifacts(t.Context(), threadA.Key(), "run1")
		noErr(t, "artifacts", err)
		if len(list) != 2 || list[0].Name != "결과.md" || list[0].Size != int64(len(all)) || list[0].Data != nil || list[1].N != 1 || list[1].Thread != threadA.Key() {
			t.Errorf("files %+v", list)
		}
		f, err := r.Artifact(t.Context(), "run1", 0)
		noErr(t, "artifact", err)
		if !bytes.Equal(f.Data, all) || f.Name != "결과.md" || f.MIME != "text/markdown" || f.Thread != threadA.Key() || f.Size != int64(len(all)) {
			t.Errorf("file %+v", f)
		}
		_, err = r.Artifact(t.Context(), "run1", 2)
		wantErr(t, "a third file", err, bot.ErrNotFound)
		for _, of := range []struct{ thread, run string }{{threadB.Key(), ""}, {threadB.Key(), "run1"}, {threadA.Key(), "run2"}} {
			list, err := r.Artifacts(t.Context(), of.thread, of.run)
			noErr(t, "artifacts", err)
			equal(t, "files of "+of.thread+" "+of.run, len(list), 0)
		}
	},
	"files_of_a_run_under_way_are_kept_and_replaced": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		file := func(n int, name string) bot.Artifact {
			return bot.Artifact{Run: "run1", N: n, Name: name, Data: []byte(name)}
		}
		noErr(t, "keep", r.KeepFiles(t.Context(), l, "run1", 0, []bot.Artifact{file(0, "a"), file(1, "b")}))
		noErr(t, "keep another run's", r.KeepFiles(t.Context(), l, "run2", 0, []bot.Artifact{{Run: "run2", Name: "other"}}))
		noErr(t, "replace", r.KeepFiles(t.Context(), l, "run1", 1, []bot.Artifact{file(1, "c")}))
		finish(t, r, l, it.ID, bot.Outcome{Files: []bot.Artifact{file(2, "d")}})
		list, err := r.Artifacts(t.Context(), threadA.Key(), "")
		noErr(t, "artifacts", err)
		var names []string
		for _, f := range list {
			names = append(names, f.Name)
		}
		equal(t, "files", strings.Join(names, " "), "a c d other")
		noErr(t, "drop", r.KeepFiles(t.Context(), l, "run1", 0, nil))
		list, err = r.Artifacts(t.Context(), threadA.Key(), "run1")
		noErr(t, "artifacts", err)
		equal(t, "files after the drop", len(list), 0)
	},
	"files_are_kept_by_the_holder_of_the_lease": func(t *testing.T, r bot.Record) {
		old, _ := takenOver(t, r)
		err := r.KeepFiles(t.Context(), old, "run1", 0, []bot.Artifact{{Run: "run1", Name: "a", Data: []byte("a")}})
		wantErr(t, "keep", err, bot.ErrFenced)
		list, err := r.Artifacts(t.Context(), threadA.Key(), "")
		noErr(t, "artifacts", err)
		equal(t, "files", len(list), 0)
	},
	"a_fenced_outcome_leaves_no_file": func(t *testing.T, r bot.Record) {
		old, _ := takenOver(t, r)
		err := r.Finish(t.Context(), old, message(t, threadA, "100", "").ID, bot.Outcome{Files: []bot.Artifact{{Run: "run1", Name: "a", Data: []byte("a")}}})
		wantErr(t, "finish", err, bot.ErrFenced)
		list, err := r.Artifacts(t.Context(), threadA.Key(), "")
		noErr(t, "artifacts", err)
		equal(t, "files", len(list), 0)
	},
	"files_are_forgotten_with_their_thread": func(t *testing.T, r bot.Record) {
		l, it := working(t, r)
		finish(t, r, l, it.ID, bot.Outcome{Files: []bot.Artifact{{Run: "run1", Name: "a", Data: []byte("a")}}})
		noErr(t, "forget", r.Forget(t.Context(), threadA.Key()))
		_, err := r.Artifact(t.Context(), "run1", 0)
		wantErr(t, "a forgotten file", err, bot.ErrNotFound)
	},
}
