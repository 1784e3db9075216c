package chateval_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"maru/rag"
	"maru/rag/library"
)

// stranger is a document with near-namesakes. Its facts are under the same headings as those of the others of its kind.
type stranger struct {
	source, title string
	facts         []string // one for each heading of the kind
}

var (
	supplyHeads  = []string{"납품 기한", "지체상금", "대금 지급", "하자보수 기간"}
	supplyAsks   = []string{"납품 기한은 며칠이야?", "지체상금은 얼마야?", "대금은 언제까지 지급해?", "하자보수 기간이 어떻게 돼?"}
	leaseHeads   = []string{"보증금", "월 임대료", "해지 통보"}
	leaseAsks    = []string{"보증금이 얼마야?", "월 임대료는?", "해지 통보는 언제까지 해야 해?"}
	tripHeads    = []string{"숙박비", "식비", "교통비"}
	tripAsks     = []string{"숙박비 한도는?", "식비는 하루에 얼마야?", "교통비는 어떻게 정산해?"}
	securityHead = []string{"비밀번호", "노트북 반출", "사고 신고"}
	securityAsks = []string{"비밀번호는 몇 자 이상이야?", "노트북 반출은 누가 승인해?", "사고 신고는 언제까지 해?"}
	serviceHeads = []string{"Fees", "Termination", "Liability cap"}
	serviceAsks  = []string{"what are the fees?", "how much notice is needed for termination?", "what is the liability cap?"}
	policyHeads  = []string{"Retention", "Sharing", "Contact"}
	policyAsks   = []string{"how long is data retained?", "with whom is data shared?", "whom do I contact?"}
	rentHeads    = []string{"Rent", "Deposit", "Pets"}
	rentAsks     = []string{"how much is the rent?", "what is the deposit?", "are pets allowed?"}
)

func supply(source, title string, days int, rate string, pay, repair int) stranger {
	return stranger{source, title, []string{
		fmt.Sprintf("물품의 납품 기한은 발주일부터 %d일 이내로 한다.", days), fmt.Sprintf("지체상금은 지체일수 1일마다 대금의 %s로 한다.", rate),
		fmt.Sprintf("대금은 세금계산서를 받은 날부터 %d일 이내에 지급한다.", pay), fmt.Sprintf("하자보수 기간은 검수일부터 %d개월로 한다.", repair),
	}}
}

func rental(source, title string, deposit, rent, notice int) stranger {
	return stranger{source, title, []string{
		fmt.Sprintf("보증금은 %d만 원으로 한다.", deposit), fmt.Sprintf("월 임대료는 %d만 원으로 하고 매월 5일에 낸다.", rent), fmt.Sprintf("해지 통보는 계약이 끝나기 %d개월 전까지 서면으로 한다.", notice),
	}}
}

func trip(source, title string, night, food int, fare string) stranger {
	return stranger{source, title, []string{
		fmt.Sprintf("숙박비 한도는 1박에 %d만 원이다.", night), fmt.Sprintf("식비는 하루에 %d원이다.", food), "교통비는 " + fare + "으로 정산한다.",
	}}
}

func security(source, title string, letters int, who string, hours int) stranger {
	return stranger{source, title, []string{
		fmt.Sprintf("비밀번호는 %d자 이상이어야 한다.", letters), "노트북 반출은 " + who + "이 승인한다.", fmt.Sprintf("사고 신고는 알게 된 때부터 %d시간 이내에 한다.", hours),
	}}
}

func services(source, title string, fee, notice, most int) stranger {
	return stranger{source, title, []string{
		fmt.Sprintf("The fees are %d euros a month.", fee), fmt.Sprintf("Termination needs %d days of written notice.", notice), fmt.Sprintf("The liability cap is %d euros.", most),
	}}
}

func policy(source, title string, months int, with, mail string) stranger {
	return stranger{source, title, []string{
		fmt.Sprintf("Data is retained for %d months.", months), "Data is shared with " + with + " only.", "Contact " + mail + " with requests.",
	}}
}

func rent(source, title string, amount, deposit int, pets string) stranger {
	return stranger{source, title, []string{
		fmt.Sprintf("The rent is %d dollars a month.", amount), fmt.Sprintf("The deposit is %d dollars.", deposit), "Pets are " + pets + ".",
	}}
}

