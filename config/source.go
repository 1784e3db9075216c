package config

import (
	"net/url"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"maru/phrase/pattern"
)

// DocumentSource is a place outside whose documents are kept in sync: one entry of the YAML file's list "sources". It has
// exactly one of Website, Git, GitHub, MCP, Confluence, Notion and Drive.
type DocumentSource struct {
	Name    string
	Website string // its first page, or a sitemap
	Git     string // address of a repository
	GitHub  string // address of a repository whose issues are read
	MCP     string // name of an MCP server, whose resources are read
	Drive   string // address of a folder of Google Drive

	Confluence string // address of a space or a site
	User       string // of Confluence Cloud: e-mail of the account that has the token
	Restricted bool   // of Confluence: pages that only some may read are documents too
	Notion     string // address of a page or database, or of Notion for all that is shared with the token

	Branch  string // of the repository; "" for its default
	Folder  string // of the repository; "" for all
	Token   Secret // "" if everybody may read it; of Drive the key of a service account
	Readers string // "public", a workspace "slack/T1" or a channel "slack/T1/C1"
	Team    bool   // its words are the team's own
	Every   time.Duration
	Pages   int           // most documents
	Depth   int           // links followed from the first page of a website without a sitemap
	Rights  time.Duration // between two checks of who may read a document, where the source tells
}

// sourcesKey is the list's key in the file. It has no variable: a list of groups does not fit into one.
const sourcesKey = "sources"

// maxSources bounds the list.
const maxSources = 200

// What holds of a source that does not say.
const (
	DefaultEvery = time.Hour
	DefaultPages = 2000
	DefaultDepth = 5
	// DefaultRights is the time between two checks of who may read a document.
	DefaultRights = 30 * time.Minute
)

