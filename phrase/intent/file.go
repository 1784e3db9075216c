package intent

import "maru/phrase/pattern"

const seenOrHeard = `pictures?|photos?|images?|screenshots?|recordings?|voice\s+messages?`

var (
	// namesFile matches references to a visible file.
	namesFile = pattern.New(`(?i)\b(?:this|that|these|those|attached|above)\s+(?:\w+\s+)?(?:files?|documents?|docs?|pdfs?|attachments?|spreadsheets?|sheets?|slides?|decks?|reports?|contracts?|` + seenOrHeard + `)\b|\bthe\s+(?:files?|pdfs?|attachments?|` + seenOrHeard + `)\b|` +
		`(?:^|\s)(?:이|위|위의|위에|저|그|첨부|첨부된|첨부한|올린|올려\s?준|올려\s?주신|방금|아까|공유된|공유한)\s*(?:파일|문서|첨부|pdf|자료|보고서|계약서|엑셀|슬라이드|사진|그림|이미지|스크린\s?샷|캡처|캡쳐|화면|녹음|음성)`)
	// addsIt matches requests to add a visible file.
	addsIt = pattern.New(`(?i)\b(?:add|index|ingest|import)\s+(?:this|that|it|these|those|them)\b|(?:이거|이것|이걸|그거|그것|그걸)\S*\s+(?:\S+\s+)?(?:추가|등록|색인|인덱싱|학습)`)
)

// PointsAtFile reports whether a text refers to a file that its reader sees: "add this file", "이 문서 요약해줘".
func PointsAtFile(text string) bool { return namesFile.MatchString(text) || addsIt.MatchString(text) }
