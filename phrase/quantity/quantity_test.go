package quantity_test

import (
	"slices"
	"testing"

	"maru/phrase/quantity"
)

func TestNumbersInWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]float64{
		"예산은 50만원":                 {50, 500000},
		"3만 5천원을 보내줘":              {35000},
		"2억 3천만 원":                 {2e8, 2.3e8},
		"1,234,567원":               {1234567},
		"$1.5 million":             {1.5, 1.5e6},
		"about 20k users":          {20000},
		"한 시간짜리 회의":                {1, 60, 3600},
		"1시간 반":                    {90},
		"half an hour":             {30},
		"a 2-hour meeting":         {2, 120},
		"두 명이랑 30분":                {2, 30, 1800},
		"an hour and a half or so": {90},
		"three days":               {3, 4320},
		"at 5% over 3 years":       {5, 0.05, 3},
		"Jun.20,2023":              {6, 20, 2023},
		"2023.3.1까지":               {2023, 3, 1},
		"on 20/3/2024":             {20, 3, 2024},
		"three people":             {3},
		"만원만 보내줘":                  {10000},
		"삼만원이나 이천 원":               {30000, 2000},
		"커피 한 잔, 피자 세 판":           {1, 3},
		"하나만, 둘이서":                 {1, 2},
		"이틀":                       {2, 2880},
	} {
		got := quantity.In(text)
		for _, n := range want {
			if !got.Has(n) {
				t.Errorf("%q has %v, not %v", text, got, n)
			}
		}
	}
	for text, not := range map[string]float64{"5월 회의": 50000, "a meeting": 1, "30 minutes": 3e7, "no number": 1, "12 34": 1234} {
		if quantity.In(text).Has(not) {
			t.Errorf("%q has %v", text, not)
		}
	}
}

// TestValuesOfPrograms: programs write telephone numbers, money and levels in their own form.
func TestValuesOfPrograms(t *testing.T) {
	t.Parallel()
	if got := quantity.Phones("010-1234-5678"); !slices.Equal(got, quantity.Phones("01012345678")) || len(got) != 1 {
		t.Errorf("phones %v", got)
	}
	for value, want := range map[string]float64{"₩30,000": 30000, "30000원": 30000, "USD 12.50": 12.5, "$5": 5} {
		if n, ok := quantity.Money(value); !ok || n != want {
			t.Errorf("%s is %v", value, n)
		}
	}
	if n, ok := quantity.Money("30 people"); ok {
		t.Errorf("people are %v", n)
	}
	for value, text := range map[string]string{"high": "우선순위 높게", "높음": "high priority", "weekly": "every Friday", "KRW": "이천 원", "달러": "$30"} {
		if is, said := quantity.Level(value, text); !is || !said {
			t.Errorf("%q does not say %s", text, value)
		}
	}
	if is, said := quantity.Level("KRW", "지원서를 원해요"); !is || said {
		t.Error("a won is found where none is")
	}
	if is, _ := quantity.Level("회의", "회의"); is {
		t.Error("a meeting is a level")
	}
}
