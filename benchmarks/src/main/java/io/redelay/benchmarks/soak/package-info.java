/**
 * Measures whether an application that sends and handles for long stays as it is.
 */
@NullMarked
package io.redelay.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
