package linked

import (
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"maru/bot/content"
)

const office = "application/vnd.openxmlformats-officedocument."

// extensions returns the extensions of a media type, the one to add first.
func extensions(kind string) string {
	switch kind {
	case "text/html", "application/xhtml+xml":
		return pageExtension
	case "application/pdf", "application/x-pdf":
		return ".pdf"
	case "text/markdown", "text/x-markdown":
		return ".md .markdown"
	case "text/csv":
		return ".csv"
	case "text/tab-separated-values":
		return ".tsv"
	case "application/json", "application/ld+json":
		return ".json .jsonl .ndjson"
	case "application/xml", "text/xml", "application/rss+xml", "application/atom+xml":
		return ".xml"
	case "application/rtf", "text/rtf":
		return ".rtf"
	case "application/epub+zip":
		return ".epub"
	case "message/rfc822":
		return ".eml"
	case office + "wordprocessingml.document":
		return ".docx .docm"
	case office + "spreadsheetml.sheet":
		return ".xlsx .xlsm"
	case office + "presentationml.presentation":
		return ".pptx .pptm .ppsx"
	case "application/vnd.oasis.opendocument.text":
		return ".odt"
	case "application/vnd.oasis.opendocument.spreadsheet":
		return ".ods"
	case "application/vnd.oasis.opendocument.presentation":
		return ".odp"
	case "application/msword":
		return ".doc"
	case "application/vnd.ms-excel":
		return ".xls .csv"
	case "application/vnd.ms-powerpoint":
		return ".ppt"
	case "application/x-hwp", "application/haansofthwp", "application/vnd.hancom.hwp", "application/hwp":
		return ".hwp"
	case "application/hwp+zip", "application/haansofthwpx", "application/vnd.hancom.hwpx":
		return ".hwpx"
	case "application/zip", "application/x-zip-compressed":
		return ".zip"
	}
	return ""
}

// named returns a file name that determines the format for the loader: the server's media type takes precedence
// over the name, and the bytes over an unspecific type.
func named(name, contentType string, data []byte) string {
	kind, _, err := mime.ParseMediaType(contentType)
	ext := strings.ToLower(path.Ext(name))
	if err != nil || kind == "application/octet-stream" || kind == "binary/octet-stream" || kind == "application/force-download" {
		if ext != "" && ext != ".php" && ext != ".aspx" && ext != ".jsp" && ext != ".do" {
			return name
		}
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(data))
	}
	known := strings.Fields(extensions(kind))
	for _, k := range known {
		if ext == k {
			return name
		}
	}
	switch major, minor, _ := strings.Cut(kind, "/"); {
	case len(known) > 0:
		return orNamed(name) + known[0]
	case (major == "image" || major == "audio" || major == "video") && !strings.HasPrefix(minor, "svg"):
		return orNamed(name) + "." + major
	case ext == "" && major == "text":
		return orNamed(name) + ".txt"
	}
	return orNamed(name)
}

func orNamed(name string) string {
	if name == "" {
		return "index"
	}
	return name
}

// pictureExtension marks content that a server declares as a picture.
const pictureExtension = ".image"

func isPicture(name string) bool {
	return strings.HasSuffix(name, pictureExtension) || content.KindOf(name, "") == content.Image
}

func isMedia(name string) bool {
	switch path.Ext(name) {
	case pictureExtension, ".audio", ".video":
		return true
	}
	return false
}

// hosted is a page that shows a document which the same host serves as a file.
type hosted struct {
	page *regexp.Regexp
	file string
}

// services lists document services' pages, with the addresses they document for downloads.
func services() []hosted {
	return []hosted{
		{regexp.MustCompile(`^https://docs\.google\.com/document/(?:u/\d+/)?d/([\w-]{20,})(?:/.*|[?#].*)?$`), "https://docs.google.com/document/d/$1/export?format=docx"},
		{regexp.MustCompile(`^https://docs\.google\.com/spreadsheets/(?:u/\d+/)?d/([\w-]{20,})(?:/.*|[?#].*)?$`), "https://docs.google.com/spreadsheets/d/$1/export?format=xlsx"},
		{regexp.MustCompile(`^https://docs\.google\.com/presentation/(?:u/\d+/)?d/([\w-]{20,})(?:/.*|[?#].*)?$`), "https://docs.google.com/presentation/d/$1/export/pptx"},
		{regexp.MustCompile(`^https://drive\.google\.com/file/(?:u/\d+/)?d/([\w-]{20,})(?:/.*|[?#].*)?$`), "https://drive.google.com/uc?export=download&id=$1"},
		{regexp.MustCompile(`^https://github\.com/([\w.-]+/[\w.-]+)/blob/([^?#]+)(?:[?#].*)?$`), "https://raw.githubusercontent.com/$1/$2"},
		{regexp.MustCompile(`^https://gist\.github\.com/([\w.-]+/[0-9a-f]+)/?(?:#.*)?$`), "https://gist.githubusercontent.com/$1/raw"},
	}
}

// direct returns the address from which to fetch a link's document.
func direct(link string) string {
	for _, s := range services() {
		if s.page.MatchString(link) {
			return s.page.ReplaceAllString(link, s.file)
		}
	}
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	u.Fragment = ""
	if h := strings.ToLower(u.Hostname()); h == "www.dropbox.com" || h == "dropbox.com" {
		q := u.Query()
		q.Set("dl", "1")
		u.RawQuery = q.Encode()
	}
	return u.String()
}
