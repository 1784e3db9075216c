package load_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/korean"
)

func TestPages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, want string }{
		"merged_cells": {`<table><caption>여비 기준</caption><thead><tr><th rowspan=2>구분</th><th colspan=2>국내</th><th>해외</th></tr><tr><th>숙박</th><th>식비</th><th>일당</th></tr></thead>` +
			`<tbody><tr><td>임원</td><td>10만원</td><td>3만원</td><td>100불</td></tr><tr><td rowspan=2>사원</td><td>7만원</td><td>2만원</td><td>80불</td></tr><tr><td colspan=2>실비</td><td>없음</td></tr></tbody></table>`,
			"여비 기준 / 구분: 임원 | 국내 숙박: 10만원 | 국내 식비: 3만원 | 해외 일당: 100불 / 구분: 사원 | 국내 숙박: 7만원 | 국내 식비: 2만원 | 해외 일당: 80불 / 구분: 사원 | 국내 숙박: 실비 | 국내 식비: 실비 | 해외 일당: 없음"},
		"names_beside_values":      {`<table><tr><th>이름</th><td>김</td><th>나이</th><td>30</td></tr><tr><th>주소</th><td colspan=3>서울</td></tr></table>`, "이름: 김 | 나이: 30 / 주소: 서울"},
		"a_row_about_all_columns":  {`<table><tr><th>이름</th><th>값</th></tr><tr><th colspan=2>서울</th></tr><tr><td>강남</td><td>1</td></tr><tr><td colspan=2>비고: 없음</td></tr></table>`, "이름 서울: 강남 | 값 서울: 1 / 비고: 없음"},
		"names_alone":              {`<table><tr><th>이름</th><th>값</th></tr></table>`, "이름 | 값"},
		"cells_without_names":      {`<table><tr><td>이름</td><td>값</td></tr><tr><td>김</td><td>1</td></tr></table>`, "이름: 김 | 값: 1"},
		"one_row":                  {`<table><tr><td>이름</td><td>값</td></tr></table>`, "이름 | 값"},
		"a_table_for_the_layout":   {`<table><tr><td><h2>연차</h2><p>열다섯 날.</p></td><td><table><tr><th>해</th><th>날</th></tr><tr><td>1</td><td>15</td></tr></table></td></tr></table>`, "[연차] 열다섯 날. / 해: 1 | 날: 15"},
		"spans_without_end":        {`<table><tr><th>a</th><th>b</th></tr><tr><td rowspan=99999>1</td><td rowspan=-1 colspan=x>2</td></tr><tr><td>3</td></tr></table>`, "a: 1 | b: 2 / a: 1 | b: 3"},
		"lists_count":              {`<ol><li>하나</li><li><p>둘</p><ol type=a><li>가</li><li>나</li></ol></li><li value=7>일곱</li><li>8. 여덟</li></ol><ul><li>점</li></ul><ol start=3 type=I><li>셋</li></ol>`, "1. 하나 / 2. 둘 / a. 가 / b. 나 / 7. 일곱 / 8. 여덟 / 점 / III. 셋"},
		"its_main_part":            {`<header><ul><li>홈</li></ul></header><div>광고</div><main><p>본문</p></main><div>쿠키</div>`, "본문"},
		"an_empty_main_part":       {`<main> </main><p>본문</p>`, "본문"},
		"what_every_page_has":      {`<header><h1>회사</h1><ul><li>홈</li></ul></header><div role=navigation>메뉴</div><article><header><p>쓴 이: 김</p></header><p>본문</p><footer><p>출처: 표</p></footer></article><footer>주소</footer><div role=dialog>쿠키</div>`, "[회사] 쓴 이: 김 / 본문 / 출처: 표"},
		"in_the_encoding_of_Korea": {"\x00<meta charset=euc-kr><p>똠방각하 규정</p>", "똠방각하 규정"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := []byte(c.page)
			if text, legacy := strings.CutPrefix(c.page, "\x00"); legacy {
				var err error
				if page, err = korean.EUCKR.NewEncoder().Bytes([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			_, chunks := mustLoad(t, "a.html", page)
			got := strings.NewReplacer("[a] ", "", "[a > ", "[").Replace(show(chunks))
			if got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}
