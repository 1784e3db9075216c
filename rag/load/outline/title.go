package outline

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

var (
	// nameless are default titles of programs.
	nameless = pattern.New(`(?i)^(?:untitled(?: document)?|no ?title|(?:document|presentation|book|slide|문서|프레젠테이션|슬라이드|통합 문서) ?\d*|powerpoint (?:presentation|프레젠테이션)|\(?(?:anonymous|unspecified)\)?|제목 ?없음|무제)$`)
	// printer matches a print job's prefix of the file name.
	printer = pattern.New(`(?i)^microsoft (?:word|powerpoint|excel) - `)
	// exported matches names of the pictures, layouts and print jobs that a document was made of: loremipsum.jpg, 10811.exe.
	exported = pattern.New(`(?i)^\S+\.(?:exe|jpe?g|png|gif|tiff?|bmp|indd|qxp|psd|dwg|tmp|prn)$`)
	// bullet matches the mark of a first line, as Korean reports begin their sections.
	bullet = pattern.New(`^[□■○●◦◇◆▶▷※❍·•\s]+`)
)

// TitleOf returns a document's title, or its file name if the title is missing, meaningless, without letters or longer than most letters.
func TitleOf(said, name string, most int) string {
	title := bullet.ReplaceAllString(fit.OneLine(fit.Clean(said)), "")
	if printed := printer.ReplaceAllString(title, ""); printed != title {
		title = withoutExtension(printed)
	}
	if !strings.ContainsFunc(title, unicode.IsLetter) || nameless.MatchString(title) || exported.MatchString(title) || utf8.RuneCountInString(title) > most {
		title = fit.OneLine(fit.Clean(withoutExtension(path.Base(strings.ReplaceAll(name, `\`, "/")))))
	}
	return title
}

// withoutExtension removes a name's extension; "1.2 notes" has none.
func withoutExtension(name string) string {
	if ext := path.Ext(name); ext != name && len(ext) <= len(".markdown") && !strings.Contains(ext, " ") {
		return strings.TrimSuffix(name, ext)
	}
	return name
}
