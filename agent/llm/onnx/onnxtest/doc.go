// Package onnxtest writes sentence encoders in the form in which real ones come: a BERT
// with fixed weights, opset 14, and its tokenizer. What one means by a text is nothing;
// that two runtimes say the same of it counts.
package onnxtest
