/**
 * How long tests wait.
 */
@NullMarked
package io.redelay.test.patience;

import org.jspecify.annotations.NullMarked;
