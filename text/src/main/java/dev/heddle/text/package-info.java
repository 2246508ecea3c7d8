/**
 * Text to token ids and back: byte-level BPE from GGUF metadata, a streaming detokenizer, chat
 * templates in their simplest form.
 *
 * <p>Start at {@link dev.heddle.text.Tokenizer}: it is made of a {@link dev.heddle.text.Vocabulary}
 * (what the file says), a {@link dev.heddle.text.PreTokenizer} (how text is split) and a {@code
 * BytePairEncoder} (how a piece becomes ids). May use {@code gguf} and {@code ir}; knows nothing of
 * models, sampling or the command line. Everything here is immutable and may be shared by threads,
 * but for {@link dev.heddle.text.Detokenizer}, which belongs to one stream.
 */
package dev.heddle.text;
