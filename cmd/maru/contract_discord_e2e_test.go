package main

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"maru/agent/llm/llmtest"
)

// rent is a contract whose articles say things that a planner has to look for.
const rent = `가람빌딩 임대차 계약서

제1조(목적) 임대인은 3층 사무실을 임차인에게 빌려준다.

제2조(기간) 기간은 2027년 1월 1일부터 2년으로 한다.

제3조(차임) 차임은 월 300만 원으로 하고 매월 5일까지 낸다.

제4조(보증금) 보증금은 5,000만 원으로 한다.

제5조(연체) 차임을 제때 내지 않으면 연 10퍼센트의 이자를 낸다.

제6조(수선) 벽과 창의 수선은 임대인이 한다.

제7조(해지) 임차인이 차임을 두 번 밀리면 임대인은 해지할 수 있다.

제8조(원상회복) 임차인은 나갈 때 사무실을 처음대로 돌려놓는다.

제9조(관할) 다툼은 서울중앙지방법원에서 다룬다.
`

// counsel plays a model that plans several look-ups at once, wants the same ones again, is never
// satisfied, and cites a passage that does not exist.
type counsel struct {
	planned, judge chan struct{} // the first plan and the first judgement wait for them

	mu     sync.Mutex
	plans  int
	judged int
	seen   []string // what the answer was written from
}

func (c *counsel) reply(r llmtest.Request) llmtest.Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case schemaOf(r) == "contract_evaluation":
		reply := llmtest.JSON(map[string]any{"enough": false, "missing_info": "제5조", "unexplored": []string{"제8조"}})
		if c.judged++; c.judged == 1 {
			reply.Wait = c.judge
		}
		return reply
	case schemaOf(r) != "":
		return llmtest.JSON(map[string]any{"depends": false, "question": "", "held": false})
	case len(r.Tools) > 0:
		c.plans++
		plan := llmtest.CallTool("hybrid_search", `{"query":"차임 지급"}`).And("get_article_by_title", `{"title":"해지"}`).
			And("hybrid_search", `{ "query" : "차임 지급" }`).And("lookup_standard_contract", `{"topic":"지연이자"}`)
		switch c.plans {
		case 1:
			plan.Wait = c.planned
		case 2:
			return plan.And("get_article_by_index", `{"index":"제5조"}`)
		}
		return plan // from the third round on nothing new
	}
	c.seen = append(c.seen, r.Messages[0].Text())
	return llmtest.Text("차임은 월 300만 원이고 매월 5일까지 내요 [1]. 두 번 밀리면 해지될 수 있어요 [2]. 없는 말이에요 [99].")
}

