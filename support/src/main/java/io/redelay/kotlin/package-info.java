/**
 * Functions and coroutines of Kotlin, which is optional.
 */
@NullMarked
package io.redelay.kotlin;

import org.jspecify.annotations.NullMarked;
