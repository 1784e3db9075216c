package naming_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"maru/datatest"
)

// TestRealNames reads abbreviations that people use for Korean statutes among the eight hundred names that forty acts
// and their decrees mention. None of them is in the code.
func TestRealNames(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(datatest.Dir(t), "ko-law-files/kr/*/*.md"))
	if err != nil || len(files) == 0 {
		t.Skip("no statutes")
	}
	mentioned := regexp.MustCompile(`「([^」\n]{2,50}(?:법|법률|령|규칙|규정))」`)
	times := map[string]int{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mentioned.FindAllStringSubmatch(string(b), -1) {
			times[m[1]]++
		}
	}
	var names []string
	for n, c := range times {
		if c > 1 {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	d := directory(names...)
	for short, want := range map[string]string{
		"근기법": "근로기준법", "산안법": "산업안전보건법", "산안법 시행령": "산업안전보건법 시행령", "산재법": "산업재해보상보험법", "산재보험법": "산업재해보상보험법",
		"공정거래법": "독점규제 및 공정거래에 관한 법률", "정통망법": "정보통신망 이용촉진 및 정보보호 등에 관한 법률", "전자상거래법": "전자상거래 등에서의 소비자보호에 관한 법률",
		"여전법": "여신전문금융업법", "기간제법": "기간제 및 단시간근로자 보호 등에 관한 법률", "학폭법": "학교폭력예방 및 대책에 관한 법률", "약관법": "약관의 규제에 관한 법률",
		"개보법": "개인정보 보호법", "자본시장법": "자본시장과 금융투자업에 관한 법률", "근참법": "근로자참여 및 협력증진에 관한 법률", "근퇴법": "근로자퇴직급여 보장법",
		"국토계획법": "국토의 계획 및 이용에 관한 법률", "상생법": "대ㆍ중소기업 상생협력 촉진에 관한 법률", "조특법": "조세특례제한법", "신용정보법 시행령": "신용정보의 이용 및 보호에 관한 법률 시행령",
		"청탁금지법": "부정청탁 및 금품등 수수의 금지에 관한 법률", "주임법": "주택임대차보호법", "건산법": "건설산업기본법", "농지볍 시행령": "농지법 시행령",
		"우주법": "", "해저도시법 시행령": "", "반려로봇법": "", "꿀벌법": "", "시간여행법": "", "양자법 시행령": "", "문법": "", "요리법 시행령": "", "노조법 시행규칙의2": "",
	} {
		r := d.Read(short + " 제3조")
		if got := strings.Join(r.IDs(), " "); got != want || want == "" && r.Missing == "" && strings.HasSuffix(short, "법") {
			t.Errorf("%s names %q, missing %q; want %q", short, got, r.Missing, want)
		}
	}
	for short, want := range map[string]string{"근기법 시행령": "근로기준법", "공직자윤리법 시행령": "공직자윤리법"} {
		r := d.Read(short + " 제3조")
		if near := d.Near(r.Missing); r.Missing != short || near[0] != want {
			t.Errorf("%s: missing %q, nearest %q, want %q", short, r.Missing, near, want)
		}
	}
}