// strangers returns the documents, by kind.
func strangers() map[string][]stranger {
	return map[string][]stranger{
		"supply": {
			supply("한빛물산_물품공급계약서_2023.md", "한빛물산 물품공급계약서 (2023)", 7, "1000분의 1", 30, 12), supply("한빛물산_물품공급계약서_2024.md", "한빛물산 물품공급계약서 (2024)", 10, "1000분의 2", 45, 18),
			supply("한빛산업 공급계약.md", "한빛산업 물품공급계약서", 14, "1000분의 3", 60, 24), supply("supply-새한빛.md", "새한빛 물품공급계약서", 21, "1000분의 4", 15, 6),
			supply("계약_동해수산.md", "동해수산 물품공급계약서", 3, "1000분의 5", 20, 1),
		},
		"lease": {rental("대성상사 임대차.md", "대성상사 임대차계약서", 5000, 120, 3), rental("대성산업 임대차.md", "대성산업 임대차계약서", 8000, 250, 2), rental("lease-서초.md", "서초사옥 임대차계약서", 30000, 900, 6)},
		"trip":  {trip("여비규정2021.md", "여비규정 2021년판", 6, 25000, "실비"), trip("여비규정2022.md", "여비규정 2022년판", 8, 30000, "영수증"), trip("여비규정2023.md", "여비규정 2023년판", 10, 35000, "법인카드 내역")},
		"security": {
			security("sec-1-2.md", "보안지침 v1.2", 8, "팀장", 24), security("sec-1-12.md", "보안지침 v1.12", 12, "보안 담당관", 4), security("협력사보안.md", "협력사 보안지침", 10, "계약 부서장", 12),
		},
		"services": {
			services("northgate_services_2022.md", "Northgate Services Agreement 2022", 900, 30, 10000), services("northgate_services_2023.md", "Northgate Services Agreement 2023", 950, 60, 20000),
			services("northgate-logistics.md", "Northgate Logistics Services Agreement", 400, 15, 5000), services("southgate.md", "Southgate Services Agreement", 700, 90, 40000),
		},
		"policy": {
			policy("orion-data-privacy.md", "Orion Data Privacy Policy", 12, "its payment provider", "privacy@orion.example"), policy("databank.md", "Orion Databank Privacy Policy", 36, "its auditors", "dpo@databank.example"),
			policy("lumen.md", "Lumen Health Privacy Policy", 120, "treating doctors", "records@lumen.example"),
		},
		"rent": {rent("maple12.md", "Lease of 12 Maple Street", 1500, 3000, "allowed"), rent("maple21.md", "Lease of 21 Maple Street", 2100, 4200, "not allowed"), rent("oak.md", "Lease of 12 Oak Avenue", 1800, 1800, "allowed up to 10 kg")},
	}
}

// strangersNamed are names as people say them for a document, or, without a source, for one that is not there.
var strangersNamed = map[string][][2]string{
	"supply": {
		{"한빛물산 2023년 물품공급계약서에서 ", "한빛물산_물품공급계약서_2023.md"}, {"2024년에 한빛물산이랑 맺은 계약 ", "한빛물산_물품공급계약서_2024.md"}, {"한빛산업 계약서 보면 ", "한빛산업 공급계약.md"}, {"새한빛 물품공급계약서 기준 ", "supply-새한빛.md"},
		{"동해수산하고 계약한 거에서 ", "계약_동해수산.md"}, {"[한빛산업] ", "한빛산업 공급계약.md"}, {"한빛물산 2022년 물품공급계약서에서 ", ""}, {"한빛상사 물품공급계약서에서 ", ""}, {"서해수산 계약서 ", ""},
		{"(주)한빛산업 공급계약상 ", "한빛산업 공급계약.md"}, {"동해수산 건 ", "계약_동해수산.md"}, {"새한빛이랑 한 공급계약에 ", "supply-새한빛.md"}, {"한빛 물산 계약서(2023) ", "한빛물산_물품공급계약서_2023.md"}, {"남해수산과의 물품공급계약에서 ", ""}, {"한빛물산 2025년 계약서 기준으로 ", ""},
	},
	"lease": {
		{"대성상사 임대차계약서에 ", "대성상사 임대차.md"}, {"대성산업이랑 맺은 임대차 계약 ", "대성산업 임대차.md"}, {"서초사옥 계약서 ", "lease-서초.md"}, {"대성물류 임대차계약서에서 ", ""},
		{"임대차계약서(대성산업) ", "대성산업 임대차.md"}, {"서초사옥 임대차 ", "lease-서초.md"}, {"강남사옥 임대차계약서 ", ""},
	},
	"trip": {
		{"2021년 여비규정 ", "여비규정2021.md"}, {"여비규정 2022년판에서 ", "여비규정2022.md"}, {"여비규정 2019년판에서 ", ""}, {"2023년판 여비규정 보면 ", "여비규정2023.md"},
		{"여비규정(2021) ", "여비규정2021.md"}, {"22년 여비규정 ", "여비규정2022.md"}, {"2024년 여비규정에서 ", ""}, {"여비 규정 2023 ", "여비규정2023.md"},
	},
	"security": {
		{"보안지침 v1.2에서 ", "sec-1-2.md"}, {"보안지침 v1.12 ", "sec-1-12.md"}, {"협력사 보안지침에는 ", "협력사보안.md"}, {"보안지침 v1.1에서 ", ""},
		{"v1.12 보안지침 기준 ", "sec-1-12.md"}, {"보안지침 1.2 버전 ", "sec-1-2.md"}, {"협력사용 보안지침 ", "협력사보안.md"}, {"보안지침 v2.12에서 ", ""},
	},
	"services": {
		{"In the 2022 Northgate services agreement, ", "northgate_services_2022.md"}, {"Northgate Services Agreement 2023: ", "northgate_services_2023.md"}, {"According to the Northgate Logistics agreement, ", "northgate-logistics.md"}, {"Under the Southgate agreement, ", "southgate.md"},
		{"According to the Westgate services agreement, ", ""}, {"Under the 2021 Northgate services agreement, ", ""},
		{"Per Southgate's services agreement, ", "southgate.md"}, {"[Northgate Logistics] ", "northgate-logistics.md"}, {"Looking at our 2023 agreement with Northgate, ", "northgate_services_2023.md"}, {"Per Eastgate's services agreement, ", ""}, {"In the Northgate Services Agreement 2019, ", ""},
	},
	"policy": {
		{"According to Orion Data's privacy policy, ", "orion-data-privacy.md"}, {"In the Orion Databank privacy policy, ", "databank.md"}, {"Lumen Health privacy policy: ", "lumen.md"}, {"According to the privacy policy of Orion Media, ", ""},
		{"By the privacy policy of Orion Databank, ", "databank.md"}, {"privacy policy (Orion Data): ", "orion-data-privacy.md"}, {"Going by Lumen's privacy policy, ", "lumen.md"}, {"In Solaris Health's privacy policy, ", ""},
	},
	"rent": {
		{"In the lease of 12 Maple Street, ", "maple12.md"}, {"Lease of 21 Maple Street: ", "maple21.md"}, {"For the 12 Oak Avenue lease, ", "oak.md"}, {"In the lease of 112 Maple Street, ", ""},
		{"According to the 21 Maple Street lease, ", "maple21.md"}, {"lease for 12 Maple Street, ", "maple12.md"}, {"Under the Oak Avenue lease, ", "oak.md"}, {"In the lease of 12 Pine Street, ", ""},
	},
}

