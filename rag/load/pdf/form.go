package pdf

import (
	"slices"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// field is a filled-in form field with its box on the page.
type field struct {
	left, right, bottom, top float64
	name, value              string
}

// maxFields bounds the annotations read per page.
const maxFields = 10_000

// openForm opens the document's form, if any. The module has no JavaScript, so nothing in it runs.
func (d *Document) openForm() error {
	kind, err := d.in.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: d.ref})
	if err != nil || kind.FormType == enums.FPDF_FORMTYPE_NONE {
		return err
	}
	res, err := d.in.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{
		Document: d.ref,
		FormFillInfo: structs.FPDF_FORMFILLINFO{ // all are required; there is no display
			FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
			FFI_SetCursor:          func(enums.FXCT) {},
			FFI_SetTimer:           func(int, func(int)) int { return 0 },
			FFI_KillTimer:          func(int) {},
			FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} },
			FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
			FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return enums.FPDF_PAGE_ROTATION_NONE },
			FFI_ExecuteNamedAction: func(string) {},
		},
	})
	if err != nil {
		return err
	}
	d.form = &res.FormHandle
	return nil
}

// fields returns the fields of a page with a value, top to bottom.
func (d *Document) fields(page references.FPDF_PAGE) ([]field, error) {
	if d.form == nil {
		return nil, nil
	}
	at := requests.Page{ByReference: &page}
	all, err := d.in.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: at})
	if err != nil {
		return nil, err
	}
	var out []field
	for i := range min(all.Count, maxFields) {
		annot, err := d.in.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: at, Index: i})
		if err != nil {
			continue // it is no dictionary
		}
		f, ok := d.field(annot.Annotation)
		if _, err := d.in.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: annot.Annotation}); err != nil {
			return nil, err
		}
		if ok {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b field) int {
		switch {
		case a.bottom >= b.top:
			return -1
		case b.bottom >= a.top:
			return 1
		case a.left < b.left:
			return -1
		case a.left > b.left:
			return 1
		}
		return 0
	})
	return out, nil
}

// unseen are the flags of invisible annotations.
const unseen = enums.FPDF_ANNOT_FLAG_HIDDEN | enums.FPDF_ANNOT_FLAG_NOVIEW

// field reads an annotation; false if it is no field, is invisible or has no value.
func (d *Document) field(ref references.FPDF_ANNOTATION) (f field, ok bool) {
	kind, err := d.in.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: ref})
	if err != nil || kind.Subtype != enums.FPDF_ANNOT_SUBTYPE_WIDGET {
		return f, false
	}
	flags, err := d.in.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: ref})
	if err != nil || flags.Flags&unseen != 0 {
		return f, false
	}
	box, err := d.in.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: ref})
	if err != nil {
		return f, false
	}
	if f.value = printed(strings.TrimSpace(d.value(ref))); f.value == "" {
		return f, false
	}
	f.left, f.right = finite(float64(box.Rect.Left)), finite(float64(box.Rect.Right))
	f.bottom, f.top = finite(float64(box.Rect.Bottom)), finite(float64(box.Rect.Top))
	if label, err := d.in.FPDFAnnot_GetFormFieldAlternateName(&requests.FPDFAnnot_GetFormFieldAlternateName{FormHandle: *d.form, Annotation: ref}); err == nil {
		f.name = printed(label.FormFieldAlternateName)
	}
	if f.name == "" {
		if name, err := d.in.FPDFAnnot_GetFormFieldName(&requests.FPDFAnnot_GetFormFieldName{FormHandle: *d.form, Annotation: ref}); err == nil {
			f.name = printed(name.FormFieldName)
		}
	}
	return f, true
}

// Appearance names of a check box.
const (
	tick   = "☑"
	noTick = "☐"
)

// password is the flag of a password field (PDF 1.7, table 228).
const password = enums.FPDF_FORMFLAG(1 << 13)

