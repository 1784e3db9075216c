package notion_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/rag/load"
	"maru/rag/source"
	"maru/rag/source/notion"
	"maru/rag/source/notion/notionfake"
	"maru/rag/source/sourcetest"
)

func config(s *notionfake.Server, root string) notion.Config {
	return notion.Config{URL: s.URL + "/" + root, Token: "n-1", Client: http.DefaultClient, Agent: "Maru/test", MaxBytes: 64 << 10, Now: s.Now}
}

func open(t *testing.T, c notion.Config) *notion.Workspace {
	t.Helper()
	w, err := notion.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// look lists everything from a cursor, with a source of its own for every part, as after kills.
func look(t *testing.T, c notion.Config, cursor string, between func()) (items map[string]source.Item, last source.Page) {
	t.Helper()
	return sourcetest.Look(t, func() source.Source { return open(t, c) }, cursor, between)
}

// TestPagesListed: all pages are listed once an hour and changed ones at every look, though pages change while they are
// listed; a page that was just edited is listed as changed once more.
func TestPagesListed(t *testing.T) {
	t.Parallel()
	s := notionfake.New(t, "n-1")
	s.AtOnce(20)
	for n := range 300 {
		s.Put(notionfake.Page{ID: notionfake.ID(100 + n), Title: fmt.Sprint("Page ", n), Blocks: []notionfake.Block{notionfake.Text("paragraph", "x")}})
	}
	s.Put(notionfake.Page{ID: notionfake.ID(900), Title: "trash", Trashed: true})
	s.Put(notionfake.Page{ID: notionfake.ID(901), Title: "private", Private: true})
	s.Put(notionfake.Page{ID: notionfake.ID(902), Title: "tasks", Database: true})
	c := config(s, "")
	next := 0
	items, last := look(t, c, "", func() {
		if next++; next < 12 {
			s.Put(notionfake.Page{ID: notionfake.ID(380 - 10*next), Title: "edited"})
		}
	})
	if len(items) != 300 || !last.Complete || !last.Confirm {
		t.Errorf("%d items, complete: %v", len(items), last.Complete)
	}
	first := items[s.Address(notionfake.ID(107))]
	if first.Title != "Page 7" || !strings.HasSuffix(first.URL, "Page-7-"+notionfake.ID(107)) || first.Trusted {
		t.Errorf("%+v", first)
	}
	s.Pass(10 * time.Minute)
	s.Put(notionfake.Page{ID: notionfake.ID(107), Title: "Page 7"})
	items, last = look(t, c, last.Cursor, nil)
	fresh := items[s.Address(notionfake.ID(107))].Version
	if fresh == first.Version || len(items) > 20 || last.Complete {
		t.Errorf("changed: %q, complete: %v", slices.Sorted(maps.Keys(items)), last.Complete)
	}
	s.Pass(10 * time.Minute)
	items, last = look(t, c, last.Cursor, nil)
	if later := items[s.Address(notionfake.ID(107))].Version; later == "" || later == fresh {
		t.Errorf("an edit in the same minute would be missed: %q, %q", fresh, later)
	}
	s.Pass(time.Hour)
	s.Change(notionfake.ID(108), func(p *notionfake.Page) { p.Parent = notionfake.ID(109) })
	before := items[s.Address(notionfake.ID(108))].Version
	items, last = look(t, c, last.Cursor, nil)
	if len(items) != 300 || !last.Complete || items[s.Address(notionfake.ID(108))].Version == before {
		t.Errorf("after an hour: %d items, complete: %v", len(items), last.Complete)
	}
}

// TestSmallWorkspaceListedWhole: a listing of up to ten requests, 1,000 pages of the real API, names all pages again.
func TestSmallWorkspaceListedWhole(t *testing.T) {
	t.Parallel()
	for pages, whole := range map[int]bool{40: true, 41: false} {
		s := notionfake.New(t, "n-1")
		s.AtOnce(4)
		for n := range pages {
			s.Put(notionfake.Page{ID: notionfake.ID(100 + n), Title: fmt.Sprint("Page ", n)})
		}
		c := config(s, "")
		_, last := look(t, c, "", nil)
		s.Pass(10 * time.Minute)
		if items, last := look(t, c, last.Cursor, nil); last.Complete != whole || whole && len(items) != pages {
			t.Errorf("%d pages: %d items, complete: %v", pages, len(items), last.Complete)
		}
	}
}

// TestBelowRoot: of a page or database, only it and what is below is read: in pages, databases and toggles.
func TestBelowRoot(t *testing.T) {
	t.Parallel()
	s := notionfake.New(t, "n-1")
	text := []notionfake.Block{notionfake.Text("paragraph", "x")}
	id := notionfake.ID
	s.Put(notionfake.Page{ID: id(1), Title: "위키", Blocks: []notionfake.Block{notionfake.Text("toggle", "more", notionfake.Text("paragraph", "inner"))}})
	s.Put(notionfake.Page{ID: id(2), Title: "할 일", Parent: id(1), Database: true})
	s.Put(notionfake.Page{ID: id(3), Title: "row", Parent: id(2), Blocks: text})
	s.Put(notionfake.Page{ID: id(4), Title: "in a toggle", Parent: "b" + strings.Repeat("0", 31), Blocks: text})
	s.Put(notionfake.Page{ID: id(5), Title: "elsewhere", Blocks: text})
	s.Put(notionfake.Page{ID: id(6), Title: "secret", Private: true})
	s.Put(notionfake.Page{ID: id(7), Title: "below a secret", Parent: id(6), Blocks: text})
	titles := func(root string) (out []string) {
		items, _ := look(t, config(s, root), "", nil)
		for _, it := range items {
			out = append(out, it.Title)
		}
		slices.Sort(out)
		return out
	}
	if got := titles("Wiki-" + id(1) + "?v=" + id(9)); !slices.Equal(got, []string{"in a toggle", "row", "위키"}) {
		t.Errorf("below the page: %q", got)
	}
	if got := titles(id(2)); !slices.Equal(got, []string{"row"}) {
		t.Errorf("below the database: %q", got)
	}
	w := open(t, config(s, id(1)))
	if _, err := w.Fetch(t.Context(), source.Item{ID: s.Address(id(5))}, ""); !errors.Is(err, source.ErrGone) {
		t.Errorf("elsewhere: %v", err)
	}
	s.Change(id(1), func(p *notionfake.Page) { p.Trashed = true })
	var fault *source.Fault
	if _, err := open(t, config(s, id(1))).List(t.Context(), ""); !errors.As(err, &fault) || fault.Key != "source.not_shared" {
		t.Errorf("a root in the trash: %v", err)
	}
}

// TestContent reads a page as teams write them: nested lists, toggles, tables, tasks, code, callouts, columns and the values of
// a database, in parts.
func TestContent(t *testing.T) {
	t.Parallel()
	s := notionfake.New(t, "n-1")
	s.AtOnce(3)
	id, text, rich := notionfake.ID, notionfake.Text, notionfake.Rich
	block := func(kind string, content map[string]any, inner ...notionfake.Block) notionfake.Block {
		return notionfake.Block{Type: kind, Content: content, Inner: inner}
	}
	row := func(cells ...string) notionfake.Block {
		var list []any
		for _, c := range cells {
			list = append(list, rich(c))
		}
		return block("table_row", map[string]any{"cells": list})
	}
	s.Put(notionfake.Page{ID: id(1), Title: "운영 위키"})
	s.Put(notionfake.Page{ID: id(2), Title: "장애 기록", Parent: id(1), Database: true})
	s.Put(notionfake.Page{ID: id(3), Title: "VPN <장애>", Parent: id(2), Properties: map[string]any{
		"상태":  map[string]any{"type": "status", "status": map[string]any{"name": "해결됨"}},
		"담당":  map[string]any{"type": "people", "people": []any{map[string]any{"object": "user", "name": "박준"}, map[string]any{"object": "user", "id": "x"}}},
		"영향":  map[string]any{"type": "multi_select", "multi_select": []any{map[string]any{"name": "본사"}, map[string]any{"name": "부산"}}},
		"기간":  map[string]any{"type": "date", "date": map[string]any{"start": "2026-03-02", "end": "2026-03-03"}},
		"비용":  map[string]any{"type": "number", "number": 1250000.5},
		"번호":  map[string]any{"type": "unique_id", "unique_id": map[string]any{"prefix": "INC", "number": 7}},
		"합계":  map[string]any{"type": "rollup", "rollup": map[string]any{"type": "array", "array": []any{map[string]any{"type": "number", "number": 3}}}},
		"계산":  map[string]any{"type": "formula", "formula": map[string]any{"type": "string", "string": "긴급"}},
		"빈칸":  map[string]any{"type": "rich_text", "rich_text": []any{}},
		"새 것": map[string]any{"type": "place", "place": map[string]any{"lat": 1}, "number": "not a number"},
	}, Blocks: []notionfake.Block{
		text("heading_1", "원인"),
		text("paragraph", "공유기 펌웨어 4.1의\n결함이에요."),
		text("numbered_list_item", "관리 화면을 열어요", text("bulleted_list_item", "주소는 10.0.0.1", text("bulleted_list_item", "암호는 금고에"))),
		text("numbered_list_item", "4.2로 올려요"),
		block("to_do", map[string]any{"rich_text": rich("재부팅"), "checked": true}),
		block("to_do", map[string]any{"rich_text": rich("보고"), "checked": false}),
		block("toggle", map[string]any{"rich_text": rich("왜 늦었나요?")}, text("paragraph", "알람이 꺼져 있었어요.")),
		block("callout", map[string]any{"rich_text": rich("밤에는 전화해요"), "icon": map[string]any{"type": "emoji", "emoji": "📞"}}, text("paragraph", "내선 4410")),
		block("code", map[string]any{"rich_text": rich("ssh gw <<EOF\n  reload && exit\nEOF"), "language": "shell", "caption": rich("명령")}),
		block("table", map[string]any{"table_width": 3, "has_column_header": true, "has_row_header": true}, row("층", "장비", "버전"), row("3층", "AP-3", "4.1"), row("4층", "AP-4", "")),
		block("column_list", map[string]any{}, block("column", map[string]any{}, text("quote", "왼쪽")), block("column", map[string]any{}, text("heading_3", "오른쪽"), text("paragraph", "끝"))),
		block("equation", map[string]any{"expression": "E = mc^2"}),
		block("bookmark", map[string]any{"url": "https://status.example.com/", "caption": []any{}}),
		block("image", map[string]any{"type": "external", "external": map[string]any{"url": "https://x.example.com/y.png"}, "caption": rich("배선도")}),
		block("child_page", map[string]any{"title": "사후 보고"}),
		block("unsupported", map[string]any{}), block("divider", map[string]any{}),
		block("synced_block", map[string]any{"synced_from": nil}, text("paragraph", "공통 안내")),
	}})
	c, err := open(t, config(s, "")).Fetch(t.Context(), source.Item{ID: s.Address(id(3))}, "")
	if err != nil {
		t.Fatal(err)
	}
	doc, chunks, err := load.New(load.Config{}).Load(t.Context(), c.Name, c.Data)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, c := range chunks {
		got += "[" + strings.Join(c.Heading, " > ") + "]\n" + c.Text + "\n"
	}
	for _, want := range []string{
		"[운영 위키 › 장애 기록]\nLast edited by 김민아 on ", "상태: 해결됨", "담당: 박준\n", "영향: 본사, 부산", "기간: 2026-03-02 – 2026-03-03", "비용: 1250000.5", "번호: INC-7", "합계: 3", "계산: 긴급",
		"[운영 위키 › 장애 기록 > 원인]", "공유기 펌웨어 4.1의 결함이에요.", "1. 관리 화면을 열어요", "주소는 10.0.0.1", "암호는 금고에", "2. 4.2로 올려요", "[x] 재부팅", "[ ] 보고", "왜 늦었나요?\n알람이 꺼져", "📞 밤에는 전화해요\n내선 4410",
		"명령\nssh gw <<EOF\n  reload && exit\nEOF", "장비: AP-3", "버전: 4.1", "왼쪽", "오른쪽]\n끝", "E = mc^2", "https://status.example.com/", "배선도", "사후 보고", "공통 안내",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if doc.Title != "VPN <장애>" || strings.Contains(got, "빈칸") || strings.Contains(got, "새 것") || strings.Contains(got, "shell") {
		t.Errorf("title %q", doc.Title)
	}
	if t.Failed() {
		t.Log(got)
	}
	if c, err := open(t, config(s, "")).Fetch(t.Context(), source.Item{ID: s.Address(id(1))}, ""); err != nil || !c.Skip {
		t.Errorf("an empty page: %+v, %v", c, err)
	}
}

// TestFaults: what goes wrong is told, and never takes documents with it; short waits are made at once.
func TestFaults(t *testing.T) {
	t.Parallel()
	refuse := func(path string, status int, headers ...string) func(*notionfake.Server) {
		return func(s *notionfake.Server) { s.RefuseAt(path, status, "{}", headers...) }
	}
	for name, c := range map[string]struct {
		do         func(*notionfake.Server)
		list, item string
		wait       time.Duration
	}{
		"token revoked": {do: func(s *notionfake.Server) { s.Demand("other") }, list: "source.token_refused", item: "source.token_refused"},
		"forbidden":     {do: refuse("", 403), list: "source.token_lacks_rights", item: "source.token_lacks_rights"},
		"page trashed":  {do: func(s *notionfake.Server) { s.Change(notionfake.ID(1), func(p *notionfake.Page) { p.Trashed = true }) }, item: "gone"},
		"not shared":    {do: func(s *notionfake.Server) { s.Change(notionfake.ID(1), func(p *notionfake.Page) { p.Private = true }) }, item: "gone"},
		"block gone":    {do: refuse("/blocks/", 404), item: "stale"},
		"down":          {do: refuse("", 502), list: "source.status", item: "source.status"},
		"unavailable":   {do: refuse("", 503), list: "source.status", item: "source.status"},
		"not JSON":      {do: func(s *notionfake.Server) { s.Refuse(200, "<html>") }, list: "source.bad_answer", item: "source.bad_answer"},
		"no listing":    {do: func(s *notionfake.Server) { s.RefuseAt("/search", 200, "{}") }, list: "source.bad_answer"},
		"too many":      {do: refuse("", 429, "Retry-After: 30"), wait: 30 * time.Second},
		"a little":      {do: refuse("", 429, "Retry-After: 0")},
		"busy":          {do: refuse("", 503, "Retry-After: 120"), wait: 2 * time.Minute},
		"without time":  {do: refuse("", 429), wait: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, door := range []string{"list", "item"} {
				s := notionfake.New(t, "n-1")
				s.Put(notionfake.Page{ID: notionfake.ID(1), Title: "One", Blocks: []notionfake.Block{notionfake.Text("paragraph", "one")}})
				s.Put(notionfake.Page{ID: notionfake.ID(2), Title: "Two", Blocks: []notionfake.Block{notionfake.Text("paragraph", "two")}})
				w := open(t, config(s, ""))
				c.do(s)
				want, err := c.list, error(nil)
				if door == "list" {
					_, err = w.List(t.Context(), "")
				} else {
					want = c.item
					_, err = w.Fetch(t.Context(), source.Item{ID: s.Address(notionfake.ID(1))}, "")
				}
				sourcetest.Check(t, door, err, want, c.wait, "n-1")
			}
		})
	}
}

// TestAddresses: an address is one of Notion, or a sentence says what it must be.
func TestAddresses(t *testing.T) {
	t.Parallel()
	id := notionfake.ID(7)
	sourcetest.Addresses(t, func(address string) error {
		_, err := notion.New(notion.Config{URL: address, Client: http.DefaultClient, Now: time.Now})
		return err
	}, map[string]string{
		"https://www.notion.so/": "", "https://www.notion.so/team/Runbooks-" + id: "", "https://team.notion.site/" + id + "?v=1": "", "https://app.notion.com/p/" + id: "", "http://127.0.0.1:1/": "",
		"https://www.notion.so/00000000-0000-0000-0000-000000000007": "",
		"": "source.bad_url", "notion.so/x": "source.bad_url", "http://www.notion.so/": "source.not_https", "https://notion.example.com/" + id: "source.no_notion", "https://www.notion.so/team/Runbooks": "source.no_notion", "https://evilnotion.so/" + id: "source.no_notion",
	})
}
