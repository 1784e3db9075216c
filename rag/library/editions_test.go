package library_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"maru/bot"
	"maru/rag"
)

// put adds a document to the public scope.
func (w *world) put(t *testing.T, name, text string) {
	t.Helper()
	if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: bot.ScopePublic, Name: name, By: "u1", Body: strings.NewReader(text)}); err != nil {
		t.Fatal(err)
	}
}

// settled writes what a question finds: "file@edition", with "<file@edition" for what an older edition says, and
// "!edition" for a newer one that does not.
func (w *world) settled(t *testing.T, question string) string {
	t.Helper()
	hits, err := w.lib.Search(t.Context(), rag.Query{Text: question, Scopes: []string{bot.ScopePublic}})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range hits {
		s := h.Document.Source
		if h.Edition != "" {
			s += "@" + h.Edition
		}
		if h.Older != nil {
			s += "<" + h.Older.Document.Source + "@" + h.Older.Edition
		}
		if h.Newer != "" {
			s += "!" + h.Newer
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestEditions(t *testing.T) {
	t.Parallel()
	rules := func(title, days, more string) string {
		return "# " + title + "\n\n## 연차\n\n직원은 1년에 연차를 " + days + "일 쓸 수 있다. 남은 연차는 다음 해로 넘기지 않는다.\n\n## 근무 시간\n\n근무 시간은 오전 9시부터 오후 6시까지이다.\n" + more
	}
	smoking := "\n## 흡연\n\n흡연은 옥상 흡연실에서만 할 수 있다.\n"
	minutes := func(day, text string) string { return "# 주간 회의록 " + day + "\n\n" + text + "\n" }
	for name, c := range map[string]struct {
		files     map[string]string
		questions map[string]string
	}{
		"years in titles": {map[string]string{"a.md": rules("취업규칙 2023", "15", smoking), "b.md": rules("취업규칙 2024", "17", "")}, map[string]string{
			"연차는 며칠 쓸 수 있어?":         "b.md@2024<a.md@2023",
			"근무 시간은 언제부터 언제까지야?":     "b.md@2024<a.md@2023",
			"2023년 취업규칙에서 연차는 며칠이야?": "a.md@2023",
			"취업규칙 2024에서 연차는 며칠이야?":  "b.md@2024",
			"흡연은 어디에서 할 수 있어?":       "a.md@2023!2024",
		}},
		"years in file names": {map[string]string{"취업규칙_2023.md": rules("취업규칙", "15", ""), "취업규칙_2024.md": rules("취업규칙", "17", "")}, map[string]string{
			"연차는 며칠 쓸 수 있어?": "취업규칙_2024.md@2024<취업규칙_2023.md@2023",
		}},
		"dates below the title": {map[string]string{
			"x.md": rules("취업규칙", "15", "") + "\n", "y.md": strings.Replace(rules("취업규칙", "17", ""), "\n\n## 연차", "\n\n시행 2024. 3. 1.\n\n## 연차", 1),
			"z.md": strings.Replace(rules("취업규칙", "16", ""), "\n\n## 연차", "\n\n시행 2022. 3. 1.\n\n## 연차", 1),
		}, map[string]string{"연차는 며칠 쓸 수 있어?": "x.md y.md@2024-03-01<z.md@2022-03-01"}},
		"versions": {map[string]string{
			"policy.md":    "# Travel Policy\n\n## Meals\n\nMeals on business trips are paid up to 40 euros a day.\n",
			"policy-v2.md": "# Travel Policy v2\n\n## Meals\n\nMeals on business trips are paid up to 55 euros a day.\n",
		}, map[string]string{
			"How much is paid for meals on business trips?": "policy-v2.md@v2<policy.md@Travel Policy",
			"How much did travel policy v2 pay for meals?":  "policy-v2.md@v2",
			"meals on trips in euros":                       "policy-v2.md@v2<policy.md@Travel Policy",
		}},
		"a series of minutes": {map[string]string{
			"m1.md": minutes("2024-03-01", "예산안은 다음 주에 다시 논의한다. 서버 이전은 민수가 맡는다."),
			"m2.md": minutes("2024-03-08", "새 예산안을 승인했다. 사무실 이사는 5월에 한다."),
		}, map[string]string{"예산안 논의": "m1.md"}},
		"two subjects": {map[string]string{
			"a.md": "# 연차 휴가 2023\n\n연차 휴가는 1년에 15일이다.\n", "b.md": "# 경조 휴가 2024\n\n경조 휴가는 결혼할 때 5일이다.\n",
		}, map[string]string{"연차 휴가는 며칠이야?": "a.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, file := range slices.Sorted(maps.Keys(c.files)) {
				w.put(t, file, c.files[file])
			}
			for question, want := range c.questions {
				if got := w.settled(t, question); got != want {
					t.Errorf("%s: found %q, want %q", question, got, want)
				}
			}
		})
	}
}

// TestFormats: a document in two formats counts once, whatever its files are called and however they are cut into passages;
// a document that differs by a number does not.
func TestFormats(t *testing.T) {
	t.Parallel()
	md := "# 출장 안내\n\n## 숙박\n\n출장 숙박비는 1박에 12만 원까지 실비로 지급한다. 영수증을 귀사 후 5일 안에 제출한다.\n\n## 교통\n\n출장 교통은 기차 일반실을 원칙으로 하고, 비행기는 팀장의 승인을 받아 이용한다. 출장 중 택시는 야간에만 이용할 수 있다.\n"
	html := "<html><head><title>Business trips</title></head><body><p>출장 안내</p><p>숙박</p><p>출장 숙박비는 1박에 12만 원까지 실비로 지급한다. 영수증을 귀사 후 5일 안에 제출한다.</p><p>교통</p><p>출장 교통은 기차 일반실을 원칙으로 하고, 비행기는 팀장의 승인을 받아 이용한다. 출장 중 택시는 야간에만 이용할 수 있다.</p></body></html>"
	for name, c := range map[string]struct {
		html string
		docs int
	}{
		"the same text":    {html, 1},
		"another number":   {strings.ReplaceAll(html, "12만", "15만"), 2},
		"some of the text": {strings.ReplaceAll(html, "출장 교통은 기차 일반실을 원칙으로 하고, 비행기는 팀장의 승인을 받아 이용한다.", ""), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put(t, "trip.md", md)
			w.put(t, "export/bt-2.html", c.html)
			w.put(t, "other.md", "# 식당\n\n구내 식당은 12시에 연다.\n")
			found := strings.Fields(w.settled(t, "출장 숙박비는 1박에 얼마까지 지급해?"))
			slices.Sort(found)
			if n := len(slices.Compact(found)); n != c.docs {
				t.Errorf("found %q, want %d documents", found, c.docs)
			}
		})
	}
}

// TestEditionsAfterAFailedRead: what could not be read is read with the next question.
func TestEditionsAfterAFailedRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "x.md", "# 취업규칙\n\n시행 2022. 3. 1.\n\n## 연차\n\n직원은 1년에 연차를 15일 쓸 수 있다.\n")
	w.put(t, "y.md", "# 취업규칙\n\n시행 2024. 3. 1.\n\n## 연차\n\n직원은 1년에 연차를 17일 쓸 수 있다.\n")
	const question, want = "연차는 며칠 쓸 수 있어?", "y.md@2024-03-01<x.md@2022-03-01"
	w.index.unread = true
	if got := w.settled(t, question); strings.Contains(got, "@") {
		t.Errorf("%q without their openings", got)
	}
	w.index.unread = false
	if got := w.settled(t, question); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
