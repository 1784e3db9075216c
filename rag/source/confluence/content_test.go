package confluence_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"maru/rag/load"
	"maru/rag/source"
	"maru/rag/source/confluence/confluencefake"
)

// read fetches a page and returns its title and passages as the loader makes them.
func read(t *testing.T, e edition, s *confluencefake.Server, id string) (title, text string) {
	t.Helper()
	c, err := open(t, e.config(s, "OPS")).Fetch(t.Context(), source.Item{ID: s.Address(e.context, id)}, "")
	if err != nil {
		t.Fatal(err)
	}
	doc, chunks, err := load.New(load.Config{}).Load(t.Context(), c.Name, c.Data)
	if err != nil {
		t.Fatalf("%v in %s", err, c.Data)
	}
	for _, c := range chunks {
		text += "[" + strings.Join(c.Heading, " > ") + "]\n" + c.Text + "\n"
	}
	return doc.Title, text
}

// TestRunbook reads a page as teams write them: layouts, macros, nested lists, tables with merged cells, tasks and people.
func TestRunbook(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/runbook.xml")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, e edition, s *confluencefake.Server) {
		body := string(data)
		if e.context == "/dc" {
			body = strings.ReplaceAll(body, `ri:account-id="557058:mina"`, `ri:userkey="ff80:jun"`)
		}
		s.Put(confluencefake.Page{ID: "1", Title: "운영"})
		s.Put(confluencefake.Page{ID: "2", Title: "런북", Parent: "1"})
		s.Put(confluencefake.Page{ID: "3", Title: "결제 <장애> 대응", Parent: "2", Body: body, Editor: "ff80:jun"})
		title, text := read(t, e, s, "3")
		who := map[string]string{"/wiki": "@김민아", "/dc": "@박준"}[e.context]
		for _, want := range []string{
			"[운영 › 런북]\nLast edited by 박준 on ", "[운영 › 런북 > 🚨 결제 장애 대응]", "담당: " + who, "상태: 운영 중", "최종 점검 2026-03-02",
			"먼저 확인하세요\n결제 대기열이 5,000건을 넘으면 바로 온콜에게", "1. 대시보드에서 결제 지표 대시보드를 열어요.", "넘으면 pay-worker 재시작", "2. 되돌리기 절차를 따라",
			"재시작 명령\nkubectl -n pay rollout restart deploy/pay-worker\nif [[ $? -ne 0 ]]; then echo \"a < b && ]]> c\"; fi",
			"[운영 › 런북 > 🚨 결제 장애 대응 > 연락처]", "팀: 결제", "밤·주말: 010-0000-4410", "낮: 내선 4411", "정산", "내선 4420 ✅",
			"환불이 두 번 나갔어요. 어떻게 하죠?\n정산팀이 당일 17시 전까지", "[x] 알람 문턱값", "[ ] 야간 훈련", "결제 구조도", "2026년 구조", "PAY-118", "복구 훈련.pptx", "상태 페이지, Résumé — A&B <끝>",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q", want)
			}
		}
		for _, odd := range []string{"93a79b2c", "maxLevel", "Green", "What next?", "u1", "complete", "bash", "&nbsp;", "ac:"} {
			if strings.Contains(text, odd) {
				t.Errorf("%q is in the text", odd)
			}
		}
		if title != "결제 <장애> 대응" || strings.Count(text, "사후 보고서") != 1 {
			t.Errorf("title %q", title)
		}
		if t.Failed() {
			t.Log(text)
		}
	})
}

// TestOddPages: pages that are empty, broken or strange are skipped, told or read as far as they go.
func TestOddPages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body, text string
		skip       bool
		key        string
	}{
		"empty":            {body: "", skip: true},
		"a list of pages":  {body: `<p /><ac:structured-macro ac:name="children" ac:schema-version="2" /><p><br /></p>`, skip: true},
		"text alone":       {body: "no tags &amp; all", text: "no tags & all"},
		"not closed":       {body: "<p>one<p>two</div><strong>three", text: "three"},
		"unknown entity":   {body: "<p>a &bogus; b</p>", text: "a &bogus; b"},
		"control letters":  {body: "<p>a\x00\x0bb</p>", text: "a b"},
		"unknown macro":    {body: `<ac:structured-macro ac:name="ui-tab"><ac:parameter ac:name="title">탭</ac:parameter><ac:rich-text-body><p>내용</p></ac:rich-text-body></ac:structured-macro>`, text: "탭\n내용"},
		"old macro":        {body: `<ac:macro ac:name="noformat"><ac:plain-text-body><![CDATA[  a\n    b]]></ac:plain-text-body></ac:macro>`, text: "a"},
		"app":              {body: `<p>x</p><ac:adf-extension><ac:adf-node type="extension"><ac:adf-attribute key="extension-key">k</ac:adf-attribute></ac:adf-node><ac:adf-fallback><p>App name</p></ac:adf-fallback></ac:adf-extension>`, text: "x"},
		"decision":         {body: `<ac:adf-extension><ac:adf-node type="decision-list"><ac:adf-node type="decision-item"><ac:adf-attribute key="state">DECIDED</ac:adf-attribute><ac:adf-content>배포는 목요일</ac:adf-content></ac:adf-node></ac:adf-node><ac:adf-fallback><ul><li>배포는 목요일</li></ul></ac:adf-fallback></ac:adf-extension>`, text: "배포는 목요일"},
		"script":           {body: `<p>a</p><script>alert(1)</script><ac:structured-macro ac:name="html"><ac:plain-text-body><![CDATA[<script>alert(2)</script>]]></ac:plain-text-body></ac:structured-macro>`, text: "a"},
		"included page":    {body: `<p>see</p><ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="공통 규칙" /></ac:link></ac:parameter></ac:structured-macro>`, text: "공통 규칙"},
		"too deep":         {body: strings.Repeat("<div>", 500), key: "source.bad_page"},
		"broken to end":    {body: "<p>a</p><![CDATA[x", key: "source.bad_page"},
		"main is no place": {body: "<p>a</p></main><p>b</p>", text: "b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := confluencefake.New(t, mail, "t-1")
			e := editions()[0]
			s.Put(confluencefake.Page{ID: "1", Title: "One", Body: c.body})
			got, err := open(t, e.config(s, "OPS")).Fetch(t.Context(), source.Item{ID: s.Address(e.context, "1")}, "")
			var fault *source.Fault
			switch {
			case c.key != "":
				if !errors.As(err, &fault) || fault.Key != c.key || !fault.Permanent {
					t.Errorf("%v", err)
				}
			case err != nil || got.Skip != c.skip:
				t.Errorf("skip: %v, %v", got.Skip, err)
			case !c.skip:
				if _, text := read(t, e, s, "1"); !strings.Contains(text, c.text) || strings.Contains(text, "alert(1)") || strings.Contains(text, "App name") {
					t.Errorf("%s", text)
				}
			}
		})
	}
}
