package longterm

import (
	"strings"

	"maru/phrase/pattern"
)

// NamesADay reports whether a task names its time by the day on which it is asked (tomorrow, last month, 3 days ago,
// 이번 주, the 15th): the same words mean another time on another day, so that the answers of one day do not hold on
// another. In doubt it reports true: the person is then asked once more, where otherwise another period would be used.
func NamesADay(task string) bool {
	task = regular.ReplaceAllString(strings.ToLower(task), " ")
	return relative.MatchString(task) || relativeEnglish.MatchString(task)
}

// Parts of the patterns: units of time, and numbers of them.
const (
	koUnits  = `(?:초|분|시간|일|영업일|주일?|개?월|달|분기|반기|학기|년|해|연도)`
	koNumber = `(?:\d+|한|두|세|네|석|넉|다섯|여섯|일곱|여덟|아홉|열|몇|수|반)`
	koCount  = `(?:` + koNumber + `\s*(?:개\s*)?` + koUnits + `|일주일|반년|하루|이틀|사흘|나흘|닷새|엿새|이레|여드레|아흐레|열흘|보름|며칠)`
	koDay    = `[월화수목금토일]요일`

	enUnits   = `(?:(?:second|minute|hour|(?:business |working |week)?day|night|week(?:end)?|fortnight|month|quarter|half|semester|term|season|sprint|year|decade)s?)`
	enNumber  = `(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a\s+)?(?:couple(?:\s+of)?|few)|several|half\s+an?)`
	enWeekday = `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?)`
	enPart    = `(?:morning|afternoon|evening|time|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december|christmas|easter)`
)

var (
	// regular matches repetitions, which mean the same on every day.
	regular = pattern.New(`매\s*(?:일|주|달|월|분기|반기|학기|년|해)\s*(?:` + koDay + `|주말|말일?|초|\d{1,2}일)?` +
		`|\b(?:every|each)\s+(?:other\s+)?(?:` + enUnits + `|` + enWeekday + `|` + enPart + `)\b`)

	relative = pattern.New(`오늘|내일|모레|글피|어제|어저께|어젯|간밤|그저께|그제|방금|아까|이따|지금|현재|요즘|요즈음|요새|최근|근래|최신|당분간|그동안|여태|향후|앞으로` +
		`|[금명당익]일(?:[\s,.에까부은의자]|$)|전일|금주|차주|전주|당월|금월|전월|익월|이달|내달|당해|금년|올해|작년|내년|명년|익년|재작년|내후년|[전금당차]\s?분기|이맘때` +
		`|(?:^|\s)내주(?:[\s,.에까부의]|$)` + // 보내주세요 has it too
		`|(?:^|\s)올\s*(?:봄|여름|가을|겨울|상반기|하반기|초|연?말|한\s*해)|(?:^|\s)(?:돌아)?오는\s*(?:\d|주|달|해|분기|` + koDay + `)|(?:이번|요번|저번|지난|지지난)` +
		`|다(?:다)?음\s*(?:\d|번|회|차|봄|여름|가을|겨울|방학|` + koNumber + `?\s*` + koUnits + `|` + koDay + `)` +
		`|(?:^|\s)이\s(?:주|달)(?:\s|에|의|까지|부터|$)|주말|주초|주중|월말|월초|월중|말일|연말|연초|분기\s?말|분기\s?초|상반기|하반기` +
		`|` + koCount + `\s*(?:전|뒤|후|이내|내(?:에|로)|안에)` +
		`|(?:^|[^월\s]\s+)\d{1,2}일(?:에|까지|부터|자|날|\s|$)` + // a day without its month
		`|` + koDay)

	relativeEnglish = pattern.New(`\b(?:today|tonight|tonite|tomorrow|tmrw|yesterday|now|nowadays|these\s+days|the\s+other\s+day|recent|recently|latest|lately|currently|so\s+far|upcoming|overnight|weekends?|eo[dwmqy]|[ymqw]td|` +
		enWeekday + `)\b` +
		`|\b(?:this|last|next|past|coming|previous|prior|current|following|preceding|trailing|rolling)[\s-]+(?:` + enNumber + `[\s-]+)?(?:` + enUnits + `|` + enPart + `)\b` +
		`|\b` + enNumber + `[\s-]+` + enUnits + `\s+(?:ago|from\s+(?:now|today)|earlier|later|hence|back|before|after)\b` +
		`|\b(?:in|within)\s+(?:the\s+next\s+)?` + enNumber + `\s+` + enUnits + `\b` +
		`|\b(?:end|start|beginning|middle|rest|close)\s+of\s+(?:the\s+)?` + enUnits + `\b|\b(?:month|quarter|year|week)[\s-]+(?:end|to[\s-]date)\b` +
		`|\b(?:on|by|until|till|from|before|after|since)\s+the\s+\d{1,2}(?:st|nd|rd|th)\b`)
)
