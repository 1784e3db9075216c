package library_test

import (
	"strings"
	"testing"

	"maru/bot"
	"maru/rag"
)

// statute returns a made-up act with addenda that number again.
func statute(name, about string) string {
	return "# " + name + "\n\n## 제1장 총칙\n\n##### 제1조 (목적)\n\n이 법은 " + about + "을 목적으로 한다.\n\n##### 제2조 (신고)\n\n" + about +
		"을 하려는 자는 신고하여야 한다.\n\n##### 제2조의2 (수수료)\n\n수수료는 " + about + "에 쓴다.\n\n## 부칙\n\n부칙 <제1호, 2020. 1. 1.>\n\n제1조(시행일) 이 법은 공포한 날부터 시행한다.\n\n제7조(경과조치) 종전의 " + about + "은 이 법에 따른 것으로 본다.\n"
}

// TestNamedStatutes: a statute that a question names beside an article is searched alone, its body before its addenda, and
// what it does not have is not found.
func TestNamedStatutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, d := range []struct{ name, about string }{{"강물보호법", "강물 보호"}, {"강물보호법 시행령", "강물 보호 절차"}, {"등대관리 및 항로표지에 관한 법률", "등대 관리"}, {"모래해변안전법", "해변 안전"}} {
		file := bot.NewDocument{Scope: "public", Name: d.name + ".md", Body: strings.NewReader(statute(d.name, d.about))}
		if _, err := w.lib.Add(t.Context(), file); err != nil {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]string{
		"강물보호법 제2조":         "강물보호법 > 제1장 총칙 > 제2조 (신고)",
		"강물보호법 시행령 2조 알려줘":  "강물보호법 시행령 > 제1장 총칙 > 제2조 (신고)",
		"강물 보호법 제2조의2":      "강물보호법 > 제1장 총칙 > 제2조의2 (수수료)",
		"등대법 제1조":           "등대관리 및 항로표지에 관한 법률 > 제1장 총칙 > 제1조 (목적)",
		"강뮬보호법 제1조":         "강물보호법 > 제1장 총칙 > 제1조 (목적)",
		"강물보호법 부칙 제1조":      "강물보호법 > 부칙 > 부칙 <제1호, 2020. 1. 1.> > 제1조(시행일)",
		"강물보호법 제1장을 요약해 줘":  "강물보호법 > 제1장 총칙 > 제1조 (목적)",
		"강물보호법 제4장":         "",
		"강물보호법 부칙 알려줘":      "강물보호법 > 부칙 > 부칙 <제1호, 2020. 1. 1.> > 제1조(시행일)",
		"강물보호법 제7조":         "",
		"강물보호법 제9조":         "",
		"우주항공법 제1조":         "",
		"강물보호법 시행규칙 제1조":    "",
		"모래해변안전법 시행령 제1조":   "",
		"등대법 수수료는 몇 조야?":    "등대관리 및 항로표지에 관한 법률 > 제1장 총칙 > 제2조의2 (수수료)",
		"모래해변안전법의 수수료 조항은?": "모래해변안전법 > 제1장 총칙 > 제2조의2 (수수료)",
	} {
		hits, err := w.lib.Search(t.Context(), rag.Query{Text: question, Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(hits) > 0 {
			got = hits[0].Chunk.Context
		}
		if got != want || want != "" && !hits[0].Named {
			t.Errorf("%q leads to %q, want %q", question, got, want)
		}
	}
	for question, want := range map[string]string{
		"강물보호법 제7조":     "강물보호법: 제7조, 제2조의2 (수수료)",
		"우주항공법 제1조":     "우주항공법: , 강물보호법",
		"강물보호법 시행규칙 1조": "강물보호법 시행규칙: , 강물보호법 시행령",
		"강물보호법 제2조":     "",
		"신고는 누가 해?":     "",
	} {
		a, ok, err := w.lib.Absent(t.Context(), rag.Query{Text: question, Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if ok {
			got = a.Name + ": " + a.Article + ", " + strings.Join(a.Nearest[:min(1, len(a.Nearest))], "")
		}
		if got != want {
			t.Errorf("%q lacks %q, want %q", question, got, want)
		}
	}
	// Names follow the documents.
	if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: "public", Name: "우주항공법.md", Body: strings.NewReader(statute("우주항공법", "우주 항공"))}); err != nil {
		t.Fatal(err)
	}
	if hits, err := w.lib.Search(t.Context(), rag.Query{Text: "우주항공법 제1조", Scopes: []string{"public"}}); err != nil || len(hits) == 0 {
		t.Errorf("a new document is not found by its name: %v, %v", hits, err)
	}
}

// TestNamedInChannels: channels without documents of their own read the same names; one with its own reads those, and they
// stay there.
func TestNamedInChannels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	add := func(scope, name, about string) {
		if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: scope, Name: name + ".md", Body: strings.NewReader(statute(name, about))}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(channel, question, want string) {
		t.Helper()
		hits, err := w.lib.Search(t.Context(), rag.Query{Text: question, Scopes: []string{"public", channel}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(hits) > 0 {
			got = hits[0].Document.Scope + " " + hits[0].Document.Title
		}
		if got != want {
			t.Errorf("%q leads to %q in %s, want %q", question, got, channel, want)
		}
	}
	channels := []string{"channel:slack/T/C1", "channel:slack/T/C2", "channel:slack/T/C3"}
	add("public", "강물보호법", "강물 보호")
	for _, c := range channels {
		check(c, "강물보호법 제2조", "public 강물보호법")
		check(c, "우주항공법 제1조", "")
	}
	add(channels[1], "우주항공법", "우주 항공")
	add(channels[2], "모래해변안전법", "해변 안전")
	for i, want := range []string{"", channels[1] + " 우주항공법", ""} {
		check(channels[i], "강물보호법 제2조", "public 강물보호법")
		check(channels[i], "우주항공법 제1조", want)
	}
}

// TestNamedParties: of contracts that differ in their parties alone the one that is named is searched, also where only its
// text names the party; of a party without a contract nothing is found.
func TestNamedParties(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clauses := "\n\n## 제1조 (기간)\n\n계약 기간은 1년이다.\n\n## 제2조 (위약금)\n\n위약금은 대금의 1할이다.\n"
	for name, text := range map[string]string{
		"a.md": "# 물품공급계약서(하늘철강)" + clauses, "바다물류_물품공급계약서.md": "# 물품공급계약서" + clauses,
		"scan3.md": "# 물품공급계약서\n\n누리테크(이하 \"을\"이라 한다)와 맺는다." + clauses, "휴가.md": "# 연차 휴가\n\n연차는 15일이다.\n", "경조.md": "# 경조 휴가\n\n연차와 따로 5일을 준다. 신혼여행 휴가는 7일이다.\n",
	} {
		if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: "public", Name: name, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]string{
		"하늘철강 계약은 기간이 얼마야?": "a.md", "[바다물류] 위약금은?": "바다물류_물품공급계약서.md", "누리테크 계약의 위약금은?": "scan3.md", "누리테크와 맺은 계약 제2조": "scan3.md",
		"구름상사 계약의 위약금은?": "", "[구름상사] 위약금은?": "", "구름상사 계약 제2조": "",
	} {
		hits, err := w.lib.Search(t.Context(), rag.Query{Text: question, Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, h := range hits {
			if got = h.Document.Source; got != want {
				break
			}
		}
		if got != want {
			t.Errorf("%q leads to %q, want %q alone", question, got, want)
		}
	}
	// 연차 and 경조 are words of other pages too: subjects, not names.
	if hits, err := w.lib.Search(t.Context(), rag.Query{Text: "여름 휴가는 며칠이야?", Scopes: []string{"public"}, Threshold: 0.1}); err != nil || len(hits) == 0 {
		t.Errorf("휴가 of a kind that no page names: %v, %v", hits, err)
	}
	// Structure of English contracts, by their parties.
	english := "# Services Agreement\n\nThis Agreement is made between %s and Maru Inc.\n\nARTICLE II. FEES\n\nSection 2.1 Fees. The fee is USD 400.\n\nAnnex B: Service Levels\n\nUptime is 99 per cent.\n"
	for _, party := range []string{"Acme Corp", "Globex Ltd"} {
		file := bot.NewDocument{Scope: "public", Name: strings.ToLower(party[:4]) + ".md", Body: strings.NewReader(strings.Replace(english, "%s", party, 1))}
		if _, err := w.lib.Add(t.Context(), file); err != nil {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]string{
		"Section 2.1 of the Acme agreement": "acme.md Section 2.1 Fees", "Annex B of the agreement with Globex": "glob.md Annex B: Service Levels",
		"clause 2.1 of the agreement with Zeta": "", "Section 7.3 of the Acme agreement": "",
	} {
		hits, err := w.lib.Search(t.Context(), rag.Query{Text: question, Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(hits) > 0 {
			got = hits[0].Document.Source + " " + hits[0].Chunk.Heading[len(hits[0].Chunk.Heading)-1]
		}
		if got != want {
			t.Errorf("%q leads to %q, want %q", question, got, want)
		}
	}
	a, ok, err := w.lib.Absent(t.Context(), rag.Query{Text: "구름상사 계약의 위약금은?", Scopes: []string{"public"}})
	if err != nil || !ok || a.Name != "구름상사 계약" || len(a.Nearest) == 0 {
		t.Errorf("of 구름상사: %+v, %v, %v", a, ok, err)
	}
}

// TestNearNames: a name one letter away from a document's is of another document, which the texts may have; where they do not, it is
// missing, with that document as the nearest. A doubled, dropped or swapped letter is a slip. A mark or a word that no name has is
// looked for in the texts, and takes no document from those that the question names.
func TestNearNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, text := range map[string]string{
		"g.md": "# 한결전자 보증서\n\n보증 기간은 3년이다.\n", "u.md": "# 한울전자 보증서\n\n보증 기간은 5년이다.\n", "l.md": "# Distribution Agreement, signed\n\nRobison Foods makes payments in 90 days.\n",
		"rtx.md": "# RTX4090 manual\n\nThe power draw is 450 watts, as Initrode measured.\n", "abc.md": "# ABC1000 manual\n\nThe power draw is 20 watts.\n",
		"lark.md": "# Distribution Agreement with Larkspur Foods\n\nPayment is due in 30 days.\n", "robin.md": "# Distribution Agreement with Robinson Foods\n\nPayment is due in 60 days.\n",
		"dae.md": "# 대성기계 보증서\n\n보증 기간은 7년이다.\n", "q3.md": "# Q3 planning notes\n\nQ4 planning starts on 2 October.\n", "r7.md": "# 로봇청소기 R7 설명서\n\n배터리는 3시간 간다.\n", "e5.md": "# 무선이어폰 E5 설명서\n\n배터리는 5시간 간다.\n",
		"travel.md": "# Travel Policy\n\nYou can fly business on flights of more than six hours.\n", "meal.md": "# Acme Meal Plan Rules\n\nLunch is free.\n",
	} {
		if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: "public", Name: name, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]struct{ leads, missing, nearest string }{
		"한길전자 보증서 보증기간?":                              {missing: "한길전자 보증서", nearest: "한결전자 보증서"},
		"한결전자 보증서 보증기간?":                              {leads: "g.md"},
		"대성기게 보증서 보증기간?":                              {leads: "dae.md"},
		"New Travel Policy: can I fly business?":      {leads: "travel.md"},
		"RTX4080 manual: what is the power draw?":     {missing: "RTX4080 manual", nearest: "RTX4090 manual"},
		"RTX4090 manual: what is the power draw?":     {leads: "rtx.md"},
		"When does Larkspurr Foods have to pay?":      {leads: "lark.md"},
		"When does Robison Foods have to pay?":        {leads: "l.md"}, // texts say it, so it is no slip
		"When does Robinsno Foods have to pay?":       {leads: "robin.md"},
		"When does Robertson Foods have to pay?":      {missing: "Robertson Foods"},
		"What are the Q4 planning dates?":             {leads: "q3.md"},
		"What are the Q2 planning dates?":             {missing: "Q2 planning"},
		"R7 로봇청소기랑 R9 로봇청소기 차이?":                      {leads: "r7.md"},
		"R9 로봇청소기 배터리는?":                              {missing: "R9 로봇청소기"},
		"R9 로봇청소기 설명서 배터리는?":                          {missing: "R9 로봇청소기"},
		"Travel Policy Question: can I fly business?": {leads: "travel.md"},
		"Travel Policy FAQ: can I fly business?":      {leads: "travel.md"},
		"Globex Meal Plan: is lunch free?":            {missing: "Globex Meal Plan"},
		"Initrode Meal Plan: is lunch free?":          {missing: "Initrode Meal Plan"},
	} {
		q := rag.Query{Text: question, Scopes: []string{"public"}}
		hits, err := w.lib.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		absent, _, err := w.lib.Absent(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		leads, nearest := "", ""
		if len(hits) > 0 {
			leads = hits[0].Document.Source
		}
		if len(absent.Nearest) > 0 && want.nearest != "" {
			nearest = absent.Nearest[0]
		}
		if leads != want.leads || absent.Name != want.missing || nearest != want.nearest {
			t.Errorf("%q leads to %q, misses %q beside %q; want %+v", question, leads, absent.Name, nearest, want)
		}
	}
}

// TestCompoundOfTexts: a compound with a kind of document that texts say is their word, not a document of a party that is missing.
func TestCompoundOfTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, text := range map[string]string{
		"하늘철강_공급계약서.md": "# 공급계약서\n\n하늘철강은 철판을 달마다 공급한다. 30일 전에 알리면 철회한다.\n",
		"바다상사_용역계약서.md": "# 용역계약서\n\n바다상사는 청소를 한다. 60일 전에 알리면 철회한다.\n",
		"할부거래법.md":      "# 할부거래에 관한 법률\n\n소비자는 7일 이내에 할부계약을 철회할 수 있다.\n",
	} {
		if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: "public", Name: name, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]string{
		"할부계약은 언제까지 철회할 수 있어?":   "",
		"할부계약 철회는?":              "",
		"구름상사계약은 언제까지 철회할 수 있어?": "구름상사계약",
		"구름상사 계약 철회는?":           "구름상사 계약",
	} {
		absent, missing, err := w.lib.Absent(t.Context(), rag.Query{Text: question, Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		if absent.Name != want || missing != (want != "") {
			t.Errorf("%q misses %q, want %q", question, absent.Name, want)
		}
	}
}
