package naming_test

import (
	"slices"
	"strings"
	"testing"

	"maru/rag"
	"maru/rag/naming"
)

// TestTitles reads what questions say beside nouns for kinds of documents.
func TestTitles(t *testing.T) {
	t.Parallel()
	var docs []rag.Document
	for _, title := range []string{
		"Brook VPN Privacy Notice", "Brook Mail Privacy Notice", "Brook Privacy Notice", "Hops Terms of Service", "Offer Letter - Kenya", "Offer Letter - United Arab Emirates", "Sabbatical", "fd-README",
		"Hops Corporate Terms of Service", "Hops Plus Terms of Service", "Brook Code of Conduct", "Brook Code of Conduct Committee Charter",
		"하늘철강 커뮤니티 이용규정", "바다물류 이용약관", "개인정보 처리방침(누리)", "강물보호법", "강물보호법 시행령", "등대관리 및 항로표지에 관한 법률", "모래해변안전법",
	} {
		docs = append(docs, rag.Document{ID: title, Title: title, Source: "doc"})
	}
	d := naming.New(docs)
	for question, want := range map[string]string{
		"According to the Brook VPN privacy policy, what is kept?": "Brook VPN privacy policy = Brook VPN Privacy Notice",
		"What does Brook's privacy statement or notice say?":       "",
		"What does Brook's privacy notice say?":                    "Brook's privacy notice = Brook Privacy Notice",
		"What does Brook Mail keep, per its privacy policy?":       "privacy policy = Brook Mail Privacy Notice",
		"Kenyan offer letter: when do I start?":                    "Kenyan offer letter = Offer Letter - Kenya",
		"In the UAE offer letter, when do I start?":                "united arab emirates offer letter = Offer Letter - United Arab Emirates",
		"In the sabbatical policy, how many weeks?":                "sabbatical policy = Sabbatical",
		"fd docs: how do I exclude files?":                         "fd docs = fd-README",
		"In the privacy notice, what is kept?":                     "",
		"What's today's lunch policy?":                             "today's lunch policy lacks lunch",
		"In the sales and VPN privacy notice, what?":               "sales and VPN privacy notice lacks sales",
		"우리팀 커뮤니티 이용규정에서 도배하면?":                                    "우리팀 커뮤니티 이용규정 = 하늘철강 커뮤니티 이용규정",
		"Under Larch's terms of service, who pays?":                "Larch's terms of service lacks Larch",
		"Under the Hops terms of service, who pays?":               "Hops terms of service = Hops Terms of Service",
		"Under the Hops corporate terms, who pays?":                "Hops corporate terms = Hops Corporate Terms of Service",
		"Brook code of conduct: who can I tell?":                   "Brook code of conduct = Brook Code of Conduct",
		"In the Larch Code of Conduct, who can I tell?":            "Larch code of conduct lacks Larch",
		"Brook code of conduct committee charter: who sits?":       "conduct committee charter = Brook Code of Conduct Committee Charter",
		"우주항공법 시행령에서 신고는?":                                         "우주항공법 시행령 lacks 우주항공법",
		"커뮤니티 이용규정에서 도배하면?":                                        "커뮤니티 이용규정 = 하늘철강 커뮤니티 이용규정",
		"구름상사 이용약관에서 환불은?":                                         "구름상사 이용약관 lacks 구름상사",
		"누리 처리방침상 보유 기간은?":                                         "누리 처리방침 = 개인정보 처리방침(누리)",
		"등대법상 신고는 누가 해?":                                           "등대법 = 등대관리 및 항로표지에 관한 법률",
		"강물보호법의 시행령에서 신고는?":                                        "강물보호법의 시행령 = 강물보호법 시행령",
		"우주항공법에서 신고는?":                                             "우주항공법 lacks 우주항공법",
		"신고하는 방법은?":                                                "",
	} {
		got := ""
		if r := d.Read(question); len(r.Titles) > 0 && len(r.Titles[0].Many) == 0 {
			t := r.Titles[0]
			got = t.Name
			for _, doc := range t.Full {
				got += " = " + doc.Title
			}
			for _, w := range t.None {
				got += " lacks " + w.Text
			}
		}
		if !strings.EqualFold(got, want) {
			t.Errorf("%q reads as %q, want %q", question, got, want)
		}
	}
}

// TestVerbsBeforeGenres: a verb before a noun for a kind of document is no owner's name, a long noun may be.
func TestVerbsBeforeGenres(t *testing.T) {
	t.Parallel()
	d := naming.New([]rag.Document{{ID: "1", Title: "대한물산 임대차계약서", Source: "doc"}, {ID: "2", Title: "한국물산 임대차계약서", Source: "doc"}})
	for said, name := range map[string]bool{"적어둔": false, "받아둔": false, "살펴본": false, "보내온": false, "받아쓴": false, "체결한": false, "민국물산": true} {
		for _, title := range d.Read(said + " 임대차계약서 보증금은?").Titles {
			if slices.ContainsFunc(title.None, func(q naming.Qualifier) bool { return q.Must }) != name {
				t.Errorf("%q reads as %+v, want a name: %t", said, title.None, name)
			}
		}
	}
}
