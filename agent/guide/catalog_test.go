package guide

import (
	"regexp"
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
	if len(c.services) < 40 {
		t.Errorf("%d services", len(c.services))
	}
	month := regexp.MustCompile(`^20\d\d-(0[1-9]|1[0-2])$`)
	categories, ids := map[string]int{}, map[string]bool{}
	for _, s := range c.services {
		categories[s.Category]++
		if ids[s.ID] || !strings.HasPrefix(s.URL, "https://") || len(s.Tags) < 4 {
			t.Errorf("%s: twice, without address or with few tags", s.ID)
		}
		ids[s.ID] = true
		if p := s.Price; p != nil && (p.Words["ko"] == "" || p.Words["en"] == "" || !month.MatchString(p.AsOf)) {
			t.Errorf("%s: price %+v has no date or lacks a language", s.ID, p)
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
	if _, err := NewCatalog([]byte(`[{"id":"x"}]`)); err == nil {
		t.Error("a service without words is taken")
	}
}
