/**
 * A browser for the tests of pages that Redelay serves.
 */
@NullMarked
package io.redelay.test.browser;

import org.jspecify.annotations.NullMarked;
