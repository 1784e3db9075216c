package openai

import (
	"strings"

	"maru/agent/llm"
)

// family is how the models of one family want to be told a question from a passage: by words
// before the text, or by the request's member input_type.
type family struct {
	name              string // in the model's name, in small letters
	query, passage    string // prefixes
	queryAs, passedAs string // values of input_type
}

const (
	sentence = "Represent this sentence for searching relevant passages: "
	instruct = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)

// families are as their publishers' model cards and API documents describe them; the first
// match counts. Families that take bare texts (bge-m3, gte, all-MiniLM, text-embedding-3) are
// listed only before a shorter name that would match.
var families = []family{
	{name: "nv-embed", queryAs: "query", passedAs: "passage"},
	{name: "embedqa", queryAs: "query", passedAs: "passage"},
	{name: "e5-mistral", query: instruct},
	{name: "e5-large-instruct", query: instruct},
	{name: "e5", query: "query: ", passage: "passage: "},
	{name: "nomic-embed", query: "search_query: ", passage: "search_document: "},
	{name: "bge-m3"},
	{name: "bge-multilingual"},
	{name: "bge-reranker"},
	{name: "bge-", query: sentence}, // the English models; see chinese
	{name: "mxbai-embed", query: sentence},
	{name: "arctic-embed-l-v2", query: "query: "},
	{name: "arctic-embed-m-v2", query: "query: "},
	{name: "arctic-embed2", query: "query: "}, // as Ollama names it
	{name: "arctic-embed", query: sentence},
	{name: "gte-qwen2", query: instruct},
	{name: "qwen3-embedding", query: instruct},
	{name: "embeddinggemma", query: "task: search result | query: ", passage: "title: none | text: "},
	{name: "voyage-", queryAs: "query", passedAs: "document"},
	{name: "embed-english", queryAs: "search_query", passedAs: "search_document"},
	{name: "embed-multilingual", queryAs: "search_query", passedAs: "search_document"},
	{name: "embed-v4", queryAs: "search_query", passedAs: "search_document"},
}

const chinese = "为这个句子生成表示以用于检索相关文章："

// familyOf returns how a model is told the kinds of texts.
func familyOf(model string) family {
	model = strings.ToLower(model)
	if strings.Contains(model, "bge-") && strings.Contains(model, "-zh") {
		return family{query: chinese}
	}
	for _, f := range families {
		if strings.Contains(model, f.name) {
			return f
		}
	}
	return family{}
}

// NoPrefix as a prefix leaves texts bare, whatever the model's family.
const NoPrefix = "none"

// prefixes returns the family with the configured prefixes, which win.
func (c Config) prefixes() family {
	f := familyOf(c.EmbeddingModel)
	for _, p := range []struct {
		own  string
		into *string
	}{{c.QueryPrefix, &f.query}, {c.PassagePrefix, &f.passage}} {
		switch p.own {
		case "":
		case NoPrefix:
			*p.into = ""
		default:
			*p.into = p.own
		}
	}
	return f
}

// prefix and inputType return what a kind of text is sent with.
func (f family) prefix(kind llm.TextKind) string {
	if kind == llm.QuestionText {
		return f.query
	}
	return f.passage
}

func (f family) inputType(kind llm.TextKind) string {
	if kind == llm.QuestionText {
		return f.queryAs
	}
	return f.passedAs
}

// VectorName names the vectors of a model: with another passage prefix or input_type they are
// others. [ModelOf] reverses it.
func (c Config) VectorName() string {
	f := c.prefixes()
	if mark := strings.TrimSpace(f.passage + f.passedAs); mark != "" {
		return c.EmbeddingModel + " [" + mark + "]"
	}
	return c.EmbeddingModel
}

// ModelOf returns the model in a [Config.VectorName].
func ModelOf(name string) string {
	model, _, _ := strings.Cut(name, " [")
	return model
}
