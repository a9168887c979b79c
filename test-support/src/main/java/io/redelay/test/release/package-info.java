/**
 * Checks of what would be published.
 */
@NullMarked
package io.redelay.test.release;

import org.jspecify.annotations.NullMarked;