// TestStrangersNamed asks of documents that hardly differ in their names. Of each kind the first half of the
// names is open and the second held out.
func TestStrangersNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	s := newShelf(t)
	heads := map[string][]string{"supply": supplyHeads, "lease": leaseHeads, "trip": tripHeads, "security": securityHead, "services": serviceHeads, "policy": policyHeads, "rent": rentHeads}
	asks := map[string][]string{"supply": supplyAsks, "lease": leaseAsks, "trip": tripAsks, "security": securityAsks, "services": serviceAsks, "policy": policyAsks, "rent": rentAsks}
	for kind, list := range strangers() {
		for _, d := range list {
			var b strings.Builder
			fmt.Fprintf(&b, "# %s\n\n", d.title)
			for i, f := range d.facts {
				fmt.Fprintf(&b, "## %s\n\n%s\n\n", heads[kind][i], f)
			}
			if _, err := s.lib.AddBundled(t.Context(), "public", []library.Bundled{{Name: d.source, Data: []byte(b.String())}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	halves := map[string][2][]asked{}
	for _, kind := range slices.Sorted(mapsKeys(strangersNamed)) {
		for i, n := range strangersNamed[kind] {
			half := 2 * i / len(strangersNamed[kind])
			for _, about := range asks[kind] {
				name := "there"
				right := func(cited []rag.Hit, _ string) bool {
					return len(cited) > 0 && !slices.ContainsFunc(cited, func(h rag.Hit) bool { return h.Document.Source != n[1] })
				}
				if n[1] == "" {
					name, right = "not there", func(cited []rag.Hit, _ string) bool { return len(cited) == 0 }
				}
				h := halves[name]
				h[half] = append(h[half], asked{name, n[0] + about, right})
				halves[name] = h
			}
		}
	}
	for _, name := range slices.Sorted(mapsKeys(halves)) {
		for half, list := range halves[name] {
			right := 0
			for _, q := range list {
				cited, text := s.cited(t, q.text)
				if q.right(cited, text) {
					right++
				} else if half == 0 || os.Getenv("MARU_EVAL_FULL") != "" {
					place := "nothing"
					if len(cited) > 0 {
						place = cited[0].Document.Source
					}
					t.Logf("%s: %q cites %s", name, q.text, place)
				}
			}
			t.Logf("| %s, half %d | %d of %d |", name, half+1, right, len(list))
			if least := map[string]float64{"there": .94, "not there": .96}[name]; float64(right) < least*float64(len(list)) {
				t.Errorf("%s, half %d: %d of %d, want %.2f", name, half+1, right, len(list), least)
			}
		}
	}
}