var (
	kindKeys   = []string{"website", "git", "github", "mcp", "confluence", "notion", "drive"}
	sourceKeys = []string{"name", "website", "git", "github", "mcp", "confluence", "notion", "drive", "user", "restricted", "branch", "folder", "token", "token_file", "readers", "rights", "words", "every", "pages", "depth"}
	readers    = pattern.New(`^(public|[a-z]+/[A-Za-z0-9._-]+(/[A-Za-z0-9._%-]+)?)$`)
	branchName = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$`)
)

// sources reads the list.
func (w *walker) sources(n *yaml.Node) {
	const fix = "write each source as - name: …, with a website, git, github, mcp, confluence, notion or drive"
	w.entries(n, sourcesKey, maxSources, "sources", fix, func(r *entryReader, n *yaml.Node) string {
		w.origins = append(w.origins, r.source(n))
		return w.origins[len(w.origins)-1].Name
	})
}

func (r *entryReader) source(n *yaml.Node) DocumentSource {
	s := DocumentSource{Readers: "public", Every: DefaultEvery, Pages: DefaultPages, Depth: DefaultDepth}
	fields := r.group(r.key, n, sourceKeys)
	r.text(fields, "name", entryName, &s.Name)
	if s.Name == "" {
		if fields["name"] == nil {
			r.fault(sourcesKey, r.at, "has a source without a name", "give it one, by which people call it in the chat")
		}
		return s
	}
	r.key += "." + s.Name
	r.text(fields, "website", webURL, &s.Website)
	r.text(fields, "git", webURL, &s.Git)
	r.text(fields, "github", webURL, &s.GitHub)
	r.text(fields, "mcp", entryName, &s.MCP)
	r.text(fields, "confluence", webURL, &s.Confluence)
	r.text(fields, "notion", webURL, &s.Notion)
	r.text(fields, "drive", webURL, &s.Drive)
	given := 0
	for _, key := range kindKeys {
		given += has(fields, key)
	}
	if given != 1 {
		r.fault(r.key, r.at, "has not exactly one of website, git, github, mcp, confluence, notion and drive", "give the address of a website, repository, space, page or folder, or the name of an MCP server")
	}
	r.wiki(fields, &s)
	r.restricted(fields)
	if s.Drive != "" {
		s.Rights = DefaultRights
	}
	for _, key := range []string{"branch", "folder"} {
		if fields[key] != nil && fields["git"] == nil {
			r.fault(r.key+"."+key, r.at, "is there without git", "take it away")
		}
	}
	for _, key := range []string{"token", "token_file"} {
		if fields[key] != nil && has(fields, "git")+has(fields, "github")+has(fields, "confluence")+has(fields, "notion")+has(fields, "drive") == 0 {
			r.fault(r.key+"."+key, r.at, "is there without git, github, confluence, notion or drive", "take it away")
		}
	}
	if fields["depth"] != nil && fields["website"] == nil {
		r.fault(r.key+".depth", r.at, "is there without website", "take it away")
	}
	r.text(fields, "branch", shaped(branchName, "use the name of a branch, such as main"), &s.Branch)
	r.text(fields, "folder", nil, &s.Folder)
	s.Folder = strings.Trim(s.Folder, "/")
	r.text(fields, "readers", shaped(readers, "use public, a workspace such as slack/T0123 or a channel such as slack/T0123/C0123"), &s.Readers)
	words := "outsiders"
	if s.Git != "" || s.Confluence != "" || s.Notion != "" {
		words = "team"
	}
	r.text(fields, "words", oneOf("team", "outsiders"), &words)
	s.Team = words == "team"
	r.value(fields, "every", lasting("1m", "720h"), &s.Every)
	r.value(fields, "rights", lasting("1m", "12h"), &s.Rights)
	r.value(fields, "pages", between(1, 100_000), &s.Pages)
	r.value(fields, "depth", between(0, 50), &s.Depth)
	s.Token = r.held(fields, "token")
	return s
}

// wiki reads what Confluence and Notion need.
func (r *entryReader) wiki(fields map[string]*yaml.Node, s *DocumentSource) {
	for _, key := range []string{"user", "restricted"} {
		if fields[key] != nil && fields["confluence"] == nil {
			r.fault(r.key+"."+key, r.at, "is there without confluence", "take it away")
		}
	}
	r.text(fields, "user", oneWord, &s.User)
	restricted := "skip"
	r.text(fields, "restricted", oneOf("skip", "include"), &restricted)
	s.Restricted = restricted == "include"
	u, err := url.Parse(s.Confluence)
	if ofCloud := err == nil && strings.HasSuffix(strings.ToLower(u.Hostname()), ".atlassian.net"); ofCloud && s.User == "" {
		r.fault(r.key+".user", r.at, "is not there", "give the e-mail address of the account whose API token token is")
	}
	if s.Notion != "" && has(fields, "token")+has(fields, "token_file") == 0 {
		r.fault(r.key+".token", r.at, "is not there", "give the secret of an integration of Notion as token or token_file")
	}
}

// restricted checks a source whose documents have readers of their own. These are known by e-mail addresses, for which
// only a workspace that the operator trusts can vouch.
func (r *entryReader) restricted(fields map[string]*yaml.Node) {
	switch {
	case fields["drive"] == nil && fields["rights"] != nil:
		r.fault(r.key+".rights", r.at, "is there without drive", "take it away")
	case fields["drive"] == nil:
	case fields["readers"] == nil || fields["readers"].Value == "public":
		r.fault(r.key+".readers", r.at, "is not there, or public", "name the workspace whose people may read, such as slack/T0123: its addresses are believed")
	case fields["token_file"] == nil:
		r.fault(r.key+".token_file", r.at, "is not there", "name the JSON file of a service account's key")
	}
}

func has(fields map[string]*yaml.Node, key string) int {
	if fields[key] != nil {
		return 1
	}
	return 0
}

// shaped returns the rule of values with a shape.
func shaped(shape *pattern.Pattern, fix string) rule {
	return func(v string) (string, string) {
		if !shape.MatchString(v) || strings.Contains(v, "..") {
			return "is " + quote(v), fix
		}
		return "", ""
	}
}

// value reads a number or a duration.
func (r *entryReader) value(fields map[string]*yaml.Node, key string, check rule, into any) {
	var text string
	r.text(fields, key, check, &text)
	if text == "" {
		return
	}
	if expected := assign(into, text); expected != "" {
		r.fault(r.key+"."+key, r.walker.at(fields[key]), "is "+quote(text), "use "+expected)
	}
}

// held reads a secret, or the file that holds it.
func (r *entryReader) held(fields map[string]*yaml.Node, key string) Secret {
	var text, file string
	r.text(fields, key, oneWord, &text)
	r.text(fields, key+"_file", nil, &file)
	switch {
	case text != "" && file != "":
		r.fault(r.key+"."+key, r.at, "is given twice, as "+key+" and "+key+"_file", "give one of them")
	case file != "":
		if held, ok := r.secretFile(Setting{Var: r.key + "." + key}, raw{file, r.walker.at(fields[key+"_file"])}); ok {
			text = strings.TrimSpace(held.value)
		}
	}
	return Secret(text)
}
