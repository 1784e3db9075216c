package load_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"
)

func TestTablesInText(t *testing.T) {
	t.Parallel()
	excel := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	for name, c := range map[string]struct {
		text, want string
		as         encoding.Encoding
	}{
		"semicolons":              {"이름;값;메모\n\"김;철수\";1,5;\"두 줄\n메모\"\n박;2,0;\"말 \"\"인용\"\"\"\n", "이름: 김;철수 | 값: 1,5 | 메모: 두 줄 메모 / 이름: 박 | 값: 2,0 | 메모: 말 \"인용\"", nil},
		"commas_within_names":     {"\"성, 이름\";\"시, 도\"\n\"김, 철수\";서울\n", "성, 이름: 김, 철수 | 시, 도: 서울", nil},
		"Excels_hint":             {"sep=;\r\n이름;값\r\n김;1\r\n", "이름: 김 | 값: 1", nil},
		"bars":                    {"이름|값\n김|1\n", "이름: 김 | 값: 1", nil},
		"Excels_UTF16":            {"이름\t부서\r\n\"박\t영\"\t인사\r\n", "이름: 박 영 | 부서: 인사", excel},
		"CP949":                   {"이름,비고\n김,\"여러\n줄\"\n", "이름: 김 | 비고: 여러 줄", korean.EUCKR},
		"titles_above":            {"보고서: 2024,,\n\n지점,매출,비고\n서울,100,좋음\n부산,50,\n", "보고서: 2024 / 지점: 서울 | 매출: 100 | 비고: 좋음 / 지점: 부산 | 매출: 50", nil},
		"one_column":              {"이름\n김\n박\n", "이름: 김 / 이름: 박", nil},
		"one_line":                {"이름,값\n", "이름 | 값", nil},
		"one_cell":                {"이름\n", "이름", nil},
		"a_quote_left_open":       {"이름,값\n\"김,1\n박,2\n최,\"3\"\n", "이름: 김 | 값: 1 / 이름: 박 | 값: 2 / 이름: 최 | 값: 3", nil},
		"inches":                  {"size,name\n5\" pipe,a\n6\" pipe,b\n", "size: 5 pipe | name: a / size: 6 pipe | name: b", nil},
		"Shift_JIS":               {"名前,部署,メモ\n田中,営業部,明日までに提出してください\n佐藤,総務,ｶﾀｶﾅ\n", "名前: 田中 | 部署: 営業部 | メモ: 明日までに提出してください / 名前: 佐藤 | 部署: 総務 | メモ: ｶﾀｶﾅ", japanese.ShiftJIS},
		"Shift_JIS_in_few_words":  {"id,name\n1,東京\n", "id: 1 | name: 東京", japanese.ShiftJIS},
		"EUC_JP":                  {"名前,メモ\n田中,明日までに提出する\n", "名前: 田中 | メモ: 明日までに提出する", japanese.EUCJP},
		"CP949_with_rare_letters": {"이름,메모\n똠방각하,펲시 햏 ㅋㅋㅋ\n", "이름: 똠방각하 | 메모: 펲시 햏 ㅋㅋㅋ", korean.EUCKR},
		"CP949_with_hanja":        {"성명,漢字\n李舜臣,忠武公\n", "성명: 李舜臣 | 漢字: 忠武公", korean.EUCKR},
		"German_Windows":          {"Größe;Straße\n1;Übergröße\n", "Größe: 1 | Straße: Übergröße", charmap.Windows1252},
		"French_Windows":          {"année,société\n2026,créée à Orléans\n", "année: 2026 | société: créée à Orléans", charmap.Windows1252},
		"UTF16_without_mark":      {"이름,부서\n김하나,경영지원본부\n박두리,연구개발본부\n", "이름: 김하나 | 부서: 경영지원본부 / 이름: 박두리 | 부서: 연구개발본부", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		"UTF16_big_endian":        {"가나,다라\n각,나무\n", "가나: 각 | 다라: 나무", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		"of_western_Windows":      {"name,note\nA,it’s “fine” – é\n", "name: A | note: it’s “fine” – é", charmap.Windows1252},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := []byte(c.text)
			if c.as != nil {
				var err error
				if data, err = c.as.NewEncoder().Bytes(data); err != nil {
					t.Fatal(err)
				}
			}
			_, chunks := mustLoad(t, "a.csv", data)
			if got := strings.TrimPrefix(show(chunks), "[a] "); got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}
