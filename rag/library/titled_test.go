package library_test

import (
	"strings"
	"testing"

	"maru/bot"
	"maru/rag"
)

// TestTitles: a question that names a document by a noun for its kind is searched there, whatever other documents say of the
// same words, and a document of the kind that there is not is missing.
func TestTitles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, text := range map[string]string{
		"brook-vpn.md":            "# Brook VPN Privacy Notice\n\nBrook keeps connection times for 3 days.\n",
		"brook_mail_privacy.md":   "# Brook Mail Privacy Notice\n\nBrook keeps messages for 30 days. Brook VPN is another product.\n",
		"brook_privacy_notice.md": "# Brook Privacy Notice\n\nBrook keeps accounts for 90 days.\n\n" + strings.Repeat("## More\n\nIt is said below.\n\n", 4) + "## Others\n\nOf our products VPN, Mail and Maps have notices of their own. Imports from Fjord are kept, too.\n",
		"offer-kenya.md":          "# Offer letter Kenya\n\nAnnual leave is 21 days. Staff in Norway have another letter.\n",
		"offer-norway.md":         "# Offer letter Norway\n\nAnnual leave is 25 days. Staff in Kenya have another letter.\n",
		"hops-terms.md":           "# Terms of Service\n\nThese are the terms of Hops.\n\n## Age\n\nYou must be 13 years old.\n",
		"mill-terms.md":           "# Mill Plus Terms of Service\n\n## Age\n\nYou must be 16 years old. Hops and Mill are friends.\n",
		"license-agreement.md":    "# Mill License Agreement\n\nNo reseller may change it.\n",
		"바다_개인정보처리방침.md":          "1. 보관\n\n정보는 5년 동안 보관한다. 하천법에 따라 더 둔다.\n", "숲_개인정보처리방침.md": "# 개인정보 처리방침\n\n배송 정보는 7년 동안 보관한다.\n",
		"나무_이용약관.md": "# 이용약관\n\n나이는 14살부터다. 배송은 3일 걸린다.\n", "숲_이용약관.md": "# 이용약관\n\n나이는 19살부터다. 배송은 구름상사가 한다.\n\n## 배송\n\n5일 걸린다.\n",
		"fjord-agreement.md": "# Fjord Supply Agreement\n\nWe at Fjord keep samples for 2 years.\n",
		"sabbatical.md":      "# Sabbatical\n\nAt Brook a sabbatical takes 12 weeks.\n",
		"code.md":            "# Brook Code of Conduct\n\nGuests tell a host at Brook, a member of Brook or the office of Brook. The channel is brook.\n", "report.md": "# Brook transparency report 2024\n\nThere were 3 cases. 우주항공법 시행령 제2조를 따른다.\n",
		"club.md": "**Birch Lab 회칙**\n\n회비는 3만원이다.\n", "union.md": "# 버들조합 회칙\n\n회비는 5만원이다.\n", "서울대학교 동아리 BRK 개인정보 처리방침.md": "# 처리\n\n책임자는 회장이다. 정보는 9년 동안 보관한다.\n",
		"강물보호법.md": statute("강물보호법", "강물 보호"), "등대법.md": statute("등대관리 및 항로표지에 관한 법률", "등대 관리"), "모래해변안전법.md": statute("모래해변안전법", "해변 안전"),
	} {
		if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: "public", Name: name, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]string{
		"According to the Brook VPN privacy policy, how long are connection times kept?": "brook-vpn.md",
		"What does Brook's privacy policy say about how long accounts are kept?":         "brook_privacy_notice.md",
		"How long does Brook Mail keep messages, per its privacy notice?":                "brook_mail_privacy.md",
		"In the Kenyan offer letter, how many days of annual leave?":                     "offer-kenya.md",
		"Norway offer letter: how many days of annual leave?":                            "offer-norway.md",
		"Under the Hops terms of service, what age must I be?":                           "hops-terms.md",
		"In Brook's sabbatical policy, how many weeks does it take?":                     "sabbatical.md",
		"In the Brook Maps privacy notice, how long are accounts kept?":                  "-Brook Maps privacy notice",
		"What does the Fjord privacy policy say about how long accounts are kept?":       "-Fjord privacy policy",
		"Per Larch's terms of service, what age must I be?":                              "-Larch's terms",
		"According to the offer letter for Peru, how many days of annual leave?":         "-offer letter for Peru",
		"According to the franchise agreement, how long are accounts kept?":              "",
		"According to the Larch documentation, how long are accounts kept?":              "",
		"What's today's lunch policy?":                                                   "",
		"등대법 신고는 누가 해?":                                                                  "등대법.md",
		"모래해변안전법상 신고는 누가 해?":                                                             "모래해변안전법.md",
		"우주항공법에서 신고는 누가 해?":                                                              "-우주항공법",
		"수수료 신고 방법은?":                                                                    "",
		"강물보호법 시행령에서 신고는 누가 해?":                                                          "-강물보호법 시행령",
		"우주항공법 시행령에서 신고는 누가 해?":                                                          "-우주항공법 시행령",
		"In the Larch Code of Conduct, whom do guests tell?":                             "-Larch Code of Conduct",
		"Transparency report 2019: how many cases?":                                      "-Transparency report 2019",
		"[Contract with Larch] how long are accounts kept?":                              "-Contract with Larch",
		"Birch랩 회칙에서 회비는?":                                                               "club.md",
		"BRK 개인정보처리방침에서 보관은 몇 년이야?":                                                      "서울대학교 동아리 BRK 개인정보 처리방침.md",
		"가맹점 계약서에서 보관은 몇 년이야?":                                                           "-가맹점 계약서",
		"According to the Larch cancellation policy, how long are accounts kept?":        "-Larch cancellation policy",
		"Offer letter for Peru: how many days of annual leave?":                          "-Offer letter for Peru",
		"Under the Mill Maps license agreement, how long are accounts kept?":             "-Mill Maps license agreement",
		"나무 개인정보처리방침에서 보관은 몇 년이야?":                                                       "-나무 개인정보처리방침",
		"[구리물산 임대차계약] 보관은 몇 년이야?":                                                        "-구리물산 임대차계약",
		"가맹점 계약서 받으면 보관은 몇 년이야?":                                                         "",
		"How long are accounts kept?":                                                    "",
	} {
		q := rag.Query{Text: question, Scopes: []string{"public"}}
		hits, err := w.lib.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		absent, missing, err := w.lib.Absent(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		name, lacks := strings.CutPrefix(want, "-")
		if lacks != missing || lacks && absent.Name != name {
			t.Errorf("%q misses %q, want %q", question, absent.Name, want)
		}
		for _, h := range hits {
			if want != "" && h.Document.Source != want {
				t.Errorf("%q finds %q, want %q alone", question, h.Document.Source, want)
			}
		}
		if want != "" && !lacks && len(hits) == 0 {
			t.Errorf("%q finds nothing, want %q", question, want)
		}
	}
}
