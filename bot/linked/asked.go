package linked

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

const (
	maxLinks  = 3   // that are read for one message
	maxAround = 400 // characters besides links above which a message is about its own text
	maxOrder  = 20  // characters, besides links and the request, up to which a message is only a request
	maxName   = 120 // letters of a page's name
	maxShown  = 80  // letters of an address in a sentence
)

var (
	address = pattern.New("(?i)https?://[^\\s<>\"|\\\\^`{}“”‘’「」『』]+")
	fenced  = pattern.New("(?s)```.*?(?:```|$)|`[^`\n]*`")
	quoted  = pattern.New(`(?m)^\s*(?:>|&gt;).*$`)
	// reads matches words that ask for the text behind a link.
	reads = pattern.New(`(?i)\b(?:summar\w*|tl;?dr|translat\w*|read|re-read|explain|review|compare|extract|analy[sz]e|proofread|check|look\s+(?:at|into|over|through)|open|index|ingest|import|` +
		`key\s+points|takeaways|gist|according\s+to|say|says|said|mention\w*|contents?|depicts?|what(?:['’]s|\s+is|\s+are|\s+was)?\s+(?:this|that|it|these|in|wrong|new)|` +
		`(?:this|that|these|the|above|below)\s+(?:\w+\s+)?(?:links?|urls?|pages?|articles?|posts?|documents?|docs?|files?|pdfs?|papers?|reports?|sites?|websites?|logs?|specs?|readme|pictures?|images?|photos?|screenshots?))\b|\bshows?\s*\?|` +
		`요약|정리|번역|읽어|읽고|읽은|설명|분석|검토|리뷰|비교|추출|뭐라고|뭐래|무슨\s*(?:내용|말|뜻|글|얘기)|어떤\s*(?:내용|글)|내용|핵심|요점|훑어|살펴|봐\s?(?:줘|주|줄)|열어|확인해|색인|학습|` +
		`(?:이|저|그|위|아래|첨부)\s?(?:링크|주소|페이지|글|기사|문서|파일|논문|보고서|사이트|자료|게시물|로그|사진|그림|이미지|스크린샷|캡처)|링크|(?:기사|문서|파일|논문|보고서|페이지|사진|그림|이미지|스크린샷)(?:를|을|에|의|는|은)`)
	// particle matches a Korean particle that is written to a link without a space.
	particle = pattern.New(`^(?:을|를|이|가|은|는|의|에|에서|에는|에서는|으로|로|도|만|와|과|랑|이랑|하고|부터|까지|에게|보다|라는|이라는|좀|입니다|이에요|예요|요)$`)
)

// Asked returns the distinct links that a message asks to read, and whether it contains nothing else. A link with
// other text is read if the text asks for it, or if it names a file; links within longer texts, quotations or code
// are not.
func Asked(text string) (links []string, alone bool) {
	text = fenced.ReplaceAllString(text, " ")
	text = quoted.ReplaceAllString(text, " ")
	file := false
	around := address.ReplaceAllStringFunc(text, func(s string) string {
		link, rest := cut(s)
		u, err := url.Parse(link)
		if err != nil || u.Hostname() == "" || u.User != nil {
			return s
		}
		if file = file || isFile(u); !slices.Contains(links, link) {
			links = append(links, link)
		}
		return " " + rest
	})
	alone = fit.Blank(strings.Trim(around, " \t\n.,!?()[]<>"))
	if len(links) == 0 || utf8.RuneCountInString(around) > maxAround || !alone && !file && !reads.MatchString(around) {
		return nil, false
	}
	return links, alone
}

// only reports whether a message asks for nothing but the text behind its links: without that there is nothing to answer.
func only(text string) bool {
	left := 0
	for _, r := range reads.ReplaceAllString(address.ReplaceAllString(text, " "), " ") {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			left++
		}
	}
	return left <= maxOrder
}

// cut removes text attached to a link without a space: punctuation and Korean particles.
func cut(s string) (link, rest string) {
	link = trim(s)
	last := strings.LastIndexFunc(link, func(r rune) bool { return r < '가' || r > '힣' })
	if last >= 0 && last < len(link)-1 {
		_, size := utf8.DecodeRuneInString(link[last:])
		if tail := link[last+size:]; particle.MatchString(tail) || isFileName(link[:last+size]) {
			link = trim(link[:last+size])
		}
	}
	return link, s[len(link):]
}

// trim removes punctuation from the end of a link. A closing bracket stays if the link contains the opening one.
func trim(link string) string {
	for {
		r, size := utf8.DecodeLastRuneInString(link)
		switch {
		case size == 0:
			return link
		case r == ')' && strings.Count(link, "(") >= strings.Count(link, ")"):
			return link
		case r == ']' && strings.Count(link, "[") >= strings.Count(link, "]"):
			return link
		case !strings.ContainsRune(".,;:!?)]}'*_~…。，、！？）】》", r):
			return link
		}
		link = link[:len(link)-size]
	}
}

// fileNames are the extensions of files that people link to for their text.
const fileNames = " .pdf .docx .doc .xlsx .xls .pptx .ppt .hwp .hwpx .odt .ods .odp .rtf .epub .md .markdown .rst .txt .log .csv .tsv .json .jsonl .xml .yaml .yml .toml .eml "

func isFileName(link string) bool {
	u, err := url.Parse(link)
	return err == nil && isFile(u)
}

func isFile(u *url.URL) bool {
	ext := strings.ToLower(path.Ext(u.Path))
	return ext != "" && strings.Contains(fileNames, " "+ext+" ")
}

// shown formats a link without its query, which may contain a key.
func shown(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return fit.Clip(link, maxShown)
	}
	return fit.Clip(fit.Visible(u.Host+strings.TrimSuffix(u.Path, "/")), maxShown)
}
