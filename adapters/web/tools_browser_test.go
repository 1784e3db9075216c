//go:build !race

package web_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"maru/adapters/web/site"
	"maru/bot"
)

var _ site.Tools = (*staffed)(nil)

// kit are the tool servers of a fake desk.
type kit struct {
	mu      sync.Mutex
	servers []site.ToolServer
	taken   bool // the offers of "crm" are accepted
	asks    bool // "clock" is not allowed without a question any more
	did     []string
}

// someServers returns a server of the configuration file with a changed tool, and an added one.
func someServers() []site.ToolServer {
	return []site.ToolServer{
		{Name: "files", Up: true, Tools: 4, Changed: []site.ChangedTool{{Name: "files_read", Hash: "abc123", Before: "Reads a file.", After: "Reads any file."}}},
		{Name: "crm", Where: "https://crm.example.com/mcp", Team: "slack/T1", By: "영희", Places: []string{"slack/T1/C1"}},
		{Name: "notes", By: "configuration file", Own: true},
	}
}

func (k *kit) ListTools(_ context.Context, _ bot.User, _, place bot.Thread) (servers []site.ToolServer, here site.PlaceTools, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	here = site.PlaceTools{Text: "- `clock` tells the time in " + place.Channel, Place: "slack/T1/" + place.Channel}
	if place.Channel == "C9" && !k.asks {
		here.Allowed = []site.AllowedTool{{Name: "clock", By: "slack/T1/U1", Until: time.Date(2026, 12, 4, 9, 0, 0, 0, time.UTC)}}
	}
	return slices.Clone(k.servers), here, nil
}

func (k *kit) LookAtServer(_ context.Context, _ bot.User, _ bot.Thread, name string) (look site.ServerLook, problem string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	look = site.ServerLook{Name: name, Fixed: name == "notes", Digest: "d1g3st", Offers: []site.OfferedTool{
		{Name: "find", Description: "Finds a customer.", Effect: "reads", Words: "reads", New: !k.taken}, {Name: "send", Description: "Sends a mail.", Effect: "sends", Words: "sends", New: !k.taken},
	}}
	if k.taken {
		look.Digest = ""
	}
	return look, "", nil
}

func (k *kit) ChangeTools(_ context.Context, _ bot.User, _ bot.Thread, c site.ToolChange) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.taken = k.taken || c.Do == "accept" && c.Server != ""
	k.asks = k.asks || c.Do == "disallow"
	if c.Do == "remove" {
		k.servers = k.servers[:1]
	}
	did := strings.Join(strings.Fields(c.Do+" "+c.Server+" "+strings.Join(c.Args, " ")+" "+c.Place), " ")
	k.did = append(k.did, did)
	return "Did **" + did + "**", nil
}

func TestBrowserTools(t *testing.T) {
	t.Parallel()
	for lang, words := range map[string]struct{ fresh, done string }{"en": {"New: waits for acceptance", "All tools are accepted."}, "ko": {"새 도구라 확인을 기다려요", "모든 도구를 받아들였어요."}} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			s := &staffed{kit: kit{servers: someServers()}}
			c := startStaffed(t, s)
			b := browser(t)
			problems := complaints(t, b)
			b.open(c.URL + "/tools")
			b.click("[name=lang][value=" + lang + "]")
			b.wait("html[lang=" + lang + "]")
			b.see("[data-server=files] .problem")
			b.click("[data-server=files] [value=accept]")
			b.until(`document.querySelector(".said").textContent.includes("accept files_read abc123")`)
			b.click("[data-server=notes] [value=test]")
			b.until(`document.querySelector("#look h2").textContent === "notes" && document.querySelector("[data-tool=find]") && !document.querySelector("#look [value=class]")`)
			b.click("[data-server=crm] [value=test]")
			b.until(`document.querySelector("[data-tool=find] .tag").textContent === "` + words.fresh + `"`)
			b.do(chromedp.SetValue(chromedp.CSS("[data-tool=send] select"), "writes"))
			b.click("[data-tool=send] [value=class]")
			b.until(`document.querySelector(".said").textContent.includes("class crm send writes")`)
			b.click("#look [value=accept]")
			b.until(`document.querySelector("#look .quiet").textContent === "` + words.done + `"`)
			b.click(`[data-server=crm] form:has([name=place]) summary`)
			b.write("[data-server=crm] [name=place]", "slack/T1/C2")
			b.click("[data-server=crm] [value=limit]")
			b.until(`document.querySelector(".said").textContent.includes("limit crm slack/T1/C2")`)
			b.click("[data-server=crm] .sure summary")
			b.click("[data-server=crm] [value=remove]")
			b.until(`!document.querySelector("[data-server=crm]")`)
			b.click("details:has([type=url]) > summary")
			b.write("[type=url]", "https://mcp.example.com/mcp")
			b.click("[value=add]")
			b.until(`document.querySelector(".said").textContent.includes("add https://mcp.example.com/mcp")`)
			b.write(".filters [name=place]", "slack/T1/C9")
			b.click(".filters [type=submit]")
			b.until(`document.querySelector("#here").textContent.includes("in C9")`)
			b.see("[data-allowed=clock]")
			b.click("[data-allowed=clock] [value=disallow]")
			b.until(`document.querySelector(".said").textContent.includes("disallow clock slack/T1/C9")`)
			b.until(`!document.querySelector("[data-allowed]") && document.querySelector("#here").textContent.includes("in C9")`)
			if p := problems(); len(p) > 0 {
				t.Errorf("the browser complained: %q", p)
			}
		})
	}
}
