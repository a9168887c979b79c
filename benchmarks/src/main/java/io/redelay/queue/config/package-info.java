/**
 * Benchmarks of what is not public in the package of this name.
 */
@NullMarked
package io.redelay.queue.config;

import org.jspecify.annotations.NullMarked;
