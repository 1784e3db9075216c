package guide

import (
	"strings"
	"testing"
)

func bundled(t *testing.T) *Catalog {
	t.Helper()
	c, err := NewCatalog(nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestKnowledgeIsWhole(t *testing.T) {
	t.Parallel()
	c := bundled(t)
	if len(c.services) < 60 {
		t.Errorf("%d services", len(c.services))
	}
	categories, ids := map[string]int{}, map[string]bool{}
	for _, s := range c.services {
		categories[s.Category]++
		if ids[s.ID] || !strings.HasPrefix(s.URL, "https://") || len(s.Tags) < 4 {
			t.Errorf("%s: twice, without address or with few tags", s.ID)
		}
		ids[s.ID] = true
		if s.What["ko"] == "" || s.Price != nil && s.Price.Words["ko"] == "" {
			t.Errorf("%s: lacks a language", s.ID)
		}
	}
	if len(categories) < 10 {
		t.Errorf("categories %v", categories)
	}
}

func TestServicesAreFoundByWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	c := bundled(t)
	hit := 0
	cases := []struct{ ask, want string }{
		{"유튜브 영상 편집", "video"}, {"숏폼 영상에 자막 달기", "video"}, {"썸네일 디자인하기", "design"}, {"로고 만들기", "design"},
		{"앱 화면 시안 만들기", "design"}, {"온라인 쇼핑몰 열기", "commerce"}, {"카드 결제 붙이기", "commerce"}, {"뉴스레터 보내기", "marketing"},
		{"인스타그램 게시물 예약", "marketing"}, {"회의록 받아쓰기", "audio"}, {"시장 조사하기", "research"}, {"논문 찾기", "research"},
		{"설문 조사 만들기", "survey"}, {"발표 자료 만들기", "presentation"}, {"반복 업무 자동화", "automation"}, {"매출 대시보드 만들기", "data"},
		{"영어 문서 번역", "translation"}, {"프로젝트 일정 관리", "project"}, {"3D 모델링", "image"}, {"상담 예약 받기", "meeting"},
		{"edit a youtube video", "video"}, {"make a logo", "design"}, {"open an online shop", "commerce"}, {"send a newsletter", "marketing"},
		{"find academic papers", "research"}, {"build a landing page", "website"}, {"slides for a pitch", "presentation"}, {"connect apps without code", "automation"},
		{"transcribe meetings", "audio"}, {"dashboard of metrics", "data"}, {"record a podcast", "audio"}, {"generate illustrations", "image"},
		{"광고 영상을 만들기", "video"}, {"홍보 영상 만들기", "video"}, {"영상 만들기", "video"},
	}
	for _, x := range cases {
		got := c.Search(x.ask, 3, 0.3)
		if len(got) > 0 && got[0].Service.Category == x.want {
			hit++
			continue
		}
		t.Logf("%q finds %v, want %s", x.ask, foundNames(got), x.want)
	}
	if hit*10 < len(cases)*9 {
		t.Errorf("%d of %d right", hit, len(cases))
	}
}

func foundNames(list []Match) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Service.Name)
	}
	return out
}

func TestWhatIsNotKnownIsNotFound(t *testing.T) {
	t.Parallel()
	c := bundled(t)
	for _, ask := range []string{"김치찌개 끓이기", "반려견 건강검진", "compose a symphony orchestra", "ㅋㅋㅋ", ""} {
		if got := c.Search(ask, 3, 0.3); len(got) > 0 {
			t.Errorf("%q finds %v (%.2f)", ask, foundNames(got), got[0].Score)
		}
	}
}

