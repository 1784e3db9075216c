// Package onnx makes vectors of texts with a sentence encoder in ONNX form, from a
// folder on this machine: without an endpoint, without cgo and without a server.
//
// The folder is what tools of the Hugging Face world export: model.onnx (or
// onnx/model.onnx) and the file of its weights where they lie apart, tokenizer.json, and
// beside them config.json, tokenizer_config.json, sentence_bert_config.json, modules.json
// and 1_Pooling/config.json where they are there.
//
// Texts are cut by [maru/agent/llm/onnx/tokenizer]. What it does not know for sure to run
// as the model's own tools do is refused. It knows nothing of what the texts are.
//
// It is not part of programs of the race detector, for which its libraries take a minute
// to compile.
package onnx
