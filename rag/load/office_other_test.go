package load_test

import (
	"cmp"
	"encoding/base64"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// TestOtherOffices reads OpenDocument, EPUB, RTF, mails, calendars and notebooks.
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
	const inner = "From: lee@a.example\nSubject: Valve\nDate: Mon, 2 Mar 2026 08:00:00 +0000\n\nValve K9 is shut.\n"
	const digest = "From: list@a.example\nSubject: Digest 4\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: text/plain\n\nTwo messages.\n" +
		"--o\nContent-Type: multipart/digest; boundary=i\n\n--i\n\n" + inner + "--i\nContent-Type: message/rfc822\n\nFrom: park@a.example\nSubject: Fwd: plan\nContent-Type: multipart/mixed; boundary=p\n\n--p\n" +
		"Content-Type: message/rfc822\n\n" + inner + "--p\nContent-Type: text/calendar\n\nBEGIN:VEVENT\nSUMMARY:Check\nDTSTART;VALUE=DATE:20260309\nEND:VEVENT\n--p--\n--i--\n--o--\n"
	const box = "From kim@a.example Tue Mar  3 09:00:00 2026\nSubject: One\n\nFrom here we go.\n\n>From 09:00 on.\n\nFrom lee@a.example Tue Mar  3 10:00:00 2026\nSubject: Broken\noff\n\n" +
		"From lee@a.example Tue Mar  3 11:00:00 2026\nSubject: Two\n\nSecond.\n"
	const unnamed = "From kim@a.example Tue Mar  3 09:00:00 2026\nSubject: One\n\nFirst.\n\nFrom - Tue Mar  3 10:00:00 2026\nFrom: kim@a.example\n\nSecond.\n\nFrom Monday 09:00 the lift is closed.\nGo round.\n\n" +
		"From lee@a.example Tue Mar 03 10:00:00 +0000 2026\nX-Mailer: a\n\nThird.\n"
	const page = "From: <Saved by Blink>\r\nSubject: Guide\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Descale the boiler.</p>\r\n" +
		"--b\r\nContent-Type: text/css\r\n\r\np { color: red }\r\n--b\r\nContent-Type: text/javascript\r\n\r\ngo()\r\n--b--\r\n"
	const calendar = "BEGIN:VCALENDAR\r\nX-WR-CALNAME:시설 일정\r\nBEGIN:VTIMEZONE\r\nTZID:Asia/Seoul\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nDTSTAMP:20260101T000000Z\r\n" +
		"DTSTART;TZID=Asia/Seoul:20260303T090000\r\nDTEND;TZID=Asia/Seoul:20260303T103000\r\nSUMMARY:소방\r\n  점검\r\nLOCATION:7동\\, 2층\r\nORGANIZER;CN=\"Kim: Hana\":mailto:kim@a.example\r\nATTENDEE:MAILTO:lee@a.example\r\nBEGIN:VALARM\r\nTRIGGER:-PT15M\r\nDESCRIPTION:no\r\nEND:VALARM\r\n" +
		"DESCRIPTION:비상문을 연다.\\n끝.\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nDUE:20260401T000000Z\r\nSUMMARY:Report\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
	const holiday = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Audit\nDTSTART;VALUE=DATE:20260309\nDTEND;VALUE=DATE:20260310\nEND:VEVENT\nBEGIN:VEVENT\nUID:u2\nDTSTART;VALUE=DATE:20260311\nDTEND;VALUE=DATE:20260313\nEND:VEVENT\n" +
		"BEGIN:VEVENT\nDTSTAMP:20260101T000000Z\nSUMMARY:Drill\nDTSTART:20260303T090000Z\nDURATION:PT1H30M\nRRULE:FREQ=WEEKLY\nEXDATE;TZID=Asia/Seoul:20260310T090000,20260317T090000\nRECURRENCE-ID:20260304T090000Z\n" +
		"URL:https://a.example/drill\nCATEGORIES:Safety,Hall 7\nCONTACT:Lee\nX-COLOR:red\nATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA\nEND:VEVENT\nBEGIN:VJOURNAL\nDESCRIPTION:Door 3 sticks.\nEND:VJOURNAL\nEND:VCALENDAR\n"
	const vcal = "BEGIN:VCALENDAR\r\nVERSION:1.0\r\nBEGIN:VEVENT\r\nSUMMARY;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=EC=A0=90=EA=B2=80\r\nDTSTART:20260303T090000\r\nDESCRIPTION;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Open=\r\n door 3.=0D=0AThen =\r\nwait.\r\n" +
		"LOCATION;CHARSET=EUC-KR;QUOTED-PRINTABLE:=B0=AD=B4=E7\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Cut off\r\nDTSTART:20260304T090000\r\nLOCATION;QUOTED-PRINTABLE:Hall=\r\n"
	const notes = `{"cells":[{"cell_type":"markdown","source":["# Load test\n","See **below**."]},{"cell_type":"code","source":["p95()"],"outputs":[{"output_type":"stream","text":["\u001b[31m412\u001b[0m ms\n"]},` +
		`{"data":{"image/png":"iVBORw0KGgo=","text/plain":["<Figure size 1x1>"]}},{"data":{"text/html":["<b>7</b>"],"text/plain":"7"}},{"ename":"KeyError","evalue":"'x'","traceback":["long"]}]}],"metadata":{},"nbformat":4}`
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"digest.eml":  {[]byte(digest), "[Digest 4] From: list@a.example / Two messages.\n[Digest 4 > Valve] From: lee@a.example / Date: Mon, 02 Mar 2026 08:00:00 +0000 / Valve K9 is shut.\n[Digest 4 > Fwd: plan] From: park@a.example\n[Digest 4 > Fwd: plan > invitation > Check] When: 2026-03-09\n[Digest 4 > Fwd: plan > Valve] From: lee@a.example / Date: Mon, 02 Mar 2026 08:00:00 +0000 / Valve K9 is shut."},
		"bare.eml":    {[]byte(encoded(t, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "From: a@a.example\nSubject: Shift\nContent-Type: text/plain; charset=euc-kr\n\n점검은 14일이다.\n")), "[Shift] From: a@a.example / 점검은 14일이다."},
		"spaced.eml":  {[]byte("From kim@a.example\nSubject: One\n \nRoom 3.\n"), "[One] Room 3."},
		"folded.eml":  {[]byte("Subject: One\nReferences: <a@b>\nc@d>\nDate: Tue, 3 Mar 2026 09:00:00 +0900\n\nRoom 5.\n"), "[One] Date: Tue, 03 Mar 2026 09:00:00 +0900 / Room 5."},
		"twice.eml":   {[]byte("Subject: Two\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nRoom 4.\n--b\n--b\nContent-Type: text/plain\n\nlost\n--b--\n"), "[Two] Room 4."},
		"team.mbox":   {[]byte(box), "[team > One] From here we go. / From 09:00 on.\n[team > Two] Second."},
		"plan.ics":    {[]byte(calendar), "[시설 일정 > 소방 점검] 일시: 2026-03-03 09:00 (Asia/Seoul) – 10:30 (Asia/Seoul) / 장소: 7동, 2층 / 주최자: Kim: Hana <kim@a.example> / 참석자: lee@a.example / 비상문을 연다. / 끝.\n[시설 일정 > Report] Due: 2026-04-01 00:00 UTC"},
		"named.mbox":  {[]byte(unnamed), "[named > One] First.\n[named > kim@a.example] From: kim@a.example / Second. / From Monday 09:00 the lift is closed. / Go round.\n[named > No subject] Third."},
		"inner.eml":   {[]byte("Subject: Fwd\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Disposition: attachment; filename=plan.csv\n\nday,hall\nMon,7\n--b\nContent-Type: message/rfc822\n\nFrom: lee@a.example\n\nValve K9.\n--b--\n"), "[Fwd > plan] day: Mon | hall: 7\n[Fwd > lee@a.example] From: lee@a.example / Valve K9."},
		"page.mht":    {[]byte(page), "[Guide] From: <Saved by Blink> / Descale the boiler."},
		"odd.eml":     {[]byte(encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "Subject: Shift\nContent-Type: text/plain; charset\n\nHall 7.\n")), "[Shift] Hall 7."},
		"other.ipynb": {[]byte(`{"a":"boiler"}`), `[other] {"a":"boiler"}`},
		"raw.ipynb": {[]byte(`{"cells":[{"cell_type":"raw","source":"# comment"},{"cell_type":"code","source":"t","outputs":[{"data":{"text/html":["<style>td{}</style><table><tr><td>K9 &amp; K7</td>","<td>shut</td></tr></table>"]}}]},` +
			`{"cell_type":"markdown","source":"<div class=\"a\"\n  id=\"b\">Boiler guide</div>"}]}`), "[raw] # comment / t / K9 & K7 shut / Boiler guide"},
		"days.ics": {[]byte(holiday), "[days > Audit] When: 2026-03-09\n[days > 2026-03-11] When: 2026-03-11 – 2026-03-12\n[days > Drill] When: 2026-03-03 09:00 UTC / Duration: 1 hour 30 minutes / Repeats: every week / " +
			"Except on: 2026-03-10 09:00 (Asia/Seoul), 2026-03-17 09:00 (Asia/Seoul) / Instead of: 2026-03-04 09:00 UTC / Category: Safety,Hall 7 / Link: https://a.example/drill / CONTACT: Lee\n[days > VJOURNAL] Door 3 sticks."},
		"repeat.ics": {[]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Standup\nRRULE:FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=MO,WE;UNTIL=20260630T145959Z\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:결산\nDURATION:P1DT30M\nRRULE:FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO,TU,WE,TH,FR;COUNT=6\nEND:VEVENT\n" +
			"BEGIN:VEVENT\nSUMMARY:Drill\nRRULE:FREQ=YEARLY;BYMONTH=3,9;BYDAY=2TU\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:Pay\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15,-1\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:Odd\nDURATION:P\nRRULE:FREQ=YEARLY;BYWEEKNO=20\nEND:VEVENT\nEND:VCALENDAR\n"),
			"[repeat > Standup] Repeats: every 2 weeks on Monday, Wednesday, until 2026-06-30 14:59 UTC\n[repeat > 결산] 소요 시간: 1일 30분 / 반복: 매월 마지막 평일, 총 6회\n[repeat > Drill] Repeats: every year in March, September on the second Tuesday\n[repeat > Pay] Repeats: every month on day 15, the last day\n[repeat > Odd] Duration: P / Repeats: FREQ=YEARLY;BYWEEKNO=20"},
		"phone.vcs":   {[]byte(vcal), "[phone > 점검] 일시: 2026-03-03 09:00 / 장소: 강당 / Open door 3. / Then wait.\n[phone > Cut off] When: 2026-03-04 09:00 / Where: Hall"},
		"load.ipynb":  {[]byte(notes), "[Load test] See below. / p95() / 412 ms / 7 / KeyError: 'x'"},
		"canteen.odt": {odt, "[식당 규칙 > 식당] 점심은  11:40부터다. / 메모: 메모 / 하나 / 표1 / 요일: 월 | 메뉴: 비빔밥"},
		"pump.epub":   {epub, "[Pump book > One] Open it.\n[Pump book > Two] Close valve K9."},
		"note.rtf":    {[]byte(rtf), "[note] 연차 15일 / Second {line} / end / a: 1 | b: 2 / after"},
		"faces.rtf":   {[]byte(faces), "[faces] 연차 café 規則– článek 규 / déjàvu / Phone: 3391"},
		"table.rtf":   {[]byte(`{\rtf1{\pard\outlinelevel0 Codes\par}{\trowd{{\pard\intbl Code\par}\cell}{{\pard\intbl Error\par}\cell}\intbl\row}{\trowd{{\pard\intbl 3\par}\cell}{{\pard\intbl Stop\par}\cell}\intbl\row}\pard End\par{\nonesttables no\par}}`), "[table > Codes] Code: 3 | Error: Stop / End"},
		"nested.rtf": {[]byte(`{\rtf1\trowd\pard\intbl Trip\cell\pard\intbl Limits\par\pard\intbl\itap2 Item\nestcell Sum\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables\par}\pard\intbl\itap2 Hotel\par K9\nestcell 120\nestcell{\*\nesttableprops\trowd\nestrow}\pard\intbl a night\cell\row` +
			`\trowd\pard\intbl Course\cell none\cell\row\pard After\par}`), "[nested] Trip: Course | Limits a night: none / Item: Hotel K9 | Sum: 120 / After"},
		"open.rtf":  {[]byte(`{\rtf1\trowd\pard\intbl\itap2 Item\nestcell Sum\nestcell{\*\nesttableprops\trowd\nestrow}\pard After text\par}`), "[open] Item | Sum / After text"},
		"cut.rtf":   {[]byte(`{\rtf1\trowd\pard\intbl Before the box\par\pard\intbl\itap2 Item\nestcell Sum\nestcell{\*\nesttableprops\trowd\nestrow}\pard\intbl tail text`), "[cut] Before the box tail text / Item | Sum"},
		"begun.rtf": {[]byte(`{\rtf1\trowd\pard\intbl In the cell\par\pard After\par\pard\intbl last`), "[begun] In the cell / After / last"},
		"deep.rtf":  {[]byte(`{\rtf1\trowd\pard\intbl\itap2 Item\nestcell Sum\nestcell{\*\nesttableprops\nestrow}\itap3 x\nestcell y\nestcell{\*\nesttableprops\nestrow}\itap2 mid\nestcell m2\nestcell{\*\nesttableprops\nestrow}\itap1 out\cell\row}`), "[deep] out / Item: mid | Sum: m2 / x | y"},
		"row.rtf":   {[]byte(`{\rtf1 {\intbl Code\cell 3\cell{\row}One.\par}{Two.\par}Three.\par}`), "[row] Code | 3 / One. / Two. / Three."},
		"list.rtf":  {[]byte(`{\rtf1{\listtext\tab \u8226 \tab}First item.\par {\u8226}Second item.\par}`), "[list] •\tFirst item. / •Second item."},
		"wide.eml":  {[]byte(encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "From: a@a.example\nSubject: Shift\n\nHall 7 is closed.\n")), "[Shift] From: a@a.example / Hall 7 is closed."},
		"mail.eml":  {[]byte(eml), "[공지] From: 김하나 <kim@a.example> / To: all@a.example / Date: Tue, 03 Mar 2026 09:00:00 +0900 / 점검은 14일이다.\n[공지 > plan] day: Mon | hall: 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, chunks := mustLoad(t, name, c.data)
			if got := show(chunks); got != c.want {
				t.Errorf("%q\nwant\n%q", got, c.want)
			}
			lost := ""
			for _, u := range doc.Unread {
				lost += u.Name
			}
			if want := map[string]string{"mail.eml": "a.png", "team.mbox": ":9", "twice.eml": "attachment"}[name]; lost != want {
				t.Errorf("unread: %+v, want %q", doc.Unread, want)
			}
		})
	}
}

