package builtin_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/tool"
	"maru/agent/tool/builtin"
)

// canary is the key in every test: it must not come out anywhere.
const canary = "c4n4ry+key/=="

// fakeServices answers like OpenWeather, Wikipedia, Tavily and Google, and is as
// strict: a missing or unknown parameter or a wrong key is refused.
func fakeServices(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /data/2.5/weather", func(w http.ResponseWriter, r *http.Request) {
		if !strict(w, r, "appid", "q? lat? lon? units lang appid") {
			return
		}
		place := r.URL.Query().Get("q")
		if place == "Atlantis" || place == "없는곳" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"cod":"404","message":"city not found"}`)
			return
		}
		degree := map[string]float64{"metric": 3.25, "imperial": 37.9}[r.URL.Query().Get("units")]
		words := map[string]string{"kr": "맑음", "en": "clear sky"}[r.URL.Query().Get("lang")]
		if r.URL.Query().Get("lat") == "37.5" {
			words += " at the coordinates"
		}
		_, _ = fmt.Fprintf(w, `{"weather":[{"description":%q}],"main":{"temp":%g,"feels_like":-1,"temp_min":1,"temp_max":5,"humidity":40},
			"wind":{"speed":2.5},"rain":{"1h":0.4},"dt":1795255800,"timezone":32400,"name":"Seoul","sys":{"country":"KR"}}`, words, degree)
	})
	mux.HandleFunc("GET /geo/1.0/direct", func(w http.ResponseWriter, r *http.Request) {
		if !strict(w, r, "appid", "q limit appid") {
			return
		}
		if r.URL.Query().Get("q") == "서울" {
			_, _ = io.WriteString(w, `[{"name":"Seoul","lat":37.5,"lon":127,"country":"KR"}]`)
			return
		}
		_, _ = io.WriteString(w, `[]`)
	})
	mux.HandleFunc("GET /data/2.5/forecast", func(w http.ResponseWriter, r *http.Request) {
		if !strict(w, r, "appid", "q units lang appid") {
			return
		}
		var list []string
		for i := range 40 { // from 2026-11-21 21:00 in Seoul
			list = append(list, fmt.Sprintf(`{"dt":%d,"main":{"temp":1,"temp_min":%d,"temp_max":%d,"humidity":1},"weather":[{"description":"w%d"}],"pop":0.5,"rain":{"3h":0.25}}`,
				1795262400+i*10800, -i, i, i))
		}
		_, _ = fmt.Fprintf(w, `{"list":[%s],"city":{"name":"Seoul","country":"KR","timezone":32400}}`, strings.Join(list, ","))
	})
	mux.HandleFunc("GET /ko/w/api.php", wiki("세종대왕"))
	mux.HandleFunc("GET /en/w/api.php", wiki("Sejong the Great"))
	mux.HandleFunc("POST /search", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if r.Header.Get("Authorization") != "Bearer "+canary || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body["query"] == nil || body["search_depth"] != "basic" || len(body) != 3 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if body["query"] == "nothing" {
			_, _ = io.WriteString(w, `{"results":[]}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"query":"q","results":[{"title":"One","url":"https://one.example/a","content":"%s","score":0.9},{"title":"Two","url":"javascript:alert(1)","content":"second"}]}`, strings.Repeat("긴 글 ", 4000))
	})
	mux.HandleFunc("GET /customsearch/v1", func(w http.ResponseWriter, r *http.Request) {
		if strict(w, r, "key", "q num cx key") {
			if r.URL.Query().Get("q") == "nothing" { // Google leaves items out
				_, _ = io.WriteString(w, `{"kind":"customsearch#search","searchInformation":{"totalResults":"0"}}`)
				return
			}
			_, _ = io.WriteString(w, `{"items":[{"title":"G","link":"https://g.example/","snippet":"found"}]}`)
		}
	})
	server := httptest.NewServer(mux)
	closeAfter(t, server)
	return server
}

// closeAfter closes a server with its connections: one that was opened and never
// used would keep Close waiting for seconds.
func closeAfter(t *testing.T, server *httptest.Server) {
	t.Helper()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
}

// strict checks the key and the names of the parameters; "?" marks optional ones.
func strict(w http.ResponseWriter, r *http.Request, key, names string) bool {
	query := r.URL.Query()
	if query.Get(key) != canary {
		w.WriteHeader(http.StatusUnauthorized)
		return false
	}
	for _, name := range strings.Fields(names) {
		bare, optional := strings.CutSuffix(name, "?")
		if !optional && query.Get(bare) == "" {
			w.WriteHeader(http.StatusBadRequest)
			return false
		}
		query.Del(bare)
	}
	if len(query) > 0 {
		w.WriteHeader(http.StatusBadRequest)
	}
	return len(query) == 0
}

func wiki(title string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("action") != "query" || q.Get("formatversion") != "2" || q.Get("gsrsearch") == "" || !strings.Contains(r.UserAgent(), "maru") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if q.Get("gsrsearch") == "only english" && strings.HasPrefix(r.URL.Path, "/ko") || q.Get("gsrsearch") == "nothing" {
			_, _ = io.WriteString(w, `{"batchcomplete":true}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"query":{"pages":[{"pageid":1,"index":2,"title":"Second","extract":"later","fullurl":"https://w.example/2"},
			{"pageid":9,"index":1,"title":%q,"extract":"훈민정음을 만들었다","fullurl":"https://w.example/1"}]}}`, title)
	}
}

func TestServices(t *testing.T) {
	t.Parallel()
	base := fakeServices(t).URL
	weather, wikipedia := builtin.NewWeather(base, canary, true, nil), builtin.NewWikipedia(base+"/{lang}", true, nil)
	tavily, google := builtin.NewTavily(base, canary, true, nil), builtin.NewGoogle(base, canary, "cx", true, nil)
	type args = map[string]any
	for name, tc := range map[string]struct {
		tool tool.Tool
		args args
		lang string
		want []string
	}{
		"weather now":         {weather, args{"place": "Seoul,KR"}, "en", []string{"Seoul, KR", "clear sky, 3.2°C", "feels like -1.0°C", "humidity 40%", "wind 2.5 m/s", "rain 0.4 mm", "2026-11-21"}},
		"weather in Korean":   {weather, args{"place": "서울"}, "ko", []string{"맑음 at the coordinates"}},
		"weather imperial":    {weather, args{"place": "Seoul", "units": "imperial"}, "", []string{"37.9°F", "mph"}},
		"forecast":            {weather, args{"place": "Seoul", "days": 2}, "", []string{"2026-11-21 (Sat): w0, 0.0 to 0.0°C", "2026-11-22 (Sun): w5, -8.0 to 8.0°C, chance of rain 50%, rain 2.0 mm"}},
		"wikipedia ranks":     {wikipedia, args{"query": "세종"}, "ko", []string{"[1] 세종대왕\nhttps://w.example/1\n훈민정음을 만들었다", "[2] Second"}},
		"wikipedia by choice": {wikipedia, args{"query": "Sejong", "language": "en", "limit": 2}, "ko", []string{"[1] Sejong the Great"}},
		"wikipedia fallback":  {wikipedia, args{"query": "only english"}, "ko", []string{"[1] Sejong the Great"}},
		"other language":      {wikipedia, args{"query": "x"}, "", []string{"[1] Sejong the Great"}},
		"tavily":              {tavily, args{"query": "golang"}, "", []string{"[1] One\nhttps://one.example/a", "more bytes were left out", "[2] Two\n\nsecond"}},
		"google":              {google, args{"query": "golang", "limit": 1}, "", []string{"[1] G\nhttps://g.example/\nfound"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := invoke(t, tc.tool, tc.args, tool.Call{Language: tc.lang})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.want {
				if !strings.Contains(got.Text, want) {
					t.Errorf("got %.600q, want %q", got.Text, want)
				}
			}
			if len(got.Text) > tool.MaxResult || len(got.Sources) == 0 || strings.Contains(got.Text, canary) {
				t.Errorf("%d bytes, %d sources", len(got.Text), len(got.Sources))
			}
			for _, s := range got.Sources {
				if s.URL != "" && !strings.HasPrefix(s.URL, "http") {
					t.Errorf("source %q", s.URL)
				}
			}
		})
	}
}

func TestServicesFindNothing(t *testing.T) {
	t.Parallel()
	base := fakeServices(t).URL
	for _, tc := range []struct {
		tool tool.Tool
		args map[string]any
	}{
		{builtin.NewWeather(base, canary, true, nil), map[string]any{"place": "Atlantis"}}, {builtin.NewWeather(base, canary, true, nil), map[string]any{"place": "없는곳"}},
		{builtin.NewWikipedia(base+"/{lang}", true, nil), map[string]any{"query": "nothing"}}, {builtin.NewTavily(base, canary, true, nil), map[string]any{"query": "nothing"}},
		{builtin.NewGoogle(base, canary, "cx", true, nil), map[string]any{"query": "nothing"}},
	} {
		_, err := invoke(t, tc.tool, tc.args, tool.Call{Language: "ko"})
		wrong(t, err, "not_found")
	}
}

// keyed returns the tools that send a key, with arguments that fit them.
func keyed(base string, trusted bool) map[string]struct {
	tool tool.Tool
	args map[string]any
} {
	return map[string]struct {
		tool tool.Tool
		args map[string]any
	}{
		"weather": {builtin.NewWeather(base, canary, trusted, nil), map[string]any{"place": "Seoul"}},
		"tavily":  {builtin.NewTavily(base, canary, trusted, nil), map[string]any{"query": "x"}},
		"google":  {builtin.NewGoogle(base, canary, "cx", trusted, nil), map[string]any{"query": "x"}},
		"wiki":    {builtin.NewWikipedia(base, trusted, nil), map[string]any{"query": "x"}},
	}
}

// TestFailuresOfServices checks that each way of failing gives the right code
// and never shows the key, not even to the log.
func TestFailuresOfServices(t *testing.T) {
	t.Parallel()
	leak := "the key " + canary + " and " + url.QueryEscape(canary)
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		code    string
	}{
		"key refused":  {status(http.StatusUnauthorized, leak), "unavailable"},
		"forbidden":    {status(http.StatusForbidden, leak), "unavailable"},
		"rate limit":   {status(http.StatusTooManyRequests, leak), "limit"},
		"server error": {status(http.StatusInternalServerError, leak), "unavailable"},
		"bad request":  {status(http.StatusBadRequest, leak), "bad_argument"},
		"html":         {status(http.StatusOK, "<html>"+leak), "unavailable"},
		"empty":        {status(http.StatusOK, ""), "unavailable"},
		"wrong shape":  {status(http.StatusOK, `[{"a":"`+leak+`"}]`), "unavailable"},
		"flood":        {status(http.StatusOK, `"`+strings.Repeat("x", 2<<20)+`"`), "unavailable"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.2:1/?k="+canary, http.StatusFound)
		}, "unavailable"},
		"redirect loop": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
		}, "unavailable"},
		"broken body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, "{")
		}, "unavailable"},
		"broken headers": {func(w http.ResponseWriter, _ *http.Request) { hijack(w, "HTTP/1.1 "+canary+"\r\n\r\n") }, "unavailable"},
		"hang up":        {func(w http.ResponseWriter, _ *http.Request) { hijack(w, "") }, "unavailable"},
	} {
		server := httptest.NewServer(tc.handler)
		closeAfter(t, server)
		for which, k := range keyed(server.URL, true) {
			t.Run(name+"/"+which, func(t *testing.T) {
				t.Parallel()
				_, err := invoke(t, k.tool, k.args, tool.Call{})
				e := wrong(t, err, tc.code)
				all := fmt.Sprint(err, e.Model, e.People, e.Err)
				if which != "wiki" && strings.Contains(all, "c4n4ry") { // Wikipedia knows no key
					t.Errorf("shows the key: %s", all)
				}
				if which == "wiki" && strings.Contains(fmt.Sprint(e.Model, e.People), "key") {
					t.Errorf("speaks of a key that it does not have: %s %s", e.Model, e.People)
				}
			})
		}
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func hijack(w http.ResponseWriter, answer string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_, _ = io.WriteString(conn, answer)
		_ = conn.Close()
	}
}

func TestServicesWithNobodyThere(t *testing.T) {
	t.Parallel()
	for _, k := range keyed("http://127.0.0.1:1", true) {
		_, err := invoke(t, k.tool, k.args, tool.Call{})
		if wrong(t, err, "unavailable"); strings.Contains(err.Error(), "c4n4ry") {
			t.Errorf("shows the key: %v", err)
		}
	}
}

// TestUntrustedBaseStaysOutside shows the guard at work: an address that no
// operator has named may not be private, whatever its name resolves to.
func TestUntrustedBaseStaysOutside(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	closeAfter(t, server)
	for _, base := range []string{server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1), strings.Replace(server.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1)} {
		for _, k := range keyed(base, false) {
			_, err := invoke(t, k.tool, k.args, tool.Call{})
			wrong(t, err, "unavailable")
		}
	}
	if hits.Load() != 0 {
		t.Errorf("%d requests came through", hits.Load())
	}
}

func TestRateLimitIsWaitedForOnceIfShort(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	answer := fakeServices(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		answer.Config.Handler.ServeHTTP(w, r)
	}))
	closeAfter(t, server)
	if got, err := invoke(t, builtin.NewGoogle(server.URL, canary, "cx", true, nil), map[string]any{"query": "x"}, tool.Call{}); err != nil || calls.Load() != 2 {
		t.Errorf("got %v, %v after %d calls", got, err, calls.Load())
	}
}

func TestServiceHonoursItsLimit(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	closeAfter(t, server)
	t.Cleanup(func() { close(release) })
	made := limited{builtin.NewTavily(server.URL, canary, true, nil)}
	_, err := invoke(t, made, map[string]any{"query": "x"}, tool.Call{})
	if wrong(t, err, "timeout"); strings.Contains(err.Error(), "c4n4ry") {
		t.Errorf("shows the key: %v", err)
	}
}

// limited gives a tool little time.
type limited struct{ tool.Tool }

func (l limited) Spec() tool.Spec {
	spec := l.Tool.Spec()
	spec.Timeout = 50 * time.Millisecond
	return spec
}

func TestProxyOfTheOperatorIsUsed(t *testing.T) {
	t.Parallel()
	var seen atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.URL.Host)
		_, _ = io.WriteString(w, `{"items":[{"title":"via","link":"https://x.example/","snippet":"proxy"}]}`)
	}))
	closeAfter(t, proxy)
	via, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	made := builtin.NewGoogle("http://search.example", canary, "cx", false, http.ProxyURL(via))
	if got, err := invoke(t, made, map[string]any{"query": "x"}, tool.Call{}); err != nil || seen.Load() != "search.example" || !strings.Contains(got.Text, "via") {
		t.Errorf("got %v, %v through %v", got, err, seen.Load())
	}
}
