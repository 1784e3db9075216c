package config_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"maru/config"
)

func TestSources(t *testing.T) {
	t.Parallel()
	c, _, err := fromFiles(nil, map[string]string{"maru.yaml": `
sources:
  - name: handbook
    website: https://docs.example.com/handbook/
    every: 15m
    pages: 500
    depth: 2
  - name: wiki
    git: https://git.example.com/team/wiki.git
    branch: main
    folder: /docs/
    token_file: /run/secrets/git
    readers: slack/T1/C1
  - {name: bugs, github: "https://github.com/team/app", token: hub-1, pages: 20000}
  - {name: ops, confluence: "https://team.atlassian.net/wiki/spaces/OPS", user: bot@example.com, token: conf-1, restricted: include}
  - {name: plans, notion: "https://www.notion.so/", token: note-1, words: outsiders}
  - {name: notes, mcp: notes, words: team, readers: slack/T1}
  - {name: files, drive: "https://drive.google.com/drive/folders/1AbCdEf", token_file: /run/secrets/key, readers: slack/T1}
  - {name: more, drive: "https://drive.google.com/drive/folders/2AbCdEf", token_file: /run/secrets/key, readers: slack/T1, rights: 5m}
`, "/run/secrets/git": "git-1\n", "/run/secrets/key": "{\"key\":\n\"key-1\"}\n"})
	if err != nil {
		t.Fatal(err)
	}
	want := []config.DocumentSource{
		{Name: "handbook", Website: "https://docs.example.com/handbook/", Readers: "public", Every: 15 * time.Minute, Pages: 500, Depth: 2},
		{Name: "wiki", Git: "https://git.example.com/team/wiki.git", Branch: "main", Folder: "docs", Token: "git-1", Readers: "slack/T1/C1", Team: true, Every: time.Hour, Pages: 2000, Depth: 5},
		{Name: "bugs", GitHub: "https://github.com/team/app", Token: "hub-1", Readers: "public", Every: time.Hour, Pages: 20000, Depth: 5},
		{Name: "ops", Confluence: "https://team.atlassian.net/wiki/spaces/OPS", User: "bot@example.com", Restricted: true, Token: "conf-1", Team: true, Readers: "public", Every: time.Hour, Pages: 2000, Depth: 5},
		{Name: "plans", Notion: "https://www.notion.so/", Token: "note-1", Readers: "public", Every: time.Hour, Pages: 2000, Depth: 5},
		{Name: "notes", MCP: "notes", Readers: "slack/T1", Team: true, Every: time.Hour, Pages: 2000, Depth: 5},
		{Name: "files", Drive: "https://drive.google.com/drive/folders/1AbCdEf", Token: "{\"key\":\n\"key-1\"}", Readers: "slack/T1", Every: time.Hour, Pages: 2000, Depth: 5, Rights: 30 * time.Minute},
		{Name: "more", Drive: "https://drive.google.com/drive/folders/2AbCdEf", Token: "{\"key\":\n\"key-1\"}", Readers: "slack/T1", Every: time.Hour, Pages: 2000, Depth: 5, Rights: 5 * time.Minute},
	}
	if !reflect.DeepEqual(c.Documents.Sources, want) {
		t.Errorf("got %+v", c.Documents.Sources)
	}
	if shown := fmt.Sprintf("%+v", c.Documents.Sources); strings.Contains(shown, "git-1") || strings.Contains(shown, "hub-1") || strings.Contains(shown, "key-1") {
		t.Errorf("a secret is printed: %s", shown)
	}
}

func TestSourcesAreChecked(t *testing.T) {
	t.Parallel()
	_, _, err := fromFiles(nil, map[string]string{"maru.yaml": `
sources:
  - website: https://a.example.com/
  - {name: none}
  - {name: two, website: https://a.example.com/, git: https://b.example.com/}
  - {name: odd, website: https://a.example.com/, branch: main, every: 5s, pages: many, words: ours, readers: "#general", colour: red}
  - {name: odd, git: https://b.example.com/, branch: --upload-pack=x, token: a, token_file: b, depth: 3}
  - {name: file, git: "file:///etc"}
  - {name: hub, github: "https://github.com/a/b", branch: main}
  - {name: site, website: "https://a.example.com/", token: a, user: b, restricted: include}
  - {name: cloud, confluence: "https://team.atlassian.net/wiki", token: a, restricted: maybe}
  - {name: page, notion: "https://www.notion.so/x"}
  - {name: open, drive: "https://drive.google.com/drive/folders/1AbCdEf", token_file: b}
  - {name: keyless, drive: "https://drive.google.com/drive/folders/1AbCdEf", readers: slack/T1}
  - {name: plain, website: "https://a.example.com/", rights: 5m}
`})
	if err == nil {
		t.Fatal("no faults")
	}
	for _, want := range []string{
		"without a name", "sources.none", "sources.two", "sources.odd.branch (maru.yaml:6) is there without git", "sources.odd.every", "sources.odd.pages", "sources.odd.words",
		"sources.odd.readers", "sources.colour", "is there twice", `sources.odd.branch (maru.yaml:7) is "--upload-pack=x"`, "given twice, as token and token_file", "sources.odd.depth", "sources.file.git",
		"sources.hub.branch", "sources.site.token (maru.yaml:10) is there without git, github, confluence, notion or drive", "sources.site.user (maru.yaml:10) is there without confluence", "sources.site.restricted", "sources.cloud.user", "sources.cloud.restricted", "sources.page.token",
		"sources.open.readers (maru.yaml:13) is not there, or public", "sources.keyless.token_file (maru.yaml:14) is not there", "sources.plain.rights (maru.yaml:15) is there without drive",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %q in:\n%v", want, err)
		}
	}
}
