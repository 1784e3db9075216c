package linked_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/korean"

	"maru/agent"
	"maru/bot"
	"maru/bot/linked"
	"maru/phrase"
	"maru/rag"
)

var errInside = errors.New("inside")

// web answers requests by their address.
type web map[string]answer

type answer struct {
	status int // 200 if 0
	kind   string
	name   string // of the file, in Content-Disposition
	to     string // a redirect
	body   string
	err    error
	size   int64 // said to be
}

// RoundTrip implements http.RoundTripper.
func (w web) RoundTrip(r *http.Request) (*http.Response, error) {
	a, ok := w[r.URL.String()]
	switch {
	case a.err != nil:
		return nil, a.err
	case !ok:
		a.status = http.StatusNotFound
	case a.to != "":
		a.status = http.StatusFound
	case a.status == 0:
		a.status = http.StatusOK
	}
	h := http.Header{}
	for name, value := range map[string]string{"Content-Type": a.kind, "Location": a.to} {
		if value != "" {
			h.Set(name, value)
		}
	}
	if a.name != "" {
		h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+a.name)
	}
	if a.size == 0 {
		a.size = -1
	}
	return &http.Response{
		StatusCode: a.status, Status: strconv.Itoa(a.status), Header: h, Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: a.size, Request: r,
	}, nil
}

// shelf keeps what is added.
type shelf struct {
	have  []rag.Document
	added []bot.NewDocument
	text  string
}

func (s *shelf) Documents(_ context.Context, scopes []string) (out []rag.Document, err error) {
	for _, d := range s.have {
		if slices.Contains(scopes, d.Scope) {
			out = append(out, d)
		}
	}
	return out, nil
}

func (s *shelf) Add(_ context.Context, d bot.NewDocument) (rag.Document, error) {
	data, err := io.ReadAll(d.Body)
	s.added, s.text = append(s.added, d), string(data)
	title := ""
	if _, after, ok := bytes.Cut(data, []byte("<title>")); ok {
		before, _, _ := bytes.Cut(after, []byte("<"))
		title = string(before)
	}
	return rag.Document{ID: "d" + strconv.Itoa(len(s.added)), Title: title, Source: d.Name, URL: d.URL, Scope: d.Scope, Size: int64(len(data))}, err
}

type rules struct{ guests bool }

func (r rules) MembersOnly(context.Context, bot.Thread, bot.User, string) error {
	if r.guests {
		return &bot.Error{Code: bot.CodeMayNot}
	}
	return nil
}

func (rules) Audit(context.Context, bot.Thread, bot.User, string, map[string]any) {}

func reader(w web, s *shelf, r rules) *linked.Reader {
	return linked.New(linked.Config{
		Client: &http.Client{Transport: w}, Private: func(err error) bool { return errors.Is(err, errInside) }, Library: s, Rules: r, Agent: "Maru/test",
		MaxFile: 10_000, Time: time.Minute, Synced: func(by string) bool { return by == "source:wiki" }, Log: slog.New(slog.DiscardHandler),
	})
}

func message() bot.Message {
	return bot.Message{Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}, User: bot.User{ID: "U1"}, Text: "How do our rules for working abroad differ from this?"}
}

// ask returns a message with links.
func ask(lang string, alone bool, links ...string) linked.Ask {
	return linked.Ask{Message: message(), Links: links, Alone: alone, Scopes: []string{"public", "readers:public/wiki/1"}, Lang: lang, Begin: func(string) {}}
}

const article = "<html><head><title>Leave rules</title></head><body><p>Everybody has 25 days of leave a year.</p></body></html>"

