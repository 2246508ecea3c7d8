package dev.heddle.ir.plan;

/**
 * How a GPU kernel is launched under one plan key. Blocks are one-dimensional.
 *
 * @param gridX blocks in x
 * @param gridY blocks in y: rows of the plan's bucket
 * @param blockX threads of a block, a multiple of 32
 * @param sharedBytes shared memory to be asked for at launch; arrays of fixed size inside the
 *     kernel are not counted
 */
public record LaunchShape(int gridX, int gridY, int blockX, int sharedBytes) {}
