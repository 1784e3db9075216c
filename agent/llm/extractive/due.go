package extractive

// due.go answers by when something is to be paid: "When do invoices have to be paid?" What is owed by who
// pays late is another matter, though it has all words of the question and a figure.

// asksDue asks by when something is paid.
var asksDue = expression(`(?i)` + payWhen)

const payWhen = `^\W*(?:(?:and|so|but)\s+)?(?:by\s+)?when\b.*\b(?:(?:have|has|need|must|should|do|does|are|is|be|get|gets)\b.*\b(?:paid|pay)|payable|settled?)\b`

// paidLate is how a sentence tells of what was not paid in time.
var paidLate = expression(`(?i)\b(?:unpaid|overdue|arrears|in\s+default|(?:paid|pays?|payments?)\s+late|late\s+pay\w*|not\s+(?:been\s+)?paid)\b`)

// notLate reports whether a sentence says when something is due, not what comes of its being late, unless
// the question asks for that.
func notLate(text, question string) bool {
	return late.MatchString(question) || asksLapse.MatchString(question) || !paidLate.MatchString(text) && !late.MatchString(ifEn.FindString(text))
}

// dueToo lets "paid" be said as "due": contracts have both words, the one for sums and the other for
// their date, so that the first stands is no reason not to look for the second.
func dueToo(question string, want []wanted) {
	if !asksDue.MatchString(question) {
		return
	}
	for i, w := range want {
		if w.stem == "pay" || w.stem == "payable" || w.stem == "due" || w.stem == "settle" {
			want[i].same = append(want[i].same, other{[]string{"due"}, alsoDue}, other{[]string{"payable"}, alsoDue})
		}
	}
}

// alsoDue is how much of "paid" is "due".
const alsoDue = 0.9
