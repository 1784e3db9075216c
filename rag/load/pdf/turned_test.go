package pdf_test

import "testing"

// TestTurnedText reads text in whatever direction it goes, line by line in its order.
func TestTurnedText(t *testing.T) {
	t.Parallel()
	const lines = "[(Com)15(pressor o)-15(il is changed every)] TJ 0 -14 Td [(450 hours by the tech)20(nician on duty.)] TJ"
	const want = "Compressor oil is changed every 450 hours by the technician on duty."
	for name, content := range map[string]string{
		"upright":       "BT /F1 11 Tf 1 0 0 1 60 700 Tm " + lines + " ET",
		"to the left":   "BT /F1 11 Tf 0 1 -1 0 80 60 Tm " + lines + " ET",
		"to the right":  "BT /F1 11 Tf 0 -1 1 0 80 760 Tm " + lines + " ET",
		"upside down":   "BT /F1 11 Tf -1 0 0 -1 560 100 Tm " + lines + " ET",
		"aslant":        "BT /F1 11 Tf .866 .5 -.5 .866 60 300 Tm " + lines + " ET",
		"by the page":   "q 0 1 -1 0 600 0 cm BT /F1 11 Tf 60 500 Td " + lines + " ET Q",
		"beside itself": "BT /F1 11 Tf 0 1 -1 0 80 60 Tm " + lines + " ET BT /F1 11 Tf 1 0 0 1 60 700 Tm (An upright line.) Tj ET",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := want
			if name == "beside itself" {
				want += "\nAn upright line."
			}
			if got := read(t, page(content)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestWordsCutByAHyphen are whole again; a hyphen of a word's own stays.
func TestWordsCutByAHyphen(t *testing.T) {
	t.Parallel()
	got := read(t, page("BT /F1 11 Tf 14 TL 72 760 Td (The insurance covers liability for dam-) Tj T* (age in a well-known place, and well-) Tj T* (known guests; call 02-123-) Tj T* (4567 for the rest of it.) Tj ET"))
	if want := "The insurance covers liability for damage in a well-known place, and well-known guests; call 02-123-\n4567 for the rest of it."; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLettersDrawnTwice, as some programs make them bold, are read once.
func TestLettersDrawnTwice(t *testing.T) {
	t.Parallel()
	if got := read(t, page("BT /F1 14 Tf 1 0 0 1 72 760 Tm (S) Tj 1 0 0 1 72.35 760 Tm (S) Tj 1 0 0 1 81.66 760 Tm (o) Tj 1 0 0 1 82.01 760 Tm (o) Tj ET")); got != "So" {
		t.Errorf("got %q", got)
	}
}