// TestRepeats writes a rule or a duration of a calendar in words only where they say the same.
func TestRepeats(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"RRULE:FREQ=MONTHLY;BYDAY=1MO,TU,WE,TH,FR": "every month on the first Monday, Tuesday, Wednesday, Thursday, Friday", "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA": "every week on Monday, Tuesday, Wednesday, Thursday, Friday, Saturday",
		"RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": "every week on weekdays", "RRULE:FREQ=WEEKLY;": "every week", "RRULE:FREQ=DAILY;COUNT=1": "every day, 1 time",
		"RRULE:FREQ=DAILY;COUNT=abc": "", "RRULE:FREQ=DAILY;UNTIL=nonsense": "", "RRULE:FREQ=MONTHLY;BYMONTHDAY=32": "", "RRULE:FREQ=WEEKLY;INTERVAL=two": "", "RRULE:FREQ=WEEKLY;WKST=XX": "",
		"RRULE:FREQ=YEARLY;BYMONTHDAY=15": "", "RRULE:FREQ=YEARLY;BYDAY=MO": "", "RRULE:FREQ=WEEKLY;BYDAY=2MO": "", "RRULE:FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=8,9;BYSETPOS=1": "", "RRULE:FREQ=YEARLY;BYMONTH=3,9;BYDAY=MO;BYSETPOS=1": "",
		"DURATION:P1W2DT90S": "9 days 1 minute 30 seconds", "DURATION:-PT15M": "", "DURATION:P1M": "", "DURATION:P9999999W": "", "DURATION:PT0S": "",
	} {
		_, chunks := mustLoad(t, "a.ics", []byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Talk\n"+line+"\nEND:VEVENT\nEND:VCALENDAR\n"))
		_, raw, _ := strings.Cut(line, ":")
		if _, got, _ := strings.Cut(show(chunks), ": "); got != cmp.Or(want, raw) {
			t.Errorf("%s: %q, want %q", line, got, cmp.Or(want, raw))
		}
	}
}
