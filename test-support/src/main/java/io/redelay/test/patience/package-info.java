/**
 * How long tests wait for what they wait for.
 */
@NullMarked
package io.redelay.test.patience;

import org.jspecify.annotations.NullMarked;
