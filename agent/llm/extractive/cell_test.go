package extractive_test

import "testing"

// TestACellSaysWhatItsHeaderAsks: a name under "대체 주차장" needs nothing of a place.
func TestACellSaysWhatItsHeaderAsks(t *testing.T) {
	t.Parallel()
	const (
		parking = "| 층 | 대체 주차장 |\n|---|---|\n| B1 | 시청 |\n| B2 | 한빛 |"
		english = "| Floor | Fallback | Warden |\n|---|---|---|\n| B1 | Maple | Kim |\n| B2 | Cedar | Lee |"
		budget  = "| 부서 | 한도 | 비고 |\n|---|---|---|\n| 개발 | 만 삼천 | 분기 |"
	)
	expectFacts(t, []fact{
		{parking, "B2 대체 주차장은 어디야?", "층: B2, 대체 주차장: 한빛"},
		{parking, "B2 대체 주차장 어디예요?", "층: B2, 대체 주차장: 한빛"},
		{english, "where is the fallback for B2?", "Floor: B2, Fallback: Cedar"},
		{budget, "개발 한도는 얼마야?", "한도: 만 삼천"},
		{budget, "개발 비고는 어디야?", "비고: 분기"},
		{budget, "개발 분기는 어디야?", ""},
		{english, "where is the warden of B3?", ""},
	})
}

// TestACellSaysHowMany: under "수량" stands how many there are of what the row is about, without a
// counter; under another header stands something else.
func TestACellSaysHowMany(t *testing.T) {
	t.Parallel()
	const (
		things  = "| 장비 | 수량 | 구입일 |\n|---|---|---|\n| 복합기 | 3 | 2026-02-11 |\n| 노트북 | 24 | 2026-05-02 |"
		people  = "| 팀 | 인원 | 층 |\n|---|---|---|\n| 개발 | 14 | 5 |\n| 영업 | 9 | 3 |"
		english = "| Item | Quantity | Shelf |\n|---|---|---|\n| Laptops | 24 | 7 |\n| Printers | 3 | 2 |"
		shelves = "| Item | Shelf |\n|---|---|\n| Laptops | 7 |\n| Printers | 2 |"
	)
	expectFacts(t, []fact{
		{things, "노트북은 몇 대야?", "장비: 노트북, 수량: 24"},
		{things, "복합기 몇 대 있어요?", "장비: 복합기, 수량: 3"},
		{people, "개발 인원은 몇 명이야?", "팀: 개발, 인원: 14"},
		{people, "영업은 몇 명이야?", "팀: 영업, 인원: 9"},
		{english, "how many laptops are there?", "Item: Laptops, Quantity: 24"},
		{things, "노트북은 몇 명이야?", ""},
		{people, "개발 팀은 몇 대야?", ""},
		{shelves, "how many printers are there?", ""},
		{"| Team | Laptops |\n|---|---|\n| Design | 24 |\n| Sales | 9 |", "how many laptops does Design have?", "Team: Design, Laptops: 24"},
	})
}
