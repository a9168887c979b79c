/**
 * What must always be true of the library's own state, and what happens when it is not.
 */
@NullMarked
package io.redelay.queue.invariant;

import org.jspecify.annotations.NullMarked;