// TestMentionedServices: names as people write them, particles and all; a common
// word is a name where it is written as one.
func TestMentionedServices(t *testing.T) {
	t.Parallel()
	c := bundled(t)
	for text, want := range map[string]string{
		"노션은 얼마야?": "Notion", "피그마랑 캔바 중에 뭐가 나아?": "Figma Canva", "notion이 좋아?": "Notion", "make로 자동화할래": "Make",
		"How much is Make a month?": "Make", "what does Notion cost?": "Notion", "is n8n free?": "n8n",
		"How do I make a logo?": "", "Make a logo for me": "", "a linear plan, please": "", "I need a description": "", "알려줌": "",
	} {
		var got []string
		for _, s := range c.Mentioned(text) {
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q names %v, want %q", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	c := bundled(t)
	for _, n := range []string{"Google Docs", "google docs", "GoogleDocs", "google-docs", "DaVinci resolve"} {
		if _, ok := c.Named(n); !ok {
			t.Errorf("%q is not known", n)
		}
	}
	if _, ok := c.Named("SuperTool 3000"); ok {
		t.Error("an invented service is known")
	}
	for what, own := range map[string]string{
		"words":        `[{"id":"x"}]`,
		"price source": `[{"id":"x","name":"X","category":"c","url":"https://x.example","tags":[],"about":{"en":"x"},"price":{"words":{"en":"$1"},"as_of":"2026-11-26","source":""}}]`,
		"price date":   `[{"id":"x","name":"X","category":"c","url":"https://x.example","tags":[],"about":{"en":"x"},"price":{"words":{"en":"$1"},"as_of":"2026-11","source":"https://x.example"}}]`,
		"address":      `[{"id":"x","name":"X","category":"c","url":"http://x.example","tags":[],"about":{"en":"x"}}]`,
		"known fields": `[{"id":"x","name":"X","cost":"$1"}]`,
	} {
		if _, err := NewCatalog([]byte(own)); err == nil {
			t.Errorf("a service without %s is taken", what)
		}
	}
}

// TestOwnServicesStandBesideTheBundledOnes adds one and puts another in the place of a bundled one.
func TestOwnServicesStandBesideTheBundledOnes(t *testing.T) {
	t.Parallel()
	c, err := NewCatalog([]byte(`[
		{"id":"in-house","name":"Studio Nine","category":"video","url":"https://nine.example","tags":["드론촬영","drone"],"about":{"en":"Our own film crew with drones."}},
		{"id":"canva","name":"Canva","category":"design","url":"https://canva.example/team","tags":["poster"],"about":{"en":"Our team's Canva."}}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	canva, _ := c.Named("Canva")
	if got := c.Search("드론촬영 하기", 1, 0.3); len(got) != 1 || got[0].Service.Name != "Studio Nine" || canva.URL != "https://canva.example/team" || len(c.services) != len(bundled(t).services)+1 {
		t.Errorf("%v, %+v, %d services", foundNames(got), canva, len(c.services))
	}
}

// TestFallbackFitsTheSubTask recommends without a model what does the sub-task's work. The second list was kept back while
// the knowledge was written.
func TestFallbackFitsTheSubTask(t *testing.T) {
	t.Parallel()
	c := bundled(t)
	for half, cases := range [2]map[string]string{
		{
			"영상 생성": "video", "대본 작성": "writing", "자막 달기": "subtitle", "썸네일 디자인": "design", "generate the video": "video",
			"write the script": "writing", "add subtitles": "subtitle", "design a thumbnail": "design", "매출 데이터 시각화": "data", "영상 편집": "video",
		},
		{
			"AI로 쇼츠 영상 만들기": "video", "유튜브 대본 쓰기": "writing", "영상에 한국어 자막 넣기": "subtitle", "포스터 디자인하기": "design", "차트 만들기": "data",
			"create a video from text": "video", "subtitle the clip": "video" /* CapCut adds them */, "draft a screenplay": "writing", "배경 음악 만들기": "audio", "make a chart of the numbers": "data",
			"아바타가 나오는 교육 영상 제작": "video", "시나리오 작성": "writing", "로고 디자인": "design", "visualize survey data": "data",
		},
	} {
		for title, want := range cases {
			got := c.Search(title, 3, 0.3)
			if len(got) == 0 || got[0].Service.Category != want || !got[0].Meant {
				t.Errorf("half %d, %q finds %v, want one of %s", half+1, title, foundNames(got), want)
			}
		}
	}
	if s := c.Search("영상 생성", 1, 0.3); len(s) == 0 || !strings.Contains(strings.Join(s[0].Service.Tags, " "), "video-generation") {
		t.Errorf("no generator for 영상 생성: %v", foundNames(s))
	}
}
