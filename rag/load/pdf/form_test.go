package pdf_test

import (
	"fmt"
	"strings"
	"testing"
)

// form returns a page with these marks and these fields.
func form(content string, fields ...string) []byte {
	var refs strings.Builder
	for i := range fields {
		fmt.Fprintf(&refs, "%d 0 R ", 6+i)
	}
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[" + refs.String() + "]/DR<</Font<</F1 5 0 R>>>>/DA(/F1 11 Tf 0 g)>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Annots[" + refs.String() + "]/Resources<</Font<</F1 5 0 R>>>>>>",
		stream(content), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
	}
	return file(append(objects, fields...)...)
}

func widget(rect, more string) string {
	return "<</Type/Annot/Subtype/Widget/F 4/P 3 0 R/Rect[" + rect + "]" + more + ">>"
}

// TestFormValues: what somebody filled in is beside what it was asked for.
func TestFormValues(t *testing.T) {
	t.Parallel()
	const labels = "BT /F1 11 Tf 72 730 Td (Applicant:) Tj 0 -30 Td (Licence plate:          Colour:) Tj 0 -30 Td (Electric car:) Tj 0 -30 Td (Remarks) Tj 0 -60 Td (The end of the page.) Tj ET"
	for name, c := range map[string]struct {
		fields []string
		want   string
	}{
		"text": {[]string{widget("170 726 370 744", "/FT/Tx/T(applicant)/V(Marlene Quist)")},
			"Applicant: Marlene Quist\nLicence plate: Colour:\nElectric car:\nRemarks\nThe end of the page."},
		"two on a line, last first": {[]string{widget("230 696 300 714", "/FT/Ch/Ff 131072/T(colour)/Opt[(red)(blue)]/V(blue)"), widget("145 696 170 714", "/FT/Tx/T(plate)/V(KX 4471)")},
			"Applicant:\nLicence plate: KX 4471 Colour: blue\nElectric car:\nRemarks\nThe end of the page."},
		"an option by its label": {[]string{widget("170 726 370 744", "/FT/Ch/Ff 131072/T(branch)/Opt[[(b1)(Seoul office)][(b2)(Busan office)]]/V(b2)")},
			"Applicant: Busan office\nLicence plate: Colour:\nElectric car:\nRemarks\nThe end of the page."},
		"several options": {[]string{widget("170 726 370 744", "/FT/Ch/Ff 2097152/T(days)/Opt[[(1)(Mon)][(2)(Tue)][(3)(Wed)]]/V[(1)(3)]")},
			"Applicant: Mon, Wed\nLicence plate: Colour:\nElectric car:\nRemarks\nThe end of the page."},
		"a value that is no option": {[]string{widget("170 726 370 744", "/FT/Ch/Ff 393216/T(colour)/Opt[(red)(blue)]/V(mauve)")},
			"Applicant: mauve\nLicence plate: Colour:\nElectric car:\nRemarks\nThe end of the page."},
		"ticked": {[]string{widget("170 666 184 680", "/FT/Btn/T(electric)/V/Yes/AS/Yes")},
			"Applicant:\nLicence plate: Colour:\nElectric car: ☑\nRemarks\nThe end of the page."},
		"not ticked": {[]string{widget("170 666 184 680", "/FT/Btn/T(electric)/V/Off/AS/Off")},
			"Applicant:\nLicence plate: Colour:\nElectric car: ☐\nRemarks\nThe end of the page."},
		"below its label": {[]string{widget("72 605 370 636", "/FT/Tx/Ff 4096/T(remarks)/V(Two lines\nof remarks)")},
			"Applicant:\nLicence plate: Colour:\nElectric car:\nRemarks\nTwo lines of remarks\nThe end of the page."},
		"no label": {[]string{widget("72 100 370 120", "/FT/Tx/TU(Number of the contract)/T(Text1)/V(A-17)")},
			"Applicant:\nLicence plate: Colour:\nElectric car:\nRemarks\nThe end of the page.\nNumber of the contract: A-17"},
		"empty, secret, hidden, a button": {[]string{
			widget("170 726 370 744", "/FT/Tx/T(applicant)"), widget("170 696 370 714", "/FT/Tx/Ff 8192/T(pin)/V(1234)"),
			widget("170 666 184 680", "/FT/Btn/Ff 65536/T(send)/V(x)"), strings.Replace(widget("170 636 370 654", "/FT/Tx/T(h)/V(unseen)"), "/F 4", "/F 2", 1)},
			"Applicant:\nLicence plate: Colour:\nElectric car:\nRemarks\nThe end of the page."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, form(labels, c.fields...)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestKoreanFormValue: a value in UTF-16, of a field that its widget inherits from.
func TestKoreanFormValue(t *testing.T) {
	t.Parallel()
	data := form("BT /F1 11 Tf 72 730 Td (Name:) Tj ET", "<</FT/Tx/T(name)/V<FEFFD64DAE38B3D9>/Kids[7 0 R]>>", widget("170 726 370 744", "/Parent 6 0 R"))
	if got := read(t, data); got != "Name: 홍길동" {
		t.Errorf("got %q", got)
	}
}
