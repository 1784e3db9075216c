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
