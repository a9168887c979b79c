/**
 * Several Redis servers that belong together, and a bad network before one, for the tests
 * of Redelay itself.
 */
@NullMarked
package io.redelay.test.redis;

import org.jspecify.annotations.NullMarked;
