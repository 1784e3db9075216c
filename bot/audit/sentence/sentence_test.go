package sentence

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"maru/bot/audit"
	"maru/phrase"
)

// some knows the names of one workspace.
type some struct{}

func (some) Person(id string) string {
	if id == "U7" {
		return "Jiwoo"
	}
	return id
}

func (some) Channel(key string) string {
	if key == "slack/T1/C1" {
		return "#hr"
	}
	return key
}

func (some) Team(string) string { return "Hanbit" }

// TestOf checks sentences with names, places, values of settings, and without what an older entry lacks.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, detail, en, ko string }{
		{"document.add", `{"document":"d1","name":"leave.pdf","scope":"channel:slack/T1/C1"}`, "added the document “leave.pdf” for #hr", "“leave.pdf” 문서를 추가했어요 (읽는 곳: #hr)"},
		{"document.move", `{"document":"d1","name":"a*b.md","from":"channel:slack/T1/C1","to":"public","as":"d2"}`, "moved the document “a·b.md” from #hr to everybody", "“a·b.md” 문서의 읽는 곳을 #hr에서 모두로 바꿨어요"},
		{"document.remove", `{"document":"d1"}`, "removed the document “d1”", "“d1” 문서를 지웠어요"},
		{"setting.set", `{"place":"slack/T1/C1","key":"agent","value":"contract","before":"chat"}`, "changed “Agent that answers” from “chat” to “contract” for #hr", "#hr에서 “답하는 에이전트” 설정을 “chat”에서 “contract”로 바꿨어요"},
		{"setting.set", `{"place":"user:slack/T1/U7","key":"memory","value":false}`, "from not set to Off for Jiwoo", "없음에서"},
		{"setting.set", `{"place":"slack/T1","key":"approval_expires","value":"72h0m0s"}`, "to 3 days for the workspace Hanbit", "3일로 바꿨어요"},
		{"setting.set", `{"place":"slack/T1","key":"retention","value":"720h0m0s","before":"0s"}`, "from kept forever to 30 days", "계속 보관에서 30일로"},
		{"approval.decided", `{"kind":"clarification","verb":"clarify"}`, "answered a question about the task", "작업에 관한 질문을 받고 답했어요"},
		{"approval.refused", `{"why":"stale"}`, "tried to decide a question, but it didn't count: it was no longer open", "이미 끝난 질문이에요"},
		{"noted.add", `{"scope":"public"}`, "added a note for everybody", "메모를 남겼어요 (읽는 곳: 모두)"},
		{"thread.forget", `{"thread":"slack/T1/C1"}`, "deleted the conversation in #hr", "#hr의 대화를 지웠어요"},
		{"setting.set", `{"place":"slack/T1/C1","key":"tools_allowed","value":[{"tool":"web_search"}]}`, "changed which tools run without asking in #hr", "#hr에서 묻지 않고 쓰는 도구를 바꿨어요"},
		{"setting.remove", `{"place":"slack/T1/C1/1.2","key":"agent","before":"chat"}`, "cleared “Agent that answers” for a thread in #hr; it was “chat”", "#hr의 스레드에서"},
		{"setting.set", `{"place":"slack/T1","key":"of_a_later_release","value":1}`, "changed “of_a_later_release” from not set to “1”", "“of_a_later_release” 설정"},
		{"approval.decided", `{"approval":"x","kind":"step","verb":"accept"}`, "approved a step", "단계를 승인했어요"},
		{"approval.decided", `{"approval":"x","kind":"of_a_later_release","verb":"accept"}`, "approved “of_a_later_release”", "승인했어요"},
		{"approval.expired", `{"kind":"plan"}`, "Nobody decided about a plan in time", "계획을 아무도 제때 결정하지 않았어요"},
		{"person.role", `{"person":"U7","role":"viewer"}`, "gave Jiwoo the role Viewer", "Jiwoo 님에게 보기 전용 역할을 줬어요"},
		{"person.role", `{"person":"U7","role":"","before":"viewer"}`, "gave Jiwoo the platform's role back", "Jiwoo 님의 역할을 다시 플랫폼에 따르게 했어요"},
		{"setting.remove", `{"place":"slack/T1/C1","key":"memory","before":false}`, "it was Off", "전에는 꺼짐이었어요"},
		{"setting.set", `{"place":"slack/T1/C1","key":"engage","value":"always","before":"never"}`, "from “Never” to “To every message”", "“말하지 않기”에서 “모든 메시지에”로"},
		{"retention.apply", `{"threads":1,"kept":"30 days","place":"slack/T1/C1"}`, "1 thread was deleted in #hr after “30 days”", "스레드 1개를 지웠어요"},
		{"approval.decided", `{"kind":"step","verb":"allow"}`, "gave standing approval for a step", "단계를 앞으로도 계속 승인했어요"},
		{"approval.revoked", `{"kind":"plan"}`, "Nobody has to decide about a plan any longer", "계획을 거둬들였어요"},
		{"program.called_back", `{"program":"ci"}`, "had a decision sent to the program “ci”", "“ci” 프로그램에 결정을 알렸어요"},
		{"person.forget", `{"threads":1,"messages":1,"records":2}`, "had themselves forgotten: 1 message, 2 memories", "메시지 1개, 기억 2개"},
		{"tool.called", `{"tool":"send_mail","effect":"sends"}`, "called the tool “send_mail” (sends data to another service)", "“send_mail” 도구를 썼어요"},
		{"audit.prune", `{"entries":12}`, "12 old entries were pruned", "오래된 기록 12건을 정리했어요"},
		{"memory.forget", ``, "had memories of themselves forgotten", "자기 기억을 지웠어요"},
		{"of.a_later_release", `{"x":1}`, "", ""},
		{"document.add", `{"document":`, "", ""},
	} {
		e := audit.Entry{What: c.what, Detail: json.RawMessage(c.detail)}
		if got := Of(e, "en", some{}); !strings.Contains(got, c.en) || c.en == "" && got != "" {
			t.Errorf("%s %s: %q, want %q", c.what, c.detail, got, c.en)
		}
		if got := Of(e, "ko", some{}); !strings.Contains(got, c.ko) || c.ko == "" && got != "" {
			t.Errorf("%s %s: %q, want %q", c.what, c.detail, got, c.ko)
		}
	}
}

// TestEveryActionHasWords finds the actions that the code writes to the audit log. Those whose names it puts together
// are in the table of sentences alone.
func TestEveryActionHasWords(t *testing.T) {
	t.Parallel()
	found := 0
	for _, dir := range []string{"bot", "cmd", "adapters"} {
		if err := filepath.WalkDir(filepath.Join("..", "..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 5 {
					return true
				}
				if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Audit" && f.Sel.Name != "NoteAct" {
					return true
				}
				if lit, ok := call.Args[3].(*ast.BasicLit); ok {
					what, _ := strconv.Unquote(lit.Value)
					found++
					if _, ok := told["audited."+what]; !ok && !strings.HasPrefix(what, "setting.") {
						t.Errorf("%s: the action %q has no words", path, what)
					}
				}
				return true
			})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if found < 50 {
		t.Errorf("%d actions were found", found)
	}
	for key := range told {
		if !phrase.Has(key) {
			t.Errorf("no sentence %s", key)
		}
	}
}
