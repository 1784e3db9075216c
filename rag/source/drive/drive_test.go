package drive_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/rag/source"
	"maru/rag/source/drive"
	"maru/rag/source/drive/drivefake"
)

const document = "application/vnd.google-apps.document"

// world is a folder on a fake, and where its listing stands.
type world struct {
	*drivefake.Server

	t      *testing.T
	now    time.Time
	folder *drive.Folder
	cursor string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Server: drivefake.New(t), t: t, now: time.Now()}
	w.Clock = func() time.Time { return w.now }
	w.again()
	return w
}

// again opens the folder as another look does.
func (w *world) again() {
	w.t.Helper()
	var err error
	w.folder, err = drive.New(drive.Config{
		URL: w.Folder(), Key: w.Key(), Client: http.DefaultClient, Agent: "Maru/test", MaxBytes: 100, Now: func() time.Time { return w.now },
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// look lists everything, and returns the IDs of files that are named, and of those that are gone.
func (w *world) look() (named, gone string, complete bool) {
	w.t.Helper()
	var names, ended []string
	for {
		p, err := w.folder.List(w.t.Context(), w.cursor)
		if err != nil {
			w.t.Fatal(err)
		}
		w.cursor = p.Cursor
		for _, it := range p.Items {
			names = append(names, strings.TrimPrefix(it.ID, w.Page("")))
		}
		for _, id := range p.Gone {
			ended = append(ended, strings.TrimPrefix(id, w.Page("")))
		}
		if !p.More {
			slices.Sort(names)
			return strings.Join(names, " "), strings.Join(ended, " "), p.Complete
		}
	}
}

// TestListing: the whole tree is listed once and once a day, in between what changed in it.
func TestListing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Pages(2)
	for _, f := range []drivefake.File{
		{ID: "file1", Name: "a.md"}, {ID: "file2", Name: "b", Mime: document}, {ID: "file3", Name: "c.exe"}, {ID: "file4", Name: "d", Mime: "application/vnd.google-apps.form"},
		{ID: "folder1", Name: "below", Mime: drivefake.Folder}, {ID: "file5", Name: "e.pdf", Parent: "folder1"},
		{ID: "folder2", Name: "deeper", Mime: drivefake.Folder, Parent: "folder1"}, {ID: "file6", Name: "f.txt", Parent: "folder2"},
		{ID: "elsewhere", Name: "not below", Mime: drivefake.Folder, Parent: "top"}, {ID: "file7", Name: "g.md", Parent: "elsewhere"},
	} {
		w.Put(f)
	}
	for _, c := range []struct {
		what        string
		do          func()
		named, gone string
		complete    bool
	}{
		{"at first", func() {}, "file1 file2 file5 file6", "", true},
		{"without a change", func() {}, "", "", false},
		{"after an edit deep below", func() { w.Put(drivefake.File{ID: "file6", Name: "f.txt", Parent: "folder2", Text: "new"}) }, "file6", "", false},
		{"after an edit elsewhere", func() { w.Put(drivefake.File{ID: "file7", Name: "g.md", Parent: "elsewhere"}) }, "", "file7", false},
		{"after one was trashed and one deleted", func() { w.Trash("file1"); w.Delete("file5") }, "", "file1 file5", false},
		{"after one moved away", func() { w.Put(drivefake.File{ID: "file2", Name: "b", Mime: document, Parent: "elsewhere"}) }, "", "file2", false},
		{"after three were added", func() {
			for _, id := range []string{"new11", "new12", "new13"} {
				w.Put(drivefake.File{ID: id, Name: id + ".md"})
			}
		}, "new11 new12 new13", "", false},
		{"after a folder was trashed", func() { w.Trash("folder2") }, "new11 new12 new13", "", true},
		{"a day later", func() { w.now = w.now.Add(25 * time.Hour) }, "new11 new12 new13", "", true},
	} {
		c.do()
		w.again()
		if named, gone, complete := w.look(); named != c.named || gone != c.gone || complete != c.complete {
			t.Errorf("%s: named %q, gone %q, complete %v; want %q, %q, %v", c.what, named, gone, complete, c.named, c.gone, c.complete)
		}
	}
}

// TestSharedDrive: files of a shared drive are seen.
func TestSharedDrive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put(drivefake.File{ID: drivefake.Root, Name: "Team", Mime: drivefake.Folder, Parent: "none", Drive: "drive1"})
	w.Put(drivefake.File{ID: "file1", Name: "a.md", Text: "hello", Drive: "drive1"}, drivefake.User("ann@x.com"))
	if named, _, _ := w.look(); named != "file1" {
		t.Errorf("named %q", named)
	}
	w.Put(drivefake.File{ID: "file2", Name: "b.md", Drive: "drive1"})
	if named, _, _ := w.look(); named != "file2" {
		t.Errorf("then named %q", named)
	}
	it := source.Item{ID: w.Page("file1"), Title: "a.md"}
	if c, err := w.folder.Fetch(t.Context(), it, ""); err != nil || string(c.Data) != "hello" || c.Name != "a.md" {
		t.Errorf("fetched %s %q, %v", c.Name, c.Data, err)
	}
	if r, err := w.folder.Permissions(t.Context(), it); err != nil || !slices.Equal(r.Mails, []string{"ann@x.com"}) {
		t.Errorf("read by %v, %v", r, err)
	}
}

// TestPermissions: people, groups and domains are readers; links, parts of files and what is over are not.
func TestPermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Group("team@x.com", "bob@x.com", "eve@x.com", "kim@x.com")
	for name, c := range map[string]struct {
		readers  []drivefake.Permission
		want     []string
		everyone bool
	}{
		"nobody":          {},
		"people":          {[]drivefake.Permission{drivefake.User("ann@x.com"), drivefake.User("bob@x.com"), drivefake.User("eve@x.com")}, []string{"ann@x.com", "bob@x.com", "eve@x.com"}, false},
		"a group":         {[]drivefake.Permission{{Type: "group", Mail: "team@x.com"}}, []string{"bob@x.com", "eve@x.com", "kim@x.com"}, false},
		"an unread group": {[]drivefake.Permission{{Type: "group", Mail: "others@x.com"}, drivefake.User("ann@x.com")}, []string{"ann@x.com"}, false},
		"a domain":        {[]drivefake.Permission{{Type: "domain", Domain: "x.com", Found: true}}, []string{"@x.com"}, false},
		"links":           {[]drivefake.Permission{{Type: "domain", Domain: "x.com"}, {Type: "anyone"}}, nil, false},
		"everyone":        {[]drivefake.Permission{{Type: "anyone", Found: true}}, nil, true},
		"over":            {[]drivefake.Permission{{Type: "user", Mail: "a@x.com", Deleted: true}, {Type: "user", Mail: "b@x.com", Expires: w.now.Add(-time.Hour)}, {Type: "user", Mail: "c@x.com", View: "metadata"}}, nil, false},
		"for a while":     {[]drivefake.Permission{{Type: "user", Mail: "a@x.com", Expires: w.now.Add(time.Hour)}}, []string{"a@x.com"}, false},
	} {
		for _, size := range []int{1000, 2} {
			w.Pages(size)
			w.Put(drivefake.File{ID: "file1", Name: "a.md"})
			w.Share("file1", c.readers...)
			w.again()
			r, err := w.folder.Permissions(t.Context(), source.Item{ID: w.Page("file1")})
			if err != nil || !slices.Equal(r.Mails, c.want) || r.Everyone != c.everyone {
				t.Errorf("%s: %v, %v; want %v", name, r, err, c.want)
			}
		}
	}
}

