// Package git reads the files of a Git repository as a [source.Source], by the git program: a library would add several
// megabytes to the program for what every machine with repositories has.
//
// A repository is kept without history and without a work tree in a folder of its own, which may be lost at any time. Git
// runs without the machine's settings, asks nobody for a password, and speaks HTTP alone.
package git

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"maru/rag/source"
)

// Config is what a Repository is made of.
type Config struct {
	URL      string                 // over http or https
	Branch   string                 // "" for the default one
	Folder   string                 // "" for all
	Token    string                 // "" if everybody may read it
	Dir      string                 // where it is kept
	MaxBytes int64                  // of one file
	Reads    func(name string) bool // whether a file of this name is a document
}

// Repository is a Git repository.
type Repository struct {
	cfg  Config
	head string // commit that was fetched, "" before
}

var _ source.Source = (*Repository)(nil)

const (
	fetchTime = 10 * time.Minute
	head      = "refs/heads/maru" // what was fetched, here
)

// New returns a repository that is not fetched yet.
func New(c Config) (*Repository, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, &source.Fault{Key: "source.bad_url", Args: []any{c.URL}, Permanent: true}
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, &source.Fault{Key: "source.no_git", Err: err}
	}
	return &Repository{cfg: c}, nil
}

// List implements [source.Source]. Versions are the hashes of contents.
func (r *Repository) List(ctx context.Context, _ string) (source.Page, error) {
	if err := r.fetch(ctx); err != nil {
		return source.Page{}, err
	}
	args := []string{"ls-tree", "-r", "-z", "--long", r.head}
	if r.cfg.Folder != "" {
		args = append(args, "--", ":(literal)"+r.cfg.Folder+"/")
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return source.Page{}, r.fault(err)
	}
	page := source.Page{Complete: true}
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, name, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 4 || f[1] != "blob" || f[0] == "120000" || hidden(name) || !r.cfg.Reads(name) { // 120000 is a link
			continue
		}
		page.Items = append(page.Items, source.Item{ID: r.id(name), URL: r.page(name), Version: f[2], Trusted: true})
	}
	return page, nil
}

// hidden reports whether a file or a folder above it is hidden.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

// id names a file for people and for the library: it is known by its repository and path.
func (r *Repository) id(name string) string {
	return strings.TrimSuffix(r.cfg.URL, ".git") + "/" + name
}

// page returns where a file is shown, as GitHub, GitLab and Gitea have it.
func (r *Repository) page(name string) string {
	ref := r.cfg.Branch
	if ref == "" {
		ref = "HEAD"
	}
	base := strings.TrimSuffix(strings.TrimSuffix(r.cfg.URL, "/"), ".git")
	if wiki, ok := strings.CutSuffix(base, ".wiki"); ok { // a page of a wiki is shown by its name
		return wiki + "/wiki/" + url.PathEscape(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	}
	u := url.URL{Path: "/blob/" + ref + "/" + name}
	return base + u.EscapedPath()
}

// Fetch implements [source.Source].
func (r *Repository) Fetch(ctx context.Context, it source.Item, _ string) (source.Content, error) {
	if err := r.fetch(ctx); err != nil {
		return source.Content{}, err
	}
	if !objectName(it.Version) {
		return source.Content{}, source.ErrGone
	}
	size, err := r.git(ctx, "cat-file", "-s", it.Version)
	if err != nil { // another commit was fetched since the listing, on another machine
		return source.Content{}, errors.Join(source.ErrStale, err)
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(size)), 10, 64); err != nil || n > r.cfg.MaxBytes {
		return source.Content{}, &source.Fault{Key: "source.too_large", Args: []any{it.ID}, Err: err, Permanent: true}
	}
	data, err := r.git(ctx, "cat-file", "blob", it.Version)
	if err != nil {
		return source.Content{}, r.fault(err)
	}
	return source.Content{Name: path.Base(it.ID), Data: data}, nil
}

// objectName reports whether a text is the name of an object and not an option.
func objectName(s string) bool {
	return len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == ""
}

// fetch brings the newest commit here, once a look.
func (r *Repository) fetch(ctx context.Context) error {
	if r.head != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	if _, err := os.Stat(filepath.Join(r.cfg.Dir, "HEAD")); err != nil {
		if err := os.MkdirAll(r.cfg.Dir, 0o700); err != nil {
			return &source.Fault{Key: "source.no_room", Err: err}
		}
		if _, err := r.git(ctx, "init", "--bare", "--quiet"); err != nil {
			return r.fault(err)
		}
	}
	ref := "HEAD"
	if r.cfg.Branch != "" {
		ref = "refs/heads/" + r.cfg.Branch
	}
	if _, err := r.git(ctx, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--force", r.cfg.URL, "+"+ref+":"+head); err != nil {
		if strings.Contains(err.Error(), noRef) { // to git a web page is a repository without branches
			if there, wrong := r.git(ctx, "ls-remote", "--heads", r.cfg.URL); wrong == nil && len(there) == 0 {
				return &source.Fault{Key: "source.not_git", Args: []any{r.cfg.URL}, Err: err}
			}
		}
		return r.fault(err)
	}
	commit, err := r.git(ctx, "rev-parse", "--verify", head)
	if err != nil {
		return r.fault(err)
	}
	r.head = strings.TrimSpace(string(commit))
	return nil
}

// git runs the program in the repository's folder.
func (r *Repository) git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=."}, args...)...) //nolint:gosec // G204: arguments are checked by New and the settings
	cmd.Dir, cmd.WaitDelay = r.cfg.Dir, 5*time.Second
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.cfg.Dir, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ALLOW_PROTOCOL=http:https", "GIT_PROTOCOL_FROM_USER=0",
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "GIT_SSL_CAINFO"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	if r.cfg.Token != "" { // in the environment: everybody on the machine may read arguments
		login := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + r.cfg.Token))
		cmd.Env = append(cmd.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http."+r.cfg.URL+".extraHeader", "GIT_CONFIG_VALUE_0=Authorization: Basic "+login)
	}
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		said := words.String()
		if r.cfg.Token != "" {
			said = strings.ReplaceAll(said, r.cfg.Token, "***")
		}
		return nil, fmt.Errorf("git %s: %w: %.500s", args[0], err, strings.TrimSpace(said))
	}
	return out.Bytes(), nil
}

const noRef = "couldn't find remote ref"

// faults maps words of git in English to keys of the catalogue.
var faults = []struct{ said, key string }{
	{"Authentication failed", "source.git_refused"},
	{"could not read Username", "source.git_refused"},
	{"error: 403", "source.git_refused"},
	{"error: 401", "source.git_refused"},
	{"SSL certificate problem", "source.git_untrusted"},         // OpenSSL
	{"certificate verification failed", "source.git_untrusted"}, // GnuTLS
	{"certificate subject name", "source.git_untrusted"},
	{"dumb http transport", "source.git_dumb"},
	{"' not found", "source.not_git"},
	{"update url base from redirection", "source.not_git"}, // to a sign-in page
	{"is this a git repository?", "source.not_git"},
	{"protocol error", "source.not_git"},
}

// fault tells people why a repository cannot be read.
func (r *Repository) fault(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	said := err.Error()
	if r.cfg.Branch != "" && strings.Contains(said, noRef) {
		return &source.Fault{Key: "source.no_branch", Args: []any{r.cfg.URL, r.cfg.Branch}, Err: err}
	}
	key := "source.git_failed"
	for _, f := range faults {
		if strings.Contains(said, f.said) {
			key = f.key
			break
		}
	}
	return &source.Fault{Key: key, Args: []any{r.cfg.URL}, Err: err}
}
