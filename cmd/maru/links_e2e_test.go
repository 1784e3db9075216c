package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
	"maru/phrase"
)

// publicSite returns a website with a PDF, a page, a page behind a sign-in and nothing else.
func publicSite(t *testing.T) string {
	t.Helper()
	form, err := os.ReadFile("../../rag/load/testdata/field/filled-form.pdf")
	must(t, "read", err)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/files/form.pdf":
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = w.Write(form)
		case "/news":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<title>점검 안내</title><nav>홈 | 소식</nav><article><h1>점검 안내</h1><p>서버실은 3월 9일 새벽 2시에 점검해요.</p></article>"))
		case "/wiki":
			http.Redirect(w, r, "/login?next=wiki", http.StatusFound)
		case "/login":
			_, _ = w.Write([]byte("<form><input type=password></form>"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// linkReader answers with what it was given of the site's texts.
func linkReader(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil {
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test", "file": "whole"})
		}
		switch given := r.System(); {
		case strings.Contains(given, "Electric car"):
			return llmtest.Text("It is an application for a parking place [1].")
		case strings.Contains(given, "새벽 2시"):
			return llmtest.Text("서버실 점검은 새벽 2시예요 [1].")
		}
		return llmtest.Text("I was given nothing.")
	})
}

// TestLinksAreRead: a PDF and a page behind a link are read on each surface, and what cannot be read is said in the
// language of the question.
func TestLinksAreRead(t *testing.T) {
	t.Parallel()
	site := publicSite(t)
	host := strings.TrimPrefix(site, "http://")
	for surface, start := range surfacesOf {
		t.Run(surface, func(t *testing.T) {
			t.Parallel()
			say := start(t, linkReader(t), "MARU_LINKS=inside", "MARU_HTTP_INSIDE=127.0.0.0/8")
			for text, want := range map[string]string{
				"summarise " + site + "/files/form.pdf please": "an application for a parking place",
				site + "/news 요약해줘":                            "새벽 2시예요",
				"이 링크 무슨 내용이야? " + site + "/news":              "새벽 2시예요",
				"summarise " + site + "/wiki":                  phrase.Say("en", "linked.login", host+"/wiki"),
				"이 문서 번역해줘 " + site + "/none":                  phrase.Say("ko", "linked.gone", host+"/none"),
				"is " + site + "/files/old.pdf still valid?":   phrase.Say("en", "linked.gone", host+"/files/old.pdf"),
				"we moved to " + site + "/news":                "I was given nothing",
			} {
				say(shown{text: text, want: want}, nil)
			}
		})
	}
}

// TestLinksInsideAreRefused: without MARU_LINKS=inside an address of a private network is not opened, although workflows
// may ask it.
func TestLinksInsideAreRefused(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	t.Cleanup(site.Close)
	host := strings.TrimPrefix(site.URL, "http://")
	say := surfacesOf["slack"](t, linkReader(t), "MARU_HTTP_INSIDE=127.0.0.0/8")
	say(shown{text: "summarise " + site.URL + "/secret", want: phrase.Say("en", "linked.private", host+"/secret")}, nil)
	say(shown{text: "요약해줘 http://169.254.169.254/latest/meta-data/", want: phrase.Say("ko", "linked.private", "169.254.169.254/latest/meta-data")}, nil)
	select {
	case path := <-asked:
		t.Errorf("%s was fetched", path)
	default:
	}
}
