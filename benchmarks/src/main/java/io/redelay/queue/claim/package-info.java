/**
 * Benchmarks of what is not public in the package of this name.
 */
@NullMarked
package io.redelay.queue.claim;

import org.jspecify.annotations.NullMarked;
