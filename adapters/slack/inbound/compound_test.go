package inbound

import (
	"testing"

	"maru/adapters/slack/payload"
	"maru/bot/content"
)

// TestBlocksOfAnswers reads the blocks of other apps' answers in the forms of
// https://docs.slack.dev/reference/block-kit/blocks.
func TestBlocksOfAnswers(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return `{"type":"mrkdwn","text":"` + s + `"}` }
	rich := func(elements string) string {
		return `{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[` + elements + `]}]}`
	}
	for name, c := range map[string]struct{ block, want string }{
		"card": {`{"type":"card","hero_image":{"type":"image","image_url":"https://a.example/h.png","alt_text":"the new office"},"icon":{"type":"image","alt_text":"icon"},"title":` + text("Move") + `,"subtitle":` + text("Seoul") + `,"body":` + text("We move on *May 3*.") + `,"subtext":` + text("Facilities") + `,"actions":[{"type":"button","text":{"type":"plain_text","text":"Details"}}]}`,
			"**Move**\nSeoul\nWe move on *May 3*.\n[picture: the new office]\n[Details]\nFacilities"},
		"carousel":  {`{"type":"carousel","elements":[{"type":"card","title":` + text("A") + `,"body":` + text("first") + `},{"type":"card","title":` + text("B") + `,"body":` + text("second") + `}]}`, "**A**\nfirst\n**B**\nsecond"},
		"container": {`{"type":"container","title":{"type":"plain_text","text":"Deploy"},"subtitle":` + text("production") + `,"child_blocks":[{"type":"section","text":` + text("All systems go") + `},{"type":"divider"}]}`, "**Deploy**\nproduction\nAll systems go"},
		"layout":    {`{"type":"layout","label":"Deal","rows":[{"items":[{"block":{"type":"section","text":` + text("Negotiation") + `}},{"block":{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"View"}}]}}]}],"fallback":[]}`, "**Deal**\nNegotiation\n[View]"},
		"plan": {`{"type":"plan","title":"Research","tasks":[{"type":"task_card","title":"Search","status":"complete","details":` + rich(`{"type":"text","text":"asked two sites"}`) + `,"output":` + rich(`{"type":"text","text":"3 results"}`) + `,"sources":[{"type":"url","url":"https://example.com","text":"Example"}]}]}`,
			"**Research**\n**Search**\ncomplete\nasked two sites\n3 results\n**Example** (https://example.com)"},
		"data_table": {`{"type":"data_table","caption":"Vendors","page_size":5,"rows":[[{"type":"raw_text","text":"Name"},{"type":"raw_text","text":"Seats"},{"type":"raw_text","text":"Do"}],[` + rich(`{"type":"text","text":"Norvik"}`) + `,{"type":"raw_number","value":42},{"type":"action_cell","element":{"type":"button","text":{"type":"plain_text","text":"Open"}},"fallback":{"type":"raw_text","text":"open"}}]]}`,
			"**Vendors**\n| Name | Seats | Do |\n| --- | --- | --- |\n| Norvik | 42 | open |"},
		"pie":           {`{"type":"data_visualization","title":"Teams","chart":{"type":"pie","segments":[{"label":"Dev","value":3},{"label":"HR","value":1.5}]}}`, "**Teams**\n|  |  |\n| --- | --- |\n| Dev | 3 |\n| HR | 1.5 |"},
		"lines":         {`{"type":"data_visualization","title":"Users","chart":{"type":"line","series":[{"name":"free","data":[{"label":"Mon","value":1},{"label":"Tue","value":2}]},{"name":"paid","data":[{"label":"Tue","value":4}]}],"axis_config":{"categories":["Mon","Tue"],"x_label":"Day"}}}`, "**Users**\n| Day | free | paid |\n| --- | --- | --- |\n| Mon | 1 |  |\n| Tue | 2 | 4 |"},
		"unknown_chart": {`{"type":"data_visualization","title":"Users","chart":{"type":"radar"}}`, "**Users**"},
		"call":          {`{"type":"call","call_id":"R1","call":{"v1":{"id":"R1","name":"Standup","join_url":"https://example.com/j"}}}`, "**Standup** (https://example.com/j)"},
		"video":         {`{"type":"video","title":{"type":"plain_text","text":"Tour"},"title_url":"https://example.com/v","description":{"type":"plain_text","text":"Five minutes"},"alt_text":"a walk","author_name":"Ann"}`, "Ann\n**Tour** (https://example.com/v)\nFive minutes\n[cannot be read: video a walk]"},
		"file":          {`{"type":"file","external_id":"A","file":{"title":"Plan.pdf"}}`, "[cannot be read: file Plan.pdf]"},
		"file_unnamed":  {`{"type":"file","external_id":"A","source":"remote"}`, "[cannot be read: file]"},
		"accessory":     {`{"type":"section","text":` + text("Deploy?") + `,"accessory":{"type":"button","text":{"type":"plain_text","text":"Yes"}}}`, "Deploy?\n[Yes]"},
		"link_button":   {`{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"런북"},"url":"https://wiki.example/r/7"},{"type":"button","text":{"type":"plain_text","text":"확인"}}]}`, "[런북: https://wiki.example/r/7] [확인]"},
		"buttons_below": {`{"type":"context_actions","elements":[{"type":"feedback_buttons","positive_button":{"text":{"type":"plain_text","text":"Good"}}}]}`, ""},
		"mentions": {rich(`{"type":"canvas","file_id":"F1","text":"Plan","url":"https://a.example/c"},{"type":"text","text":", "},{"type":"attachment_mention","url":"https://a.example/x"},{"type":"text","text":", "},{"type":"list_record","file_id":"F1","record_id":"R1"},{"type":"text","text":", "},{"type":"date","timestamp":1720710212,"format":"{date}"},{"type":"text","text":", "},{"type":"workflow_mention","text":"Run <it>"}`),
			"<https://a.example/c|Plan>, <https://a.example/x>, [list record], 2024-07-11 15:03 UTC, Run &lt;it&gt;"},
		"unknown": {`{"type":"hologram","title":"Hi","caption":"there"}`, "Hi\nthere"},
	} {
		b, ok := payload.Parse([]byte(c.block))
		if !ok {
			t.Fatalf("%s: %s", name, c.block)
		}
		r := reading{plain: func(s string) string { return s }}
		if got := content.Words(r.blocks([]payload.Object{b}, 0)...); got != c.want {
			t.Errorf("%s\ngot  %q\nwant %q", name, got, c.want)
		}
	}
}

