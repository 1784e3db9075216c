// Package tokenizer cuts texts into the tokens of an encoder, as the tokenizer.json beside
// its model says. A token that is another one than the model was trained with makes a
// vector that is wrong and looks right, so that every step is that of Hugging Face's
// tokenizers to the letter, and a file with a step that is not known here is refused.
//
// It makes ids alone: no offsets, no pairs of texts, no training.
package tokenizer
