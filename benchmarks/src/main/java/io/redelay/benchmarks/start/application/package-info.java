/**
 * The applications whose starts are compared.
 */
@NullMarked
package io.redelay.benchmarks.start.application;

import org.jspecify.annotations.NullMarked;