// value returns a field's value; "" if it is empty or secret.
func (d *Document) value(ref references.FPDF_ANNOTATION) string {
	kind, err := d.in.FPDFAnnot_GetFormFieldType(&requests.FPDFAnnot_GetFormFieldType{FormHandle: *d.form, Annotation: ref})
	if err != nil {
		return ""
	}
	switch kind.FormFieldType {
	case enums.FPDF_FORMFIELD_TYPE_CHECKBOX, enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON:
		if d.ticked(ref) {
			return tick
		}
		return noTick
	case enums.FPDF_FORMFIELD_TYPE_TEXTFIELD, enums.FPDF_FORMFIELD_TYPE_COMBOBOX, enums.FPDF_FORMFIELD_TYPE_LISTBOX:
	default:
		return ""
	}
	flags, err := d.in.FPDFAnnot_GetFormFieldFlags(&requests.FPDFAnnot_GetFormFieldFlags{FormHandle: *d.form, Annotation: ref})
	if err != nil || kind.FormFieldType == enums.FPDF_FORMFIELD_TYPE_TEXTFIELD && flags.Flags&password != 0 {
		return ""
	}
	if kind.FormFieldType != enums.FPDF_FORMFIELD_TYPE_TEXTFIELD {
		if chosen := d.chosen(ref); chosen != "" {
			return chosen
		}
	}
	value, err := d.in.FPDFAnnot_GetFormFieldValue(&requests.FPDFAnnot_GetFormFieldValue{FormHandle: *d.form, Annotation: ref})
	if err != nil {
		return ""
	}
	return strings.TrimRight(value.FormFieldValue, "\x00")
}

// maxOptions bounds the options read of a list.
const maxOptions = 1000

// chosen returns the selected options of a list as a reader sees them: the stored value is an internal name. "" if none
// is selected, as after a value of one's own.
func (d *Document) chosen(ref references.FPDF_ANNOTATION) string {
	n, err := d.in.FPDFAnnot_GetOptionCount(&requests.FPDFAnnot_GetOptionCount{FormHandle: *d.form, Annotation: ref})
	if err != nil {
		return ""
	}
	var out []string
	for i := range min(n.OptionCount, maxOptions) {
		on, err := d.in.FPDFAnnot_IsOptionSelected(&requests.FPDFAnnot_IsOptionSelected{FormHandle: *d.form, Annotation: ref, Index: i})
		if err != nil || !on.IsOptionSelected {
			continue
		}
		if o, err := d.in.FPDFAnnot_GetOptionLabel(&requests.FPDFAnnot_GetOptionLabel{FormHandle: *d.form, Annotation: ref, Index: i}); err == nil {
			out = append(out, strings.TrimRight(o.OptionLabel, "\x00"))
		}
	}
	return strings.Join(out, ", ")
}

// ticked reads a box's appearance state, then PDFium's interpretation: programs that fill in forms do not always
// write both.
func (d *Document) ticked(ref references.FPDF_ANNOTATION) bool {
	state, err := d.in.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: ref, Key: "AS"})
	if err == nil && state.Value != "" {
		return state.Value != "Off"
	}
	box, err := d.in.FPDFAnnot_IsChecked(&requests.FPDFAnnot_IsChecked{FormHandle: *d.form, Annotation: ref})
	return err == nil && box.IsChecked
}

// insertFields inserts field values into the page's text: after the text to the left of a field, else below the text
// above it, else at the end with the field's name.
func insertFields(runs []run, fields []field) []run {
	for _, f := range fields {
		at, beside := label(runs, f)
		r := run{x: f.left, y: f.bottom, end: f.right, size: max((f.top-f.bottom)/2, 1), text: f.value}
		switch {
		case at < 0:
			r.y -= endless // a paragraph of its own
			r.text = strings.TrimSuffix(strings.TrimSpace(f.name), ":") + ": " + f.value
			at = len(runs) - 1
		case beside:
			l := runs[at]
			r.y, r.size, r.x = l.y, l.size, l.end+l.size/2
			r.end, r.text = max(r.end, r.x), r.text+" "
		default:
			r.size = runs[at].size
			r.y = runs[at].y - 1.2*r.size
		}
		runs = slices.Insert(runs, at+1, r)
	}
	return runs
}

// endless exceeds any page height.
const endless = 1e6

// label finds a field's label: to its left on its line, or closely above it. -1 means none.
func label(runs []run, f field) (at int, beside bool) {
	left, above := -1, -1
	for i, r := range runs {
		switch {
		case r.angle != 0:
		case r.y >= f.bottom-r.size/2 && r.y <= f.top && r.x < f.left:
			if left < 0 || r.x >= runs[left].x {
				left = i
			}
		case r.y >= f.top && r.y < f.top+1.5*r.size && r.x < f.right && r.end > f.left:
			if above < 0 || r.y <= runs[above].y {
				above = i
			}
		}
	}
	if left >= 0 {
		return left, true
	}
	return above, false
}
