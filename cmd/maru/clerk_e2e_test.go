package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/agent/llm/llmtest"
)

// clerk is an MCP server whose tools all change something. Its entry has no policy.
type clerk struct {
	*httptest.Server

	mu    sync.Mutex
	calls []string // name and arguments
}

func newClerk(t *testing.T) *clerk {
	t.Helper()
	o := &clerk{}
	s := mcp.NewServer(&mcp.Implementation{Name: "office", Version: "1"}, nil)
	for name, fields := range map[string][]string{
		"create_issue": {"title", "labels"}, "send_mail": {"to", "text"}, "add_event": {"title", "when"},
		"edit_page": {"page", "text"}, "post_notice": {"channel", "text"},
	} {
		properties := map[string]any{}
		for _, f := range fields {
			properties[f] = map[string]string{"type": "string"}
		}
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": fields[:1], "additionalProperties": false})
		if err != nil {
			t.Fatal(err)
		}
		s.AddTool(&mcp.Tool{Name: name, Description: name, InputSchema: json.RawMessage(schema)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				o.mu.Lock()
				defer o.mu.Unlock()
				o.calls = append(o.calls, name+" "+string(r.Params.Arguments))
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}}}, nil
			})
	}
	o.Server = httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(o.Close)
	return o
}

// made returns the calls in alphabetical order.
func (o *clerk) made() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(slices.Values(o.calls))
}

// config returns the variable of a settings file with this server.
func (o *clerk) config(t *testing.T) string {
	t.Helper()
	return "MARU_CONFIG=" + serversFile(t, `mcp: [{name: office, url: "`+o.URL+`"}]`)
}

// request is something that people ask a bot to do, and the call that does it.
type request struct{ say, tool, args, shown string }

// requests are twenty, ten of them Korean.
var requests = func() []request {
	list := []request{
		{say: "file a bug for this: the login page is blank on Safari", tool: "create_issue", args: `{"title":"Login page is blank on Safari","labels":"bug"}`},
		{say: "send Kim the summary", tool: "send_mail", args: `{"to":"kim@example.com","text":"Summary: we ship on Friday."}`},
		{say: "put the retro on Friday at three in the calendar", tool: "add_event", args: `{"title":"Retro","when":"Friday 15:00"}`},
		{say: "add the new door code to the office page", tool: "edit_page", args: `{"page":"office","text":"The door code has changed."}`},
		{say: "tell #general that the lift is out of order", tool: "post_notice", args: `{"channel":"general","text":"The lift is out of order."}`},
		{say: "open a ticket: the invoice export times out", tool: "create_issue", args: `{"title":"Invoice export times out"}`},
		{say: "mail the vendor that we accept the quote", tool: "send_mail", args: `{"to":"vendor@example.com","text":"We accept the quote."}`},
		{say: "schedule the design review for Monday ten o'clock", tool: "add_event", args: `{"title":"Design review","when":"Monday 10:00"}`},
		{say: "correct the phone number on the contacts page", tool: "edit_page", args: `{"page":"contacts","text":"Reception: 1234"}`},
		{say: "announce in #dev that main is frozen", tool: "post_notice", args: `{"channel":"dev","text":"main is frozen"}`},
		{say: "이거 버그로 등록해 줘: 결제 버튼이 두 번 눌려요", tool: "create_issue", args: `{"title":"결제 버튼이 두 번 눌림","labels":"버그"}`},
		{say: "김 대리에게 회의 요약을 메일로 보내 줘", tool: "send_mail", args: `{"to":"kim.dr@example.com","text":"회의 요약: 금요일에 배포해요."}`},
		{say: "다음 주 화요일 두 시에 주간 회의 잡아 줘", tool: "add_event", args: `{"title":"주간 회의","when":"화요일 14:00"}`},
		{say: "온보딩 문서에 새 와이파이 안내를 넣어 줘", tool: "edit_page", args: `{"page":"온보딩","text":"와이파이 이름이 바뀌었어요."}`},
		{say: "공지 채널에 오늘 저녁 점검이 있다고 알려 줘", tool: "post_notice", args: `{"channel":"공지","text":"오늘 저녁에 점검이 있어요."}`},
		{say: "앱이 느리다는 문의를 티켓으로 만들어 줘", tool: "create_issue", args: `{"title":"앱이 느리다는 문의"}`},
		{say: "거래처에 견적을 받아들인다고 회신해 줘", tool: "send_mail", args: `{"to":"partner@example.com","text":"견적을 받아들이겠습니다."}`},
		{say: "금요일 점심에 팀 회식을 캘린더에 추가해 줘", tool: "add_event", args: `{"title":"팀 회식","when":"금요일 12:00"}`},
		{say: "휴가 안내 페이지의 담당자를 이수진으로 바꿔 줘", tool: "edit_page", args: `{"page":"휴가 안내","text":"담당자: 이수진"}`},
		{say: "개발 채널에 배포가 끝났다고 올려 줘", tool: "post_notice", args: `{"channel":"개발","text":"배포가 끝났어요."}`},
	}
	for i, r := range list {
		var values map[string]string
		if err := json.Unmarshal([]byte(r.args), &values); err != nil {
			panic(err)
		}
		for _, v := range values { // the longest value is on the card and names the request
			if len(v) > len(list[i].shown) {
				list[i].shown = v
			}
		}
	}
	return list
}()

// wanted returns the calls that the requests ask for.
func wanted() []string {
	var out []string
	for _, r := range requests {
		out = append(out, r.tool+" "+r.args)
	}
	return slices.Sorted(slices.Values(out))
}

// obeys returns a model that does what it is asked with the tool for it.
func obeys(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, obeyed)
}

func obeyed(r llmtest.Request) llmtest.Reply {
	if r.ResponseFormat != nil {
		return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
	}
	if r.Messages[len(r.Messages)-1].Role == "tool" {
		return llmtest.Text("That is all.")
	}
	for _, q := range requests {
		if strings.Contains(lastSaid(r), q.say) {
			return llmtest.CallTool("office_"+q.tool, q.args)
		}
	}
	return llmtest.Text("?")
}