// TestFetch reads files as they are and documents as office files, and says why one cannot be read.
func TestFetch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put(drivefake.File{ID: "file1", Name: "a.md", Text: "hello"})
	w.Put(drivefake.File{ID: "file2", Name: "b", Mime: document, Text: "docx"})
	w.Put(drivefake.File{ID: "file3", Name: "c.md", Text: strings.Repeat("x", 101)})
	w.Put(drivefake.File{ID: "file4", Name: "d.md", Mime: "application/vnd.google-apps.form"})
	for _, c := range []struct{ id, title, mime, name, text, says string }{
		{"file1", "a.md", "", "a.md", "hello", ""},
		{"file2", "b", document, "b.docx", "docx", ""},
		{"file3", "c.md", "", "", "", "c.md"},
		{"file4", "d.md", "", "", "", "d.md"},
	} {
		got, err := w.folder.Fetch(t.Context(), source.Item{ID: w.Page(c.id), Title: c.title, Mime: c.mime}, "")
		var f *source.Fault
		if got.Name != c.name || string(got.Data) != c.text || (err != nil) != (c.says != "") || err != nil && (!errors.As(err, &f) || !f.Permanent || !strings.Contains(f.PeopleText("ko"), c.says)) {
			t.Errorf("%s: %s %q, %v", c.id, got.Name, got.Data, err)
		}
	}
	if _, err := w.folder.Fetch(t.Context(), source.Item{ID: w.Page("file9")}, ""); !errors.Is(err, source.ErrGone) {
		t.Errorf("what is not there: %v", err)
	}
}

