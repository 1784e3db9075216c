// Package onnx makes vectors of texts with a sentence encoder in ONNX form, from a
// folder on this machine: without an endpoint, without cgo and without a server.
//
// The folder is what tools of the Hugging Face world export: model.onnx (or
// onnx/model.onnx), tokenizer.json, and beside them config.json,
// sentence_bert_config.json and 1_Pooling/config.json where they are there.
//
// It knows nothing of what the texts are.
//
// It is not part of programs of the race detector, for which its libraries take a minute
// to compile.
package onnx
