package load_test

import (
	"encoding/base64"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// TestOtherOffices reads OpenDocument, EPUB, RTF and mails.
func TestOtherOffices(t *testing.T) {
	t.Parallel()
	const odfHead = `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body>`
	odt := zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text",
		"meta.xml", `<office:document-meta xmlns:office="o" xmlns:dc="d"><office:meta><dc:title>식당 규칙</dc:title></office:meta></office:document-meta>`,
		"content.xml", odfHead+`<office:text><text:tracked-changes><text:p>지운 글</text:p></text:tracked-changes><text:h text:outline-level="1">식당</text:h><text:p>점심은<text:s text:c="2"/>11:40<office:annotation><text:p>메모</text:p></office:annotation>부터다.</text:p><text:list><text:list-item><text:p>하나</text:p></text:list-item></text:list>`+
			`<table:table table:name="표1"><table:table-row><table:table-cell><text:p>요일</text:p></table:table-cell><table:table-cell><text:p>메뉴</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>월</text:p></table:table-cell><table:table-cell><text:p>비빔밥</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>`)
	epub := zipOf(t, "mimetype", "application/epub+zip", "META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>`,
		"OEBPS/content.opf", `<package><metadata><dc:title xmlns:dc="d">Pump book</dc:title></metadata><manifest><item id="b" href="two.xhtml"/><item id="a" href="ch%201.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
		"OEBPS/two.xhtml", `<html><body><h1>Two</h1><p>Close valve K9.</p></body></html>`, "OEBPS/ch 1.xhtml", `<html><body><h1>One</h1><p>Open it.</p></body></html>`)
	rtf := `{\rtf1\ansi\ansicpg949{\fonttbl{\f0 Batang;}}{\info{\title x}}{\*\generator y;}\uc1 \u50672?\u52264? 15\'c0\'cf\par Second \{line\}\line end\par ` +
		`\trowd a\cell b\cell\row 1\cell 2\cell\row after\par}`
	const faces = `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset129 Batang;}{\f2\fcharset128 MS Mincho;}{\f3\fcharset238 Arial CE;}}` +
		`\f1 \'bf\'ac\'c2\'f7 {\f0 caf\'e9} {\f2\'8b\'4b\'91\'a5}{\f2\'96} {\f3 \'e8l\'e1nek} \'b1\'d4\par {\plain d\'e9j\'e0\*\cs7 vu}\par {\*\unknown no}\trowd Phone\cell 3391\cell }`
	eml := "From: =?UTF-8?B?" + base64.StdEncoding.EncodeToString([]byte("김하나")) + "?= <kim@a.example>\r\nTo: all@a.example\r\nSubject: =?euc-kr?B?sPjB9g==?=\r\nDate: Tue, 3 Mar 2026 09:00:00 +0900\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n" +
		"--b\r\nContent-Type: multipart/alternative; boundary=\"c\"\r\n\r\n--c\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte("점검은 14일이다.")) + "\r\n--c\r\nContent-Type: text/html\r\n\r\n<p>html</p>\r\n--c--\r\n" +
		"--b\r\nContent-Type: text/csv; name=\"plan.csv\"\r\nContent-Disposition: attachment; filename=\"plan.csv\"\r\n\r\nday,hall\r\nMon,7\r\n--b\r\nContent-Type: image/png\r\nContent-Disposition: attachment; filename=\"a.png\"\r\n\r\n\x89PNG\r\n--b--\r\n"
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"canteen.odt": {odt, "[식당 규칙 > 식당] 점심은  11:40부터다. / 메모: 메모 / 하나 / 표1 / 요일: 월 | 메뉴: 비빔밥"},
		"pump.epub":   {epub, "[Pump book > One] Open it.\n[Pump book > Two] Close valve K9."},
		"note.rtf":    {[]byte(rtf), "[note] 연차 15일 / Second {line} / end / a: 1 | b: 2 / after"},
		"faces.rtf":   {[]byte(faces), "[faces] 연차 café 規則– článek 규 / déjàvu / Phone: 3391"},
		"list.rtf":    {[]byte(`{\rtf1{\listtext\tab \u8226 \tab}First item.\par {\u8226}Second item.\par}`), "[list] •\tFirst item. / •Second item."},
		"wide.eml":    {[]byte(encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "From: a@a.example\nSubject: Shift\n\nHall 7 is closed.\n")), "[Shift] From: a@a.example / Hall 7 is closed."},
		"mail.eml":    {[]byte(eml), "[공지] From: 김하나 <kim@a.example> / To: all@a.example / Date: Tue, 03 Mar 2026 09:00:00 +0900 / 점검은 14일이다.\n[공지 > plan] day: Mon | hall: 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, chunks := mustLoad(t, name, c.data)
			if got := show(chunks); got != c.want {
				t.Errorf("%q\nwant\n%q", got, c.want)
			}
			if name == "mail.eml" && (len(doc.Unread) != 1 || doc.Unread[0].Name != "a.png") {
				t.Errorf("unread: %+v", doc.Unread)
			}
		})
	}
}
