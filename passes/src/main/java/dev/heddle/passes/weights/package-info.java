/**
 * How weights meet their kernels: {@link dev.heddle.passes.weights.Layout} picks the type each has
 * in memory, {@link dev.heddle.passes.weights.Int8Activations} the products that read quantised
 * inputs. Start at {@link dev.heddle.passes.weights.LoadedTypes}, on which both rest.
 */
package dev.heddle.passes.weights;
