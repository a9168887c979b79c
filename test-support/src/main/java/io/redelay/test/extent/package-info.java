/**
 * How much the tests of a build do.
 */
@NullMarked
package io.redelay.test.extent;

import org.jspecify.annotations.NullMarked;