// TestContractWalkOnDiscord follows a question about an uploaded contract through planner, several tools
// side by side, evaluator and answer, with live progress, and opens its sources.
func TestContractWalkOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	// What people reach the console at must be known before it listens: a way to it is put in front.
	var front *httputil.ReverseProxy
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { front.ServeHTTP(w, r) }))
	t.Cleanup(door.Close)
	c := &counsel{planned: make(chan struct{}), judge: make(chan struct{})}
	w := newDiscordWorld(t, llmtest.NewServer(t, c.reply), "MARU_AGENT=contract", "MARU_CONTRACT_CACHE=false", "MARU_PUBLIC_URL="+door.URL, "MARU_WEB_PASSWORD=a long password")
	w.begin()
	to, err := url.Parse("http://" + w.addr)
	if err != nil {
		t.Fatal(err)
	}
	front = httputil.NewSingleHostReverseProxy(to)

	file := w.discord.PutFile("가람 계약서.txt", "text/plain", []byte(rent))
	q := w.discord.SayWith(w.user, w.general, w.discord.Mention()+" 이 계약서에서 월세를 밀리면 어떻게 되나요?", "", file)
	w.saw(q.ID, "무엇을 찾아볼지 정하고 있어요")
	close(c.planned)
	w.saw(q.ID, "찾은 내용이 충분한지 보고 있어요")
	close(c.judge)
	var answer string
	err = w.discord.Await(within(t, atMost), func() bool {
		for _, m := range w.discord.BotMessages(q.ID) {
			if answer = m.Text(); strings.Contains(answer, "해지될 수 있어요") && strings.Contains(answer, "-# [2]") {
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatalf("no answer: %v", w.discord.BotMessages(q.ID))
	}
	if strings.Contains(answer, "[99]") || strings.Contains(answer, "[3]") {
		t.Errorf("a citation that was made up, or a source that is not cited: %s", answer)
	}
	c.rounds(t)
	w.opensSources(answer, "차임은 월 300만 원", "두 번 밀리면")
}

// rounds holds what the model was asked against the bounds of a turn.
func (c *counsel) rounds(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	// The fourth round gives the answer without another judgement.
	if c.plans != 4 || c.judged != 3 {
		t.Errorf("%d plans and %d judgements, want 4 and 3", c.plans, c.judged)
	}
	if len(c.seen) != 1 {
		t.Fatalf("%d answers", len(c.seen))
	}
	for _, text := range []string{"제3조", "제7조", "제5조"} {
		if n := strings.Count(c.seen[0], "] (the user's contract) 가람 계약서, "+text); n != 1 {
			t.Errorf("%s stands %d times among the passages:\n%s", text, n, c.seen[0])
		}
	}
	if !strings.Contains(c.seen[0], "(the standard contract)") {
		t.Error("the standard contract is not among the passages")
	}
}

// saw waits until people see text in a thread.
func (w *discordWorld) saw(thread, text string) {
	w.t.Helper()
	err := w.discord.Await(within(w.t, atMost), func() bool {
		return strings.Contains(raw(w.t, w.discord.BotMessages(thread)), text)
	})
	if err != nil {
		w.t.Fatalf("nobody sees %q: %v", text, w.discord.BotMessages(thread))
	}
}

var (
	sourceLink = regexp.MustCompile(`-# \[\d+\] \[[^\]]*\]\((http[^)\s]+#source-(\d+))\)`)
	csrfField  = regexp.MustCompile(`name="csrf" value="([^"]+)"`)
)

// opensSources opens each source of an answer, which must lead to the passage that says so.
func (w *discordWorld) opensSources(answer string, says ...string) {
	w.t.Helper()
	links := sourceLink.FindAllStringSubmatch(answer, -1)
	if len(links) != len(says) {
		w.t.Fatalf("%d sources can be opened, want %d: %s", len(links), len(says), answer)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	visitor := &http.Client{Jar: jar}
	at, err := url.Parse(links[0][1])
	if err != nil {
		w.t.Fatal(err)
	}
	base := at.Scheme + "://" + at.Host
	form, err := visitor.Get(base + "/login")
	if err != nil {
		w.t.Fatal(err)
	}
	page, err := io.ReadAll(form.Body)
	token := csrfField.FindSubmatch(page)
	if _ = form.Body.Close(); err != nil || token == nil {
		w.t.Fatalf("no form to sign in with: %v %s", err, page)
	}
	in, err := visitor.PostForm(base+"/login", url.Values{"password": {"a long password"}, "csrf": {string(token[1])}})
	if err != nil {
		w.t.Fatal(err)
	}
	_ = in.Body.Close()
	for i, link := range links {
		resp, err := visitor.Get(link[1])
		if err != nil {
			w.t.Fatal(err)
		}
		page, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			w.t.Fatalf("%s: %d %v", link[1], resp.StatusCode, err)
		}
		_, at, found := strings.Cut(html.UnescapeString(string(page)), `id="source-`+link[2]+`"`)
		if passage, _, _ := strings.Cut(at, "</li>"); !found || !strings.Contains(passage, says[i]) {
			w.t.Errorf("%s does not lead to %q: %.600s", link[1], says[i], passage)
		}
	}
}
