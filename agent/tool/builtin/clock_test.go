package builtin_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the test must not depend on the machine's zones

	"maru/agent/tool"
	"maru/agent/tool/builtin"
)

// moment is 2026-11-21 20:10 in Seoul, a Saturday.
var moment = time.Date(2026, 11, 21, 11, 10, 0, 0, time.UTC)

func TestClock(t *testing.T) {
	t.Parallel()
	seoul, err := time.LoadLocation("Asia/Seoul")
	if err != nil {
		t.Fatal(err)
	}
	type args = map[string]any
	for name, tc := range map[string]struct {
		args args
		zone string // of the person
		want string
	}{
		"program's zone":              {args{}, "", "Now: 2026-11-21 20:10:00, Saturday (토요일), Asia/Seoul (UTC+09:00), week 47"},
		"person's zone":               {args{}, "America/New_York", "2026-11-21 06:10:00, Saturday (토요일), America/New_York (UTC-05:00)"},
		"person's broken zone":        {args{}, "Mars/Olympus", "Asia/Seoul"},
		"place wins":                  {args{"place": "런던"}, "America/New_York", "2026-11-21 11:10:00"},
		"summer time":                 {args{"place": "Sydney"}, "", "22:10:00, Saturday (토요일), Australia/Sydney (UTC+11:00)"},
		"half an hour":                {args{"place": "뭄바이"}, "", "16:40:00"},
		"two words":                   {args{"place": "new york"}, "", "America/New_York"},
		"with suffix":                 {args{"place": "부산시"}, "", "Asia/Seoul"},
		"with its time":               {args{"place": "뉴욕 시간"}, "", "America/New_York"},
		"zone by its city":            {args{"place": "Reykjavik"}, "", "Atlantic/Reykjavik"},
		"zone of two words":           {args{"place": "port moresby"}, "", "Pacific/Port_Moresby"},
		"iana":                        {args{"place": "Europe/Paris"}, "", "12:10:00"},
		"offset":                      {args{"place": "UTC+5:30"}, "", "16:40:00"},
		"negative offset":             {args{"place": "gmt-3"}, "", "08:10:00"},
		"abbreviation":                {args{"place": "PST"}, "", "03:10:00"},
		"another day":                 {args{"date": "2026-12-25"}, "", "2026-12-25 is a Friday (금요일), 34 days from today"},
		"a past day":                  {args{"date": "1950-06-25"}, "", "is a Sunday (일요일), 27908 days ago"},
		"today":                       {args{"date": "2026-11-21"}, "", "today"},
		"today is another day":        {args{"date": "2026-11-22", "place": "Auckland"}, "", "Sunday (일요일), today"},
		"until":                       {args{"until": "2027-01-01"}, "", "From 2026-11-21 to 2027-01-01: 41 days"},
		"between":                     {args{"date": "2024-02-28", "until": "2024-03-01"}, "", "From 2024-02-28 to 2024-03-01: 2 days"},
		"over a clock change":         {args{"date": "2026-03-28", "until": "2026-03-30", "place": "Paris"}, "", ": 2 days"},
		"long ago":                    {args{"date": "0001-01-01", "until": "9999-12-31"}, "", ": 3652058 days"},
		"add":                         {args{"add_days": 100}, "", "2026-11-21 +100 days = 2027-03-01, a Monday (월요일)"},
		"subtract from a date":        {args{"date": "2024-03-01", "add_days": -1}, "", "2024-03-01 -1 days = 2024-02-29"},
		"until a day of this year":    {args{"until": "12-25"}, "", "From 2026-11-21 to 2026-12-25: 34 days"},
		"until a day that has passed": {args{"until": "03-01"}, "", "From 2026-11-21 to 2027-03-01: 100 days"},
		"until today":                 {args{"until": "11-21"}, "", "to 2026-11-21: 0 days"},
		"until a leap day":            {args{"until": "02-29"}, "", "to 2028-02-29: 465 days"},
		"a day without its year":      {args{"date": "12-25"}, "", "2026-12-25 is a Friday (금요일), 34 days from today"},
		"the coming day":              {args{"weekday": "friday"}, "", "the coming friday = 2026-11-27, a Friday (금요일), 6 days from today"},
		"the coming day is today":     {args{"weekday": "saturday"}, "", "= 2026-11-21, a Saturday (토요일), today"},
		"this week's":                 {args{"weekday": "friday", "weeks": 0}, "", "= 2026-11-20, a Friday (금요일), 1 days ago"},
		"next week's":                 {args{"weekday": "friday", "weeks": 1}, "", "= 2026-11-27, a Friday"},
		"next week's Sunday":          {args{"weekday": "sunday", "weeks": 1}, "", "= 2026-11-29, a Sunday"},
		"last week's Monday":          {args{"weekday": "monday", "weeks": -1}, "", "= 2026-11-09, a Monday"},
		"it is Sunday there":          {args{"weekday": "sunday", "weeks": 0, "place": "Auckland"}, "", "= 2026-11-22, a Sunday (일요일), today"},
		"of another day's week":       {args{"weekday": "monday", "weeks": 1, "date": "2026-12-31"}, "", "= 2027-01-04, a Monday"},
		"end of this month":           {args{"month_end": 0}, "", "the last day of 2026-11 = 2026-11-30, a Monday (월요일), 9 days from today"},
		"end of next month":           {args{"month_end": 1}, "", "= 2026-12-31"},
		"end of a leap February":      {args{"month_end": 1, "date": "2028-01-31"}, "", "= 2028-02-29"},
		"end of last year":            {args{"month_end": -11}, "", "= 2025-12-31"},
		"add nothing to a date":       {args{"date": "2024-03-01", "add_days": 0}, "", "= 2024-03-01"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := invoke(t, builtin.NewClock(seoul), tc.args, tool.Call{Now: moment, TimeZone: tc.zone})
			if err != nil || !strings.Contains(got.Text, tc.want) {
				t.Errorf("got %q, %v, want %q", got.Text, err, tc.want)
			}
		})
	}
}

func TestClockRefusesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, args := range []map[string]any{
		{"place": "Atlantis"}, {"place": "../etc/passwd"}, {"place": "/etc/passwd"}, {"place": "local"}, {"place": ","}, {"place": "/"}, {"place": "Atlantis, UK"}, {"place": "../zone,x"}, {"place": "UTC+25"}, {"place": strings.Repeat("x", 60)},
		{"date": "2026-02-30"}, {"date": "tomorrow"}, {"until": "2026-13-01"}, {"add_days": 1e9}, {"until": "02-30"}, {"weekday": "caturday"}, {"weeks": 1e6, "weekday": "monday"}, {"zone": "UTC"},
	} {
		_, err := invoke(t, builtin.NewClock(nil), args, tool.Call{Now: moment})
		wrong(t, err, "bad_argument")
	}
}

func TestEveryPlaceHasAZone(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"서울", "Seoul", "도쿄", "베이징", "홍콩", "Taipei", "싱가포르", "하노이", "방콕", "자카르타", "두바이", "이스탄불", "모스크바", "런던", "파리", "베를린", "마드리드", "로마", "카이로", "나이로비", "뉴욕", "Washington, D.C.", "시카고", "덴버", "LA", "San Francisco", "호놀룰루", "토론토", "밴쿠버", "São Paulo", "sao paulo", "시드니", "오클랜드", "Kyiv", "Hong Kong", "Ho Chi Minh City", "New York City", "London, UK", "Los Angeles, CA", "서울, 대한민국", "asia/seoul", "america/new_york", "Etc/GMT+5", "Kuching, Malaysia"} {
		if _, err := invoke(t, builtin.NewClock(nil), map[string]any{"place": place}, tool.Call{Now: moment}); err != nil {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// TestClockSchemaFitsGrammars: llama.cpp decodes within a schema and knows no \d; it would take any text for a day.
func TestClockSchemaFitsGrammars(t *testing.T) {
	t.Parallel()
	if s := string(builtin.NewClock(nil).Spec().Parameters); strings.Contains(s, `\\d`) || !strings.Contains(s, "[0-9]{2}-[0-9]{2}") {
		t.Errorf("schema %s", s)
	}
}
