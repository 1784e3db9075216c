package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestComponentsOfApps reads messages of components in the forms of https://discord.com/developers/docs/components/reference.
func TestComponentsOfApps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ message, want string }{
		"section":      {`{"components":[{"type":9,"components":[{"type":10,"content":"# v7.3"},{"type":10,"content":"Fixed chests"}],"accessory":{"type":11,"media":{"url":"https://a.example/p.webp"},"description":"a chest"}}]}`, "# v7.3\nFixed chests\n[picture: a chest]"},
		"gallery":      {`{"components":[{"type":17,"components":[{"type":10,"content":"Webcams"},{"type":12,"items":[{"media":{"url":"https://a.example/1"},"description":"the gate"},{"media":{"url":"https://a.example/2"}}]}]}]}`, "Webcams\n[picture: the gate]\n[picture]"},
		"file":         {`{"components":[{"type":10,"content":"Get it:"},{"type":13,"file":{"url":"attachment://game.zip"},"name":"game.zip"}]}`, "Get it:\n[cannot be read: file game.zip]"},
		"buttons_only": {`{"components":[{"type":1,"components":[{"type":2,"label":"Accept"},{"type":3,"placeholder":"Favourite bug?"}]}]}`, "[Accept]\n[Favourite bug?]"},
		"menu":         {`{"components":[{"type":10,"content":"Pick a class"},{"type":1,"components":[{"type":3,"custom_id":"c","placeholder":"Favourite bug?","options":[{"label":"Ant","value":"ant","description":"(best option)","emoji":{"name":"🐜"}},{"label":"Butterfly","value":"b"}]}]}]}`, "Pick a class\n[Favourite bug?: Ant – (best option); Butterfly]"},
		"label":        {`{"components":[{"type":18,"label":"What did you find?","description":"Be specific","component":{"type":21,"options":[{"label":"Bug","value":"1"},{"label":"Typo","value":"2"}]}},{"type":18,"label":"Agree?","component":{"type":23,"custom_id":"x"}}]}`, "[What did you find? – Be specific]\n[Bug; Typo]\n[Agree?]"},
		"label_alone":  {`{"components":[{"type":18,"label":"Your idea","description":"Be specific","component":{"type":4,"placeholder":"A sentence"}}]}`, "[Your idea – Be specific]"},
		"odd_menu":     {`{"components":[{"type":3,"placeholder":"Team?","options":[{}]},{"type":3,"options":null}]}`, "[Team?]"},
		"with_text":    {`{"content":"Deploy?","components":[{"type":1,"components":[{"type":2,"label":"Yes"}]}]}`, "Deploy?"},
		"forwarded":    {`{"message_snapshots":[{"message":{"content":"","components":[{"type":10,"content":"Moved"}]}}]}`, "Moved"},
		"odd":          {`{"content":"","components":[7,{"type":"x"},{"type":9,"accessory":[]},{"type":10,"content":"ok"}]}`, "ok"},
		"deep":         {`{"components":` + strings.Repeat(`[{"type":17,"components":`, 50) + `[{"type":10,"content":"x"}]` + strings.Repeat(`}]`, 50) + `}`, ""},
	} {
		var m Message
		if err := json.Unmarshal([]byte(c.message), &m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := m.Text(); got != c.want {
			t.Errorf("%s\ngot  %q\nwant %q", name, got, c.want)
		}
	}
}

// TestWordsOfOthers: buttons with their links, picture descriptions and times of other people's messages are read.
func TestWordsOfOthers(t *testing.T) {
	t.Parallel()
	const at = `"2026-05-03T00:12:00+09:00"`
	for name, c := range map[string]struct{ message, want string }{
		"buttons":           {`{"content":"결제 서버 배포 승인이 필요합니다","components":[{"type":1,"components":[{"type":2,"style":3,"label":"승인"},{"type":2,"style":5,"label":"런북","url":"https://wiki.example/r/7"}]}]}`, "결제 서버 배포 승인이 필요합니다\n[승인] [런북: https://wiki.example/r/7]"},
		"buttons_of_a_card": {`{"embeds":[{"type":"rich","title":"Disk full"}],"components":[{"type":1,"components":[{"type":2,"style":5,"label":"Open","url":"https://g.example/d"}]}]}`, "[Open: https://g.example/d]\n**Disk full**"},
		"time_of_a_card":    {`{"embeds":[{"type":"rich","title":"디스크 경고","footer":{"text":"Grafana"},"timestamp":` + at + `}]}`, "**디스크 경고**\nGrafana · 2026-05-02 15:12 UTC"},
		"end_of_a_poll":     {`{"poll":{"question":{"text":"점심?"},"answers":[{"answer_id":1,"poll_media":{"text":"김밥"}}],"allow_multiselect":true,"expiry":` + at + `}}`, "[poll] 점심?\n- 김밥\nseveral answers allowed, until 2026-05-02 15:12 UTC"},
		"poll_of_one_vote":  {`{"poll":{"question":{"text":"Lunch?"},"answers":[]}}`, "[poll] Lunch?\nno options"},
		"picture":           {`{"content":"이 화면 뭐야?","attachments":[{"id":"1","filename":"a.png","description":"로그인 오류 E-403","content_type":"image/png"}]}`, "이 화면 뭐야?\n[picture: a.png: 로그인 오류 E-403]"},
		"picture_alone":     {`{"attachments":[{"id":"1","filename":"a.png","description":"a cat","content_type":"image/png"}]}`, ""},
		"forward":           {`{"message_snapshots":[{"message":{"content":"see","attachments":[{"id":"1","filename":"b.png","description":"a map"}],"components":[{"type":1,"components":[{"type":2,"label":"Go"}]}]}}]}`, "see\n[picture: b.png: a map]\n[Go]"},
	} {
		var m Message
		if err := json.Unmarshal([]byte(c.message), &m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.TrimSpace(m.Said()); got != c.want {
			t.Errorf("%s\ngot  %q\nwant %q", name, got, c.want)
		}
	}
}
