// Package zone knows the time zones and the countries that people name in Korean and English, and finds time zones in texts.
// It must not know clocks, tools or the shape of a question.
package zone

import "strings"

// Named returns the IANA name of the time zone of a place, which is written in lower case
// without spaces, accents and punctuation: "newyork" is in America/New_York.
func Named(place string) (string, bool) {
	name, ok := places[place]
	return name, ok
}

// places maps what people call a place to its time zone: Korean and English
// names of cities, countries with one zone, and the usual abbreviations. Names are in
// lower case without spaces, accents and punctuation.
var places = zones(`
Asia/Seoul: 서울 부산 인천 대구 대전 광주 울산 세종 제주 수원 판교 한국 대한민국 seoul busan incheon daegu daejeon gwangju ulsan jeju korea southkorea kst
Asia/Pyongyang: 평양 북한 pyongyang northkorea
Asia/Tokyo: 도쿄 동경 오사카 교토 후쿠오카 삿포로 나고야 일본 tokyo osaka kyoto fukuoka sapporo nagoya yokohama japan jst
Asia/Shanghai: 베이징 북경 상하이 상해 선전 심천 광저우 칭다오 중국 beijing shanghai shenzhen guangzhou qingdao hangzhou china
Asia/Hong_Kong: 홍콩 hongkong hkt
Asia/Taipei: 타이베이 타이페이 대만 taipei taiwan
Asia/Macau: 마카오 macau macao
Asia/Singapore: 싱가포르 싱가폴 singapore sgt
Asia/Kuala_Lumpur: 쿠알라룸푸르 말레이시아 kualalumpur malaysia
Asia/Bangkok: 방콕 태국 bangkok thailand
Asia/Ho_Chi_Minh: 호치민 호찌민 하노이 다낭 베트남 hochiminh hochiminhcity saigon hanoi danang vietnam
Asia/Manila: 마닐라 세부 필리핀 manila cebu philippines
Asia/Jakarta: 자카르타 jakarta
Asia/Makassar: 발리 bali
Asia/Yangon: 양곤 미얀마 yangon myanmar
Asia/Kolkata: 뉴델리 델리 뭄바이 벵갈루루 첸나이 하이데라바드 인도 newdelhi delhi mumbai bangalore bengaluru chennai hyderabad kolkata india ist
Asia/Kathmandu: 카트만두 네팔 kathmandu nepal
Asia/Karachi: 카라치 파키스탄 karachi islamabad lahore pakistan
Asia/Dhaka: 다카 방글라데시 dhaka bangladesh
Asia/Almaty: 알마티 almaty
Asia/Tashkent: 타슈켄트 우즈베키스탄 tashkent uzbekistan
Asia/Ulaanbaatar: 울란바토르 몽골 ulaanbaatar mongolia
Asia/Dubai: 두바이 아부다비 아랍에미리트 dubai abudhabi uae
Asia/Riyadh: 리야드 사우디아라비아 riyadh jeddah saudiarabia
Asia/Qatar: 도하 카타르 doha qatar
Asia/Tehran: 테헤란 이란 tehran iran
Asia/Jerusalem: 예루살렘 텔아비브 이스라엘 jerusalem telaviv israel
Europe/Istanbul: 이스탄불 앙카라 튀르키예 터키 istanbul ankara turkey turkiye
Europe/Moscow: 모스크바 moscow msk
Asia/Vladivostok: 블라디보스토크 vladivostok
Europe/London: 런던 에든버러 맨체스터 영국 london edinburgh manchester uk unitedkingdom england britain bst
Europe/Dublin: 더블린 아일랜드 dublin ireland
Europe/Paris: 파리 프랑스 paris lyon france
Europe/Berlin: 베를린 뮌헨 프랑크푸르트 함부르크 독일 berlin munich frankfurt hamburg germany cet cest centraleuropean
Europe/Zurich: 취리히 제네바 스위스 zurich geneva switzerland
Europe/Vienna: 빈 비엔나 오스트리아 vienna austria
Europe/Amsterdam: 암스테르담 네덜란드 amsterdam netherlands
Europe/Brussels: 브뤼셀 벨기에 brussels belgium
Europe/Madrid: 마드리드 바르셀로나 스페인 madrid barcelona spain
Europe/Lisbon: 리스본 포르투갈 lisbon portugal
Europe/Rome: 로마 밀라노 이탈리아 rome milan italy
Europe/Athens: 아테네 그리스 athens greece
Europe/Prague: 프라하 체코 prague czechia
Europe/Budapest: 부다페스트 헝가리 budapest hungary
Europe/Warsaw: 바르샤바 폴란드 warsaw krakow poland
Europe/Stockholm: 스톡홀름 스웨덴 stockholm sweden
Europe/Oslo: 오슬로 노르웨이 oslo norway
Europe/Copenhagen: 코펜하겐 덴마크 copenhagen denmark
Europe/Helsinki: 헬싱키 핀란드 helsinki finland eet eest
Europe/Kyiv: 키이우 키예프 우크라이나 kyiv kiev ukraine
Africa/Cairo: 카이로 이집트 cairo egypt
Africa/Lagos: 라고스 나이지리아 lagos nigeria
Africa/Nairobi: 나이로비 케냐 nairobi kenya
Africa/Johannesburg: 요하네스버그 케이프타운 남아공 남아프리카공화국 johannesburg capetown southafrica
America/New_York: 뉴욕 워싱턴 보스턴 마이애미 애틀랜타 필라델피아 newyork nyc washington washingtondc boston miami atlanta philadelphia est edt et 미국동부
America/Chicago: 시카고 댈러스 휴스턴 오스틴 chicago dallas houston austin cst cdt ct
America/Denver: 덴버 denver saltlakecity mst mdt mt
America/Phoenix: 피닉스 phoenix
America/Los_Angeles: 로스앤젤레스 엘에이 샌프란시스코 시애틀 샌디에이고 라스베이거스 실리콘밸리 losangeles la sanfrancisco seattle sandiego lasvegas portland siliconvalley pst pdt pt 미국서부
America/Anchorage: 앵커리지 알래스카 anchorage alaska akst akdt
Pacific/Honolulu: 호놀룰루 하와이 honolulu hawaii hst
America/Toronto: 토론토 오타와 몬트리올 toronto ottawa montreal
America/Vancouver: 밴쿠버 vancouver
America/Mexico_City: 멕시코시티 mexicocity
America/Sao_Paulo: 상파울루 리우데자네이루 saopaulo riodejaneiro rio
America/Argentina/Buenos_Aires: 부에노스아이레스 아르헨티나 buenosaires argentina
America/Santiago: 산티아고 santiago
America/Bogota: 보고타 콜롬비아 bogota colombia
America/Lima: 리마 페루 lima peru
Australia/Sydney: 시드니 멜버른 캔버라 sydney melbourne canberra aest aedt
Australia/Brisbane: 브리즈번 brisbane
Australia/Perth: 퍼스 perth
Australia/Adelaide: 애들레이드 adelaide
Pacific/Auckland: 오클랜드 웰링턴 뉴질랜드 auckland wellington newzealand nzst nzdt
Pacific/Guam: 괌 사이판 guam saipan
UTC: utc gmt z 협정세계시 세계표준시
`)

// zones reads the table above.
func zones(table string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(table) {
		zone, names, ok := strings.Cut(strings.TrimSpace(line), ": ")
		for name := range strings.FieldsSeq(names) {
			if ok {
				out[name] = zone
			}
		}
	}
	return out
}
