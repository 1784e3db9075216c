package git_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"maru/rag/source"
	"maru/rag/source/git"
	"maru/rag/source/sourcetest"
)

// remote is a repository that git's own server program serves, to those with a token if there is one.
type remote struct {
	t    *testing.T
	dir  string // its work tree
	url  string
	want string
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	r := &remote{t: t, dir: filepath.Join(root, "wiki")}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.run("init", "--quiet", "--initial-branch=main")
	r.run("config", "http.uploadpack", "true")
	serve := &cgi.Handler{Path: program, Args: []string{"http-backend"}, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"}, Stderr: &strings.Builder{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if _, token, _ := q.BasicAuth(); r.want != "" && token != r.want {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		serve.ServeHTTP(w, q)
	}))
	t.Cleanup(s.Close)
	r.url = s.URL + "/wiki/.git"
	return r
}

func (r *remote) run(args ...string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func (r *remote) commit(files map[string]string) {
	r.t.Helper()
	for name, text := range files {
		at := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.run("add", "--all")
	r.run("commit", "--quiet", "--message=x")
}

// look lists a repository as a new look does, and fetches everything.
func look(t *testing.T, c git.Config) (map[string]string, []source.Item, error) {
	t.Helper()
	repo, err := git.New(c)
	if err != nil {
		return nil, nil, err
	}
	page, err := repo.List(t.Context(), "")
	if err != nil {
		return nil, nil, err
	}
	if !page.Complete || page.More {
		t.Errorf("%+v", page)
	}
	out := map[string]string{}
	for _, it := range page.Items {
		got, err := repo.Fetch(t.Context(), it, "")
		if err != nil {
			return nil, nil, err
		}
		out[strings.TrimPrefix(it.ID, strings.TrimSuffix(c.URL, ".git"))] = got.Name + ": " + string(got.Data)
	}
	return out, page.Items, nil
}

func config(t *testing.T, r *remote) git.Config {
	t.Helper()
	return git.Config{
		URL: r.url, Dir: filepath.Join(t.TempDir(), "copy"), MaxBytes: 1 << 20,
		Reads: func(name string) bool { return strings.HasSuffix(name, ".md") },
	}
}

func TestRepository(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	r.commit(map[string]string{"docs/a.md": "one", "docs/휴가.md": "휴가", "b.md": "two", "x.bin": "no", ".github/c.md": "hidden"})
	if err := os.Symlink("/etc/passwd", filepath.Join(r.dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	r.commit(nil)
	c := config(t, r)
	got, items, err := look(t, c)
	if err != nil || len(got) != 3 || got["/docs/a.md"] != "a.md: one" || got["/docs/휴가.md"] != "휴가.md: 휴가" || got["/b.md"] != "b.md: two" {
		t.Fatalf("%v, %v", got, err)
	}
	if want := strings.TrimSuffix(r.url, ".git") + "/blob/HEAD/docs/a.md"; items[1].URL != want {
		t.Errorf("shown at %s, want %s", items[1].URL, want)
	}
	before := items[1].Version
	r.commit(map[string]string{"docs/a.md": "one again", "docs/new.md": "new"})
	r.run("rm", "--quiet", "b.md")
	r.commit(nil)
	c.Folder, c.Branch = "docs", "main"
	got, items, err = look(t, c)
	if err != nil || len(got) != 3 || got["/docs/a.md"] != "a.md: one again" || got["/docs/new.md"] != "new.md: new" || items[0].Version == before {
		t.Errorf("%v, %v", got, err)
	}
}

func TestRepositoryRefuses(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	r.commit(map[string]string{"a.md": "one"})
	r.want = "s3cret"
	c := config(t, r)
	says := func(name string, c git.Config, key string) {
		t.Helper()
		_, _, err := look(t, c)
		f, ok := errors.AsType[*source.Fault](err)
		if !ok || f.Key != key || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	says("without a token", c, "source.git_refused")
	c.Token = "s3cret-not"
	says("with a wrong token", c, "source.git_refused")
	c.Token = "s3cret"
	if got, _, err := look(t, c); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	other := c
	other.Branch = "none"
	says("no such branch", other, "source.no_branch")
	other = c
	other.MaxBytes = 1
	says("a large file", other, "source.too_large")
	other = c
	other.URL = "http://127.0.0.1:1/x.git"
	says("away", other, "source.git_failed")
	private := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(private.Close)
	other.URL = private.URL + "/x.git"
	says("a certificate of its own", other, "source.git_untrusted")
	other.URL = "ext::sh -c true"
	says("a program for an address", other, "source.bad_url")
}

// TestNoRepository: servers that never give a repository are named as such, and one that fails now is asked again.
func TestNoRepository(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	web := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch at := strings.Split(q.URL.Path, "/")[1]; at {
		case "page", "login":
			web(w, q)
		case "dumb":
			if strings.HasSuffix(q.URL.Path, "/HEAD") {
				_, _ = io.WriteString(w, "ref: refs/heads/main\n")
				return
			}
			_, _ = io.WriteString(w, strings.Repeat("a", 40)+"\trefs/heads/main\n")
		case "moved":
			http.Redirect(w, q, "/login", http.StatusFound)
		case "garbled":
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			web(w, q)
		case "down":
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			http.NotFound(w, q)
		}
	}))
	t.Cleanup(s.Close)
	for at, want := range map[string]string{
		"page": "source.not_git", "dumb": "source.git_dumb", "moved": "source.not_git", "garbled": "source.not_git", "gone": "source.not_git", "down": "source.git_failed",
		"": "source.not_git", // without a commit
	} {
		for _, branch := range []string{"", "main"} {
			c := config(t, r)
			if c.Branch = branch; at != "" {
				c.URL = s.URL + "/" + at
			}
			_, _, err := look(t, c)
			sourcetest.Check(t, at+" "+branch, err, want, 0, "s3cret")
		}
	}
}