// TestRefusals: limits are waited out, a folder that refuses the account says so, readers that are kept from it too.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put(drivefake.File{ID: "file1", Name: "a.md"}, drivefake.User("ann@x.com"))
	it := source.Item{ID: w.Page("file1"), Title: "a.md"}
	for _, c := range []struct {
		status, after int
		reason        string
		wait          time.Duration
	}{
		{http.StatusTooManyRequests, 7, "rateLimitExceeded", 7 * time.Second}, {http.StatusForbidden, 0, "userRateLimitExceeded", time.Minute}, {http.StatusServiceUnavailable, 3, "backendError", 3 * time.Second},
	} {
		w.Refuse("/permissions", c.status, c.reason, c.after, 1)
		_, err := w.folder.Permissions(t.Context(), it)
		if wait := (*source.Wait)(nil); !errors.As(err, &wait) || wait.For != c.wait {
			t.Errorf("%d: %v", c.status, err)
		}
	}
	w.Hide("file1", true)
	var f *source.Fault
	if _, err := w.folder.Permissions(t.Context(), it); !errors.As(err, &f) || !f.Permanent || !strings.Contains(f.PeopleText("en"), drivefake.Account) {
		t.Errorf("hidden readers: %v", err)
	}
	w.Refuse("/permissions", http.StatusInternalServerError, "backendError", 0, 1)
	if _, err := w.folder.Permissions(t.Context(), it); !errors.As(err, &f) || f.Permanent {
		t.Errorf("a failure: %v", err)
	}
	for path, status := range map[string]int{"/token": http.StatusBadRequest, "/drive/v3/files/" + drivefake.Root: http.StatusNotFound} {
		w.again()
		w.Refuse(path, status, "notFound", 0, 0)
		if _, err := w.folder.List(t.Context(), ""); !errors.As(err, &f) || !f.Permanent || !strings.Contains(f.PeopleText("ko"), drivefake.Account) {
			t.Errorf("%s: %v", path, err)
		}
		w.Refuse("", 0, "", 0, 0)
	}
}

// TestNew refuses addresses of no folder and keys of no account, without quoting a key.
func TestNew(t *testing.T) {
	t.Parallel()
	key := drivefake.New(t).Key()
	for _, c := range []struct {
		url, key string
		want     bool
	}{
		{"https://drive.google.com/drive/folders/1AbCdEf", key, true}, {"https://drive.google.com/drive/u/0/folders/1AbCdEf?usp=sharing", key, true},
		{"https://drive.google.com/file/d/1AbCdEf", key, false}, {"https://drive.google.com/drive/folders/", key, false}, {"drive", key, false},
		{"https://drive.google.com/drive/folders/1AbCdEf", "SECRET", false}, {"https://drive.google.com/drive/folders/1AbCdEf", `{"type":"authorized_user","client_email":"SECRET"}`, false},
		{"https://drive.google.com/drive/folders/1AbCdEf", `{"type":"service_account","client_email":"a","private_key":"-----BEGIN PRIVATE KEY-----\nU0VDUkVU\n-----END PRIVATE KEY-----\n"}`, false},
	} {
		_, err := drive.New(drive.Config{URL: c.url, Key: c.key, Client: http.DefaultClient})
		var f *source.Fault
		if (err == nil) != c.want || err != nil && (!errors.As(err, &f) || strings.Contains(err.Error(), "SECRET")) {
			t.Errorf("%s: %v", c.url, err)
		}
	}
}