// TestBesideTheWords reads the times of apps' attachments, and files that have a description or that Slack does not give out.
func TestBesideTheWords(t *testing.T) {
	t.Parallel()
	r := reading{plain: func(s string) string { return s }}
	for name, c := range map[string]struct{ attachment, want string }{
		"time":      {`{"title":"디스크 경고","footer":"Grafana","ts":1777734720}`, "**디스크 경고**\nGrafana · 2026-05-02 15:12 UTC"},
		"time_text": {`{"title":"Disk","ts":"1777734720.000100"}`, "**Disk**\n2026-05-02 15:12 UTC"},
		"no_time":   {`{"title":"Disk","ts":"soon"}`, "**Disk**"},
	} {
		at, _ := payload.Parse([]byte(c.attachment))
		if got := content.Words(r.attachment(at, 0)...); got != c.want {
			t.Errorf("%s\ngot  %q\nwant %q", name, got, c.want)
		}
	}
	ev, _ := payload.Parse([]byte(`{"files":[{"id":"F1","name":"a.png","alt_txt":"로그인 오류 E-403"},{"id":"F2","name":"old.pdf","mode":"hidden_by_limit"},{"id":"F3","name":"b.png"}]}`))
	if got, want := content.Words(files(ev.List("files"), true)...), "[picture: a.png: 로그인 오류 E-403]\n[cannot be read: file beyond the plan's history old.pdf]"; got != want {
		t.Errorf("beside words: %q, want %q", got, want)
	}
	if got, want := content.Words(files(ev.List("files"), false)...), "[cannot be read: file beyond the plan's history old.pdf]"; got != want {
		t.Errorf("alone: %q, want %q", got, want)
	}
}
