/**
 * Tests of the ways from other systems, and the code that the guide shows of them.
 */
@NullMarked
package io.redelay.migration;

import org.jspecify.annotations.NullMarked;