// TestWhatALinkLeadsTo: the bytes reach the library under a name that tells their format, and refusals are sentences in
// the person's language.
func TestWhatALinkLeadsTo(t *testing.T) {
	t.Parallel()
	cp949, err := korean.EUCKR.NewEncoder().String("<p>연차는 15일이에요.</p>")
	if err != nil {
		t.Fatal(err)
	}
	const at = "https://example.com/a"
	w := web{
		at:                                      {kind: "text/html; charset=utf-8", body: article},
		"https://example.com/get?id=7":          {kind: "application/pdf", body: "%PDF-1.7"},
		"https://example.com/report.pdf":        {kind: "application/octet-stream", body: "%PDF-1.7"},
		"https://example.com/d":                 {kind: "application/pdf", name: "%EA%B7%9C%EC%A0%95.pdf", body: "%PDF-1.7"},
		"https://example.com/evil":              {kind: "text/plain", name: "..%2F..%2Fetc%2Fpasswd", body: "x"},
		"https://example.com/raw":               {body: "%PDF-1.7"},
		"https://example.com/app.log":           {kind: "text/plain", body: "ERROR disk full"},
		"https://example.com/list.aspx":         {kind: "text/csv", body: "a,b"},
		"https://example.com/view.pdf":          {kind: "text/html", body: article},
		"https://example.com/ko":                {kind: "text/html; charset=euc-kr", body: cp949},
		"https://example.com/moved":             {to: "https://cdn.example.net/x.md"},
		"https://cdn.example.net/x.md":          {kind: "text/markdown", body: "# X"},
		"https://example.com/none":              {status: 404},
		"https://example.com/gone":              {status: 410},
		"https://example.com/closed":            {status: 403},
		"https://example.com/tea":               {status: 418},
		"https://example.com/down":              {status: 503},
		"https://example.com/large":             {kind: "text/plain", body: strings.Repeat("x", 10_001)},
		"https://example.com/said":              {kind: "text/plain", size: 50_000_000, body: "x"},
		"https://example.com/sso":               {to: "https://accounts.google.com/v3/signin"},
		"https://accounts.google.com/v3/signin": {kind: "text/html", body: article},
		"https://example.com/form":              {kind: "text/html", body: `<form>Welcome<input name=u><input type="PASSWORD"></form>`},
		"https://example.com/app":               {kind: "text/html", body: `<title>App</title><div id=root></div><script>go("now")</script>`},
		"https://example.com/photo":             {kind: "image/png", body: "\x89PNG"},
		"https://example.com/inside":            {err: errInside},
		"https://example.com/slow":              {err: context.DeadlineExceeded},
		"https://example.com/refused":           {err: errors.New("connection refused")},
		"https://example.com/to-inside":         {to: "http://10.0.0.1/"},
		"https://example.com/to-inside-tls":     {to: "https://10.0.0.1/"},
		"https://10.0.0.1/":                     {err: errInside},
		"https://example.com/loop":              {to: "https://example.com/loop"},
		"https://docs.google.com/document/d/abcdefghijklmnopqrstuvwxyz/export?format=docx": {kind: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", name: "Plan.docx", body: "PK"},
		"https://raw.githubusercontent.com/acme/app/main/docs/setup.md":                    {kind: "text/plain", body: "# Setup"},
		"https://www.dropbox.com/s/x/plan.pdf?dl=1":                                        {kind: "application/pdf", body: "%PDF-1.7"},
	}
	for link, want := range map[string]struct {
		as, name, key string
		args          []any
		big           int64 // bytes of a file that is too large, -1 if they are not known
	}{
		at:                                  {as: "a.webpage", name: "Leave rules"},
		"https://example.com/get?id=7":      {as: "get.pdf", name: "get.pdf"},
		"https://example.com/report.pdf":    {as: "report.pdf", name: "report.pdf"},
		"https://example.com/d":             {as: "규정.pdf", name: "규정.pdf"},
		"https://example.com/evil":          {as: "passwd.txt", name: "passwd.txt"},
		"https://example.com/raw":           {as: "raw.pdf", name: "raw.pdf"},
		"https://example.com/app.log":       {as: "app.log", name: "app.log"},
		"https://example.com/list.aspx":     {as: "list.aspx.csv", name: "list.aspx.csv"},
		"https://example.com/view.pdf":      {as: "view.pdf.webpage", name: "Leave rules"},
		"https://example.com/ko":            {as: "ko.webpage", name: "example.com/ko"},
		"https://example.com/moved":         {as: "x.md", name: "x.md"},
		"https://example.com/none":          {key: "linked.gone"},
		"https://example.com/gone":          {key: "linked.gone"},
		"https://example.com/closed":        {key: "linked.login"},
		"https://example.com/tea":           {key: "linked.status", args: []any{418}},
		"https://example.com/down":          {key: "linked.away"},
		"https://example.com/large":         {big: -1},
		"https://example.com/said":          {big: 50_000_000},
		"https://example.com/sso":           {key: "linked.login"},
		"https://example.com/form":          {key: "linked.login"},
		"https://example.com/app":           {key: "linked.no_text"},
		"https://example.com/photo":         {key: "linked.media"},
		"https://example.com/inside":        {key: "linked.private"},
		"https://example.com/slow":          {key: "linked.slow"},
		"https://example.com/refused":       {key: "linked.away"},
		"https://example.com/to-inside":     {key: "linked.leaves"}, // without TLS
		"https://example.com/to-inside-tls": {key: "linked.private"},
		"https://example.com/loop":          {key: "linked.leaves"},
		"https://docs.google.com/document/d/abcdefghijklmnopqrstuvwxyz/edit?usp=sharing": {as: "Plan.docx", name: "Plan.docx"},
		"https://github.com/acme/app/blob/main/docs/setup.md#install":                    {as: "setup.md", name: "setup.md"},
		"https://www.dropbox.com/s/x/plan.pdf?dl=0":                                      {as: "plan.pdf", name: "plan.pdf"},
	} {
		for _, lang := range []string{"ko", "en"} {
			s := &shelf{}
			got, err := reader(w, s, rules{}).Read(t.Context(), ask(lang, true, link))
			files, left := got.Files, got.Left
			host := strings.TrimPrefix(link, "https://")
			if want.big != 0 {
				if says := bot.TooBig(lang, host, want.big, 10_000).Text(lang); err == nil || bot.AsError(err).Text(lang) != says {
					t.Errorf("%s, %s: %v, want %q", link, lang, err, says)
				}
				continue
			}
			if want.key != "" {
				if says := phrase.Say(lang, want.key, append([]any{host}, want.args...)...); err == nil || bot.AsError(err).Text(lang) != says {
					t.Errorf("%s, %s: %v, want %q", link, lang, err, says)
				}
				continue
			}
			if err != nil || left != "" || len(files) != 1 || len(s.added) != 1 {
				t.Errorf("%s: %+v, %q, %v", link, files, left, err)
				continue
			}
			if d := s.added[0]; d.As != want.as || files[0].Name != want.name || d.Name != link || d.URL != link || d.Scope != "place:slack/T1/C1" && d.Scope != message().Thread.ChannelScope() {
				t.Errorf("%s: added as %q, shown as %q: %+v", link, d.As, files[0].Name, d)
			}
			if strings.HasSuffix(link, "/ko") && !strings.Contains(s.text, "연차는 15일") {
				t.Errorf("%s: %q", link, s.text)
			}
		}
	}
}

// TestSeveralLinks: one that cannot be read holds up no other, and the fourth is left for another message.
func TestSeveralLinks(t *testing.T) {
	t.Parallel()
	w := web{"https://a.example/1.md": {kind: "text/markdown", body: "# 1"}, "https://a.example/3.md": {kind: "text/markdown", body: "# 3"}}
	links := []string{"https://a.example/1.md", "https://a.example/2.md", "https://a.example/3.md", "https://a.example/4.md"}
	s := &shelf{}
	var told []string
	a := ask("en", false, links...)
	a.Begin = func(text string) { told = append(told, text) }
	got, err := reader(w, s, rules{}).Read(t.Context(), a)
	want := phrase.Say("en", "linked.gone", "a.example/2.md") + "\n\n" + phrase.Say("en", "linked.over", 3)
	if err != nil || len(got.Files) != 2 || got.Left != want || len(told) != 3 || len(got.Unread) != 1 {
		t.Errorf("%+v, %v; told %q", got, err, told)
	}
}

// TestAMessageIsAnsweredWithoutItsLink: only one that says nothing else is refused with its link.
func TestAMessageIsAnsweredWithoutItsLink(t *testing.T) {
	t.Parallel()
	const kept, none = "https://wiki.example/1", "https://a.example/none"
	gone, members := phrase.Say("en", "linked.gone", "a.example/none"), phrase.Say("en", "linked.members")
	for name, c := range map[string]struct {
		links       []string
		alone       bool
		guests      bool
		files, left int
		says        string
	}{
		"member":                 {links: []string{none}, left: 1, says: gone},
		"member, alone":          {links: []string{none}, alone: true},
		"guest":                  {links: []string{none}, guests: true, left: 1, says: members},
		"guest, two":             {links: []string{none, none + "2"}, guests: true, left: 2, says: members},
		"guest, alone":           {links: []string{none}, guests: true, alone: true},
		"guest, two alone":       {links: []string{none, none + "2"}, guests: true, alone: true},
		"guest, of a source":     {links: []string{kept}, guests: true, alone: true, files: 1},
		"guest, one of a source": {links: []string{kept, none}, guests: true, files: 1, left: 1, says: members},
	} {
		s := &shelf{have: []rag.Document{{ID: "kept", URL: kept, By: "source:wiki", Scope: "public"}}}
		got, err := reader(web{}, s, rules{guests: c.guests}).Read(t.Context(), ask("en", c.alone, c.links...))
		if refused := c.alone && c.files == 0; (err != nil) != refused || refused && bot.AsError(err).Code == bot.CodeInternal {
			t.Errorf("%s: %v", name, err)
		}
		if len(got.Files) != c.files || len(got.Unread) != c.left || got.Left != c.says {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestALinkInSync: what a source keeps in sync is read from there, whoever of those that may read the answer it is for.
func TestALinkInSync(t *testing.T) {
	t.Parallel()
	const link = "https://wiki.example/1"
	for scope, want := range map[string]bool{"public": true, "readers:public/wiki/1": true, "team:slack/T2": false} {
		s := &shelf{have: []rag.Document{{ID: "kept", URL: link, By: "source:wiki", Title: "One", Scope: scope}, {ID: "other", URL: "https://wiki.example/2", By: "U1"}}}
		got, err := reader(web{}, s, rules{}).Read(t.Context(), ask("en", true, link))
		if (err == nil) != want || len(s.added) > 0 || want && (len(got.Files) != 1 || got.Files[0] != (agent.File{Document: "kept", Name: "One"})) {
			t.Errorf("%s: %+v, %v", scope, got, err)
		}
	}
}

// TestWhatALinkIsAllOf: where a message asks for the text behind its link and nothing else, a link that cannot be read is the
// answer; a guest's or an app's is answered without.
func TestWhatALinkIsAllOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"이 기사 세 줄로 정리해줄래? https://a.example/none": true, "can u tldr https://a.example/none for me": true,
		"https://a.example/none 무슨 내용이야?": true, "please summarise this page: https://a.example/none": true,
		"what does https://a.example/none.pdf say about leave, and how many days of annual leave do I have?": false,
		"https://a.example/none 참고해서 우리 팀 온보딩 일정을 어떻게 잡으면 좋을지 알려줘. 링크도 확인해줘":                                 false,
	} {
		for _, guests := range []bool{false, true} {
			a := ask("en", false, "https://a.example/none")
			a.Message.Text = text
			got, err := reader(web{}, &shelf{}, rules{guests: guests}).Read(t.Context(), a)
			if refused := want && !guests; (err != nil) != refused || !refused && got.Left == "" {
				t.Errorf("%s (guest %v): %+v, %v", text, guests, got, err)
			}
		}
	}
}

// TestPicturesBehindLinks: a model that sees gets the picture that a link leads to, and nothing is added to the documents.
func TestPicturesBehindLinks(t *testing.T) {
	t.Parallel()
	w := web{
		"https://example.com/photo":      {kind: "image/png", body: "\x89PNG"},
		"https://example.com/shot.jpg":   {kind: "application/octet-stream", body: "\xff\xd8"},
		"https://example.com/film":       {kind: "video/mp4", body: "x"},
		"https://example.com/a":          {kind: "text/html", body: article},
		"https://example.com/big.png":    {kind: "image/png", body: strings.Repeat("x", 10_001)},
		"https://example.com/drawn.svg":  {kind: "image/svg+xml", body: "<svg><text>x</text></svg>"},
		"https://example.com/inside.png": {err: errInside},
	}
	seeing := func(s *shelf, r rules) *linked.Reader {
		return linked.New(linked.Config{
			Client: &http.Client{Transport: w}, Private: func(err error) bool { return errors.Is(err, errInside) }, Library: s, Rules: r, Agent: "Maru/test",
			MaxFile: 10_000, Time: time.Minute, Synced: func(string) bool { return false }, Log: slog.New(slog.DiscardHandler), Sees: true,
		})
	}
	for name, c := range map[string]struct {
		links    []string
		pictures string
		files    int
		left     string
	}{
		"one":                 {[]string{"https://example.com/photo"}, "photo", 0, ""},
		"by_its_name":         {[]string{"https://example.com/shot.jpg"}, "shot.jpg", 0, ""},
		"beside_a_page":       {[]string{"https://example.com/photo", "https://example.com/a"}, "photo", 1, ""},
		"too_large":           {[]string{"https://example.com/photo", "https://example.com/big.png"}, "photo", 0, "big.png"},
		"a_film_is_not_seen":  {[]string{"https://example.com/photo", "https://example.com/film"}, "photo", 0, "example.com/film"},
		"an_address_of_ours":  {[]string{"https://example.com/photo", "https://example.com/inside.png"}, "photo", 0, "private network"},
		"a_drawing_has_words": {[]string{"https://example.com/drawn.svg"}, "", 1, ""},
	} {
		s := &shelf{}
		got, err := seeing(s, rules{}).Read(t.Context(), ask("en", false, c.links...))
		if err != nil || strings.Join(linked.Names(got.Pictures), " ") != c.pictures || len(got.Files) != c.files || len(s.added) != c.files || !strings.Contains(got.Left, c.left) || (c.left == "") != (got.Left == "") {
			t.Errorf("%s: pictures %v, files %v, %q, %v", name, linked.Names(got.Pictures), got.Files, got.Left, err)
		}
		if again := seeing(s, rules{}).Pictures(t.Context(), message(), c.links, "en"); strings.Join(linked.Names(again), " ") != c.pictures {
			t.Errorf("%s, again: %v", name, linked.Names(again))
		}
	}
	if got, err := seeing(&shelf{}, rules{guests: true}).Read(t.Context(), ask("en", true, "https://example.com/photo")); err == nil || len(got.Pictures) > 0 {
		t.Errorf("a guest had a link opened: %v", got)
	}
	if _, err := reader(w, &shelf{}, rules{}).Read(t.Context(), ask("en", true, "https://example.com/photo")); err == nil || !strings.Contains(bot.AsError(err).Text("en"), "picture or recording") {
		t.Errorf("a model that is blind: %v", err)
	}
}
