/**
 * GGUF files: reader, writer, dequantisation and quantisation of every block format, the types a
 * quantisation recipe gives to a model's tensors, and seeded weights. Uses ir only. Start at {@link
 * dev.heddle.gguf.GgufFile} (reading), {@link dev.heddle.gguf.Dequantiser} (values of blocks) and
 * {@link dev.heddle.gguf.Requantiser} (what {@code heddle quantize} runs).
 */
package dev.heddle.gguf;
