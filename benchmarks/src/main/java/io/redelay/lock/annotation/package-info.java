/**
 * Benchmarks of what is not public in the package of this name.
 */
@NullMarked
package io.redelay.lock.annotation;

import org.jspecify.annotations.NullMarked;
