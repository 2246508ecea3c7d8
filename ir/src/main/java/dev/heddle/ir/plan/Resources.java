package dev.heddle.ir.plan;

/**
 * What a compiler says that a GPU kernel uses.
 *
 * @param registers registers a thread (vector registers on AMD), or -1 when not known
 * @param spillBytes bytes a thread keeps in memory for want of registers, or -1 when not known
 * @param sharedBytes shared memory of a block, or -1 when not known
 * @param note what a reader should know beside the figures, for example "PTX, not assembled"; ""
 *     for nothing
 */
public record Resources(int registers, int spillBytes, int sharedBytes, String note) {}
