/**
 * What is done with steps: sampling, generating text's token ids, perplexity, logits of whole token
 * lists. Library functions that the command line and the server call; all deterministic. Start at
 * {@link dev.heddle.runtime.generate.Generator}.
 */
package dev.heddle.runtime.generate;
