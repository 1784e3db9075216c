package chateval_test

import (
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/rag"
	"maru/rag/library"
)

// TestEditionsAndContradictions: two editions of one document, and two documents that disagree, are both quoted with
// their edition or date. Documents about different things are not compared.
func TestEditionsAndContradictions(t *testing.T) {
	t.Parallel()
	type file struct{ name, text string }
	for name, c := range map[string]struct {
		files    []file
		question string
		says     []string
		silent   []string
		cited    string // sources, in order
	}{
		"editions in Korean": {
			[]file{{"rules-a.md", "# 여비규정 2022\n\n## 숙박비\n\n국내 출장 숙박비는 1박에 8만 원까지 지급한다.\n"}, {"rules-b.md", "# 여비규정 2025\n\n## 숙박비\n\n국내 출장 숙박비는 1박에 11만 원까지 지급한다.\n"}},
			"국내 출장 숙박비는 얼마까지 지급해?", []string{"11만 원", "새 판(2025)", "이전 판(2022)", "8만 원"}, nil, "rules-b.md",
		},
		"editions in English": {
			[]file{{"remote_v1.md", "# Remote Work Policy v1\n\nStaff may work from home on 2 days a week.\n"}, {"remote_v3.md", "# Remote Work Policy v3\n\nStaff may work from home on 3 days a week.\n"}},
			"How many days a week may staff work from home?", []string{"3 days", "edition of v3", "one of v1", "2 days"}, nil, "remote_v3.md",
		},
		"the same in both editions": {
			[]file{{"Security_2023.md", "# Security rules\n\nPasswords are changed every 90 days.\n\n## Visitors\n\nVisitors wear a badge.\n"}, {"Security_2024.md", "# Security rules\n\nPasswords are changed every 90 days.\n\n## Visitors\n\nVisitors are met at the door.\n"}},
			"How often are passwords changed?", []string{"90 days", "edition of 2024", "one of 2023 says the same"}, nil, "Security_2024.md",
		},
		"the older edition is named": {
			[]file{{"rules-a.md", "# 여비규정 2022\n\n## 숙박비\n\n국내 출장 숙박비는 1박에 8만 원까지 지급한다.\n"}, {"rules-b.md", "# 여비규정 2025\n\n## 숙박비\n\n국내 출장 숙박비는 1박에 11만 원까지 지급한다.\n"}},
			"2022년 여비규정에서 국내 출장 숙박비는 얼마까지 지급해?", []string{"8만 원"}, []string{"11만 원", "새 판"}, "rules-a.md",
		},
		"contradiction in Korean": {
			[]file{{"복리후생.md", "# 복리후생 안내 (2024-05-02)\n\n건강검진은 2년에 1회 회사가 지원한다.\n"}, {"총무공지.md", "# 총무팀 공지\n\n건강검진은 1년에 1회 회사가 지원한다.\n"}},
			"회사는 건강검진을 몇 년에 1회 지원하나요?", []string{"다르게 적혀", "복리후생 안내", "2024-05-02", "2년에", "총무팀 공지", "2026-11-27", "1년에"}, nil, "총무공지.md 복리후생.md",
		},
		"contradiction in English": {
			[]file{{"handbook.md", "# Team handbook\n\nExpense reports are due within 30 days of the purchase.\n"}, {"finance.md", "# Finance FAQ\n\nExpense reports are due within 45 days of the purchase.\n"}},
			"Within how many days are expense reports due?", []string{"disagree", "Team handbook (2026-11-27)", "30 days", "Finance FAQ", "45 days"}, nil, "handbook.md finance.md",
		},
		"different things": {
			[]file{{"a.md", "# 연차\n\n연차는 1년에 15일 쓸 수 있다.\n"}, {"b.md", "# 병가\n\n병가는 1년에 30일 쓸 수 있다.\n"}},
			"연차는 1년에 며칠 쓸 수 있어?", []string{"15일"}, []string{"다르게 적혀", "30일"}, "a.md",
		},
		"the same figure twice": {
			[]file{{"a.md", "# Parking\n\nParking costs 20 euros a month.\n"}, {"b.md", "# Commuting\n\nParking costs 20 euros a month, and a bicycle is free.\n"}},
			"What does parking cost a month?", []string{"20 euros"}, []string{"disagree"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t)
			for _, f := range c.files {
				if _, err := s.lib.AddBundled(t.Context(), bot.ScopePublic, []library.Bundled{{Name: f.name, Data: []byte(f.text)}}); err != nil {
					t.Fatal(err)
				}
				s.redate(t, f.name)
			}
			cited, text := s.cited(t, c.question)
			var names []string
			for _, h := range cited {
				names = append(names, h.Document.Source)
			}
			if got := strings.Join(names, " "); c.cited != "" && got != c.cited {
				t.Errorf("cites %q, want %q", got, c.cited)
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("the answer lacks %q:\n%s", want, text)
				}
			}
			for _, not := range c.silent {
				if strings.Contains(text, not) {
					t.Errorf("the answer says %q:\n%s", not, text)
				}
			}
		})
	}
}

// redate makes the day of adding a document a known one.
func (s *shelf) redate(t *testing.T, name string) {
	t.Helper()
	id := rag.DocumentID(bot.ScopePublic, name)
	chunks, doc, err := s.lib.Passages(t.Context(), []string{bot.ScopePublic}, id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	doc.At = time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	if err := s.lib.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
}
